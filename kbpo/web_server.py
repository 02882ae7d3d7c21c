"""gunicorn's configuration: ``gunicorn --config python:kbpo.web_server kbpo.wsgi``.

``WEB_CONCURRENCY`` sets the number of worker processes (default 3; use the number of cores plus one).
"""

import os

bind = "0.0.0.0:8000"
worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or 3)
threads = 4
timeout = 120  # seconds without a sign of life of a worker
graceful_timeout = 30
keepalive = 5
