from pathlib import Path

from django.conf import LazySettings

from kbpo import pipeline
from kbpo.core.clock import celery
from kbpo.core.clock.celery import app, broker


def test_beat_runs_every_stage_of_the_pipeline_and_every_other_task() -> None:
    app.finalize()
    tasks = {name for name in app.tasks if name.startswith("kbpo.pipeline.")}
    scheduled = [entry["task"] for entry in app.conf.beat_schedule.values()]
    stages = [f"kbpo.pipeline.{stage.__name__}" for stage in pipeline.STAGES]
    assert scheduled[: len(stages)] == stages
    assert sorted(scheduled) == sorted(tasks)


def test_every_scheduled_task_exists() -> None:
    app.finalize()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


def test_messages_that_nobody_takes_expire_in_seconds() -> None:
    assert all(0 < entry["options"]["expires"] <= 10 for entry in app.conf.beat_schedule.values())


def test_no_results_are_kept_and_nothing_is_acknowledged_late() -> None:
    assert app.conf.task_ignore_result
    assert not app.conf.task_acks_late


def test_messages_are_json_alone() -> None:
    assert (app.conf.task_serializer, list(app.conf.accept_content)) == ("json", ["json"])


def test_the_broker_is_redis_url_where_it_is_set(settings: LazySettings) -> None:
    settings.REDIS_URL = "redis://redis.example.org:6379/0"
    assert broker(start=False) == "redis://redis.example.org:6379/0"


def test_looking_for_the_broker_starts_none(settings: LazySettings, tmp_path: Path) -> None:
    settings.REDIS_URL = ""
    settings.KBPO_HOME = tmp_path
    assert broker(start=False) is None
    assert not (tmp_path / "redis").exists()


def test_the_stages_are_listed_once() -> None:
    assert len(set(celery.STAGES)) == len(celery.STAGES)
