"""Starts web, worker, beat and a crowd of one host by forks: nothing of the service is loaded again for each.

``python -m tests.hosts.starting`` reads a line of JSON for each, ``{"role", "log", "given"}``, and writes the
process id; or ``{"pid"}``, and writes how it ended, null if it has not. It itself asks no database.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping

os.environ["DJANGO_SETTINGS_MODULE"] = "kbpo.settings"

import django

django.setup()

import gunicorn.app.wsgiapp  # noqa: E402
import gunicorn.workers.gthread  # noqa: E402
from celery.bin import beat as _beat  # noqa: E402, F401  (loaded here, once)
from celery.bin import worker as _worker  # noqa: E402, F401
from celery.signals import after_task_publish  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from kbpo.core.clock.celery import app  # noqa: E402
from kbpo.core.storage import s3  # noqa: E402, F401
from kbpo.management.commands import simulate_crowd  # noqa: E402, F401
from tests.hosts.hosts import PORT, SENT  # noqa: E402

PAUSE = 1.0  # seconds between two looks of the crowd


def web() -> None:
    """Serve."""
    sys.argv = [
        *("gunicorn", "--config", "python:kbpo.web_server", "kbpo.wsgi"),
        *("--bind", f"127.0.0.1:{PORT}", "--workers", "1", "--threads", "4", "--timeout", "120"),
    ]
    gunicorn.app.wsgiapp.run()


def worker() -> None:
    """Do what is due."""
    app.start(
        [
            *("worker", "--concurrency", "1", "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ]
    )


def beat() -> None:
    """Remind, and say of what."""
    after_task_publish.connect(lambda sender=None, **_: print(SENT, sender, flush=True), weak=False)
    app.start(["beat", "--scheduler", "celery.beat:Scheduler", "--pidfile=", "--loglevel", "WARNING"])


def crowd(corpus: str, gold: str) -> None:
    """Answer whatever is asked."""
    while True:
        call_command("simulate_crowd", "--corpus", corpus, "--gold", gold, "--seed", "5", verbosity=0)
        time.sleep(PAUSE)


ROLES: Mapping[str, Callable[..., None]] = {"web": web, "worker": worker, "beat": beat, "crowd": crowd}


def fork(role: str, log: str, given: list[str]) -> int:
    """Begin a process in a group of its own; return its id."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.setsid()
        out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, to in ((nothing, 0), (out, 1), (out, 2)):
            os.dup2(source, to)
        ROLES[role](*given)
        status = 0
    except SystemExit as end:
        status = int(end.code or 0) if not isinstance(end.code, str) else 1
    except BaseException:  # noqa: BLE001  (whoever asked learns of it by the status, and reads the log)
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def ended(pid: int) -> int | None:
    """Return how a process ended; None if it has not."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


if __name__ == "__main__":
    get_resolver().url_patterns  # noqa: B018  (all pages are loaded)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(ended(asked["pid"]) if "pid" in asked else fork(**asked)), flush=True)
