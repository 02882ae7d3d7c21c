"""The clock of the pipeline: Celery, with Redis as its broker and the database as the queue.

A task is only a reminder to look into the database, so nothing is lost with a message: no results are kept,
messages are acknowledged when they are taken, and those that wait expire in seconds.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import after_task_publish, beat_init, celeryd_init, setup_logging, worker_ready
from kombu import Queue

from kbpo.core.database import limits

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")

STAGES = (
    "validate_submissions",
    "prepare_submissions",
    "sample_submissions",
    "settle_questions",
    "settle_documents",
    "draw_documents",
    "count_names",
    "measure_work",
    "close_batches",
    "audit_labels",
    "score_epochs",
    "score_subsets",
    "post_hits",
    "collect_work",
    "review_work",
    "pay_bonuses",
    "grant_qualifications",
    "index_entities",
    "read_checks",
    "normalise_files",
    "make_corpus_files",
    "make_archives",
    "mail_news",
    "send_mail",
    "send_webhooks",
    "remove_expired",
)
EVERY = 3.0  # seconds between two looks of the same stage
SELDOM = {
    "make_corpus_files": 30.0,
    "make_archives": 30.0,
    "sweep_marketplace": 60.0,
    "end_studies": 300.0,
    "note_balances": 60.0,
    "remind_operators": 60.0,
    "remove_hits": 3600.0,
    "remove_orphans": 3600.0,
    "forget_mail": 3600.0,
    "forget_deliveries": 3600.0,
    "watch_disk": 300.0,
    "watch_troubles": 60.0,
    "sweep_counts": 600.0,
}
MAIL_QUEUE = "mail"  # of its own: a mail server that hangs delays mail alone, and so do webhooks' servers
OF_MAIL = ("mail_news", "send_mail", "send_webhooks")
EXPIRES = 5.0  # seconds after which a message that nobody took is forgotten

app = Celery("kbpo", set_as_current=True)
app.conf.update(
    # A known broker; `use_broker` finds the embedded one, which listens nowhere before it runs.
    broker_url=None,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,  # it goes on when the broker is back, whenever that is
    broker_transport_options={"socket_connect_timeout": 2, "socket_timeout": 30},
    task_ignore_result=True,
    task_acks_late=False,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="kbpo",
    # A worker takes from both, unless it is told otherwise (--queues).
    task_queues=tuple(Queue(name, routing_key=name) for name in ("kbpo", MAIL_QUEUE)),
    task_routes={f"kbpo.pipeline.{name}": {"queue": MAIL_QUEUE} for name in OF_MAIL},
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    # Seconds that a process may take to start. Celery's default of 4 kills slow starters on a busy machine.
    worker_proc_alive_timeout=120.0,
    timezone="UTC",
    imports=["kbpo.pipeline"],
    beat_schedule={
        name: {"task": f"kbpo.pipeline.{name}", "schedule": seconds, "options": {"expires": EXPIRES}}
        for name, seconds in {**dict.fromkeys(STAGES, EVERY), **SELDOM}.items()
    },
)


def broker(*, start: bool) -> str | None:
    """Return the address of the broker.

    Parameters
    ----------
    start : bool
        Whether to start the embedded Redis where it is the broker and does not run.

    Returns
    -------
    str or None
        None if there is no broker now.
    """
    from django.conf import settings

    from kbpo.core import embedded

    if settings.REDIS_URL:
        return str(settings.REDIS_URL)
    server = embedded.redis(settings.KBPO_HOME)
    socket = server.acquire() if start else server.running()
    return f"redis+socket://{socket}" if socket else None


@celeryd_init.connect
@beat_init.connect
def use_broker(**_: Any) -> None:
    """Give workers and beat their broker, and keep it up while they run."""
    app.conf.update(broker_url=broker(start=True))


@celeryd_init.connect
def limit_waiting(**_: Any) -> None:
    """Give tasks their time limits at the database."""
    limits.set_limits(limits.TASKS)


@worker_ready.connect
def show_worker(sender: Any, **_: Any) -> None:
    """Have a worker give signs of life."""
    from kbpo.core.health import signs

    names = [signs.OF_QUEUES[queue] for queue in sender.app.amqp.queues.consume_from]
    signs.start(names, watch=sender.app.tasks["kbpo.pipeline.watch_troubles"])


@beat_init.connect
def show_beat(**_: Any) -> None:
    """Have beat give signs of life, as long as it sends something."""
    from kbpo.core.health import signs

    publishing = signs.Publishing()
    after_task_publish.connect(publishing.note, weak=False)
    signs.start([signs.BEAT], is_alive=publishing.is_alive)


@setup_logging.connect
def keep_logging(**_: Any) -> None:
    """Leave logging as Django's settings have it."""
