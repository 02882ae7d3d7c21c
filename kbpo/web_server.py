"""How gunicorn serves the site: ``gunicorn --config python:kbpo.web_server kbpo.wsgi``.

The numbers are for two cores, and `benchmarks/web.py` compares them with others. ``WEB_CONCURRENCY`` says how
many workers another machine has: as many as cores, and one.
"""

import gc
import os
from pathlib import Path
from typing import Any

from django.template import engines
from django.urls import get_resolver

from kbpo.core.running_code import code_digest

bind = "0.0.0.0:8000"
# A sender that is slow, or a database that is away, holds a thread and no worker; the former not for long.
worker_class = "kbpo.web_worker.Worker"
workers = int(os.environ.get("WEB_CONCURRENCY") or 3)
threads = 4
timeout = 120  # seconds without a sign of life of a worker
graceful_timeout = 30
keepalive = 5
#: Objects that were made and not freed, until garbage is looked for among the youngest; Python's own 700 are
#: few of a page's many thousands. Nearly all are freed without it, as soon as nothing names them.
YOUNGEST = 20_000
TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
TABLES = TEMPLATES / "tables"  # which another language is for


def post_worker_init(worker: Any) -> None:
    """Have garbage looked for among what requests make alone, once all that stays is imported, and seldom.

    Looking at the code's own quarter of a million objects took a tenth of a second, of a request in fifty;
    looking after each few hundred new ones took a twelfth of a page.
    """
    assert get_resolver().url_patterns  # imports the views
    read_templates()
    code_digest()
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNGEST)


def read_templates() -> None:
    """Read the site's templates: to whoever asks first after a start, each would come later by that."""
    pages, tables = engines["django"], engines["tables"]
    for path in TEMPLATES.rglob("*.html"):
        if TABLES not in path.parents:
            pages.get_template(str(path.relative_to(TEMPLATES)))
    for path in TABLES.rglob("*.html"):
        tables.get_template(str(path.relative_to(TABLES)))
