"""Readiness: always an answer in time, whatever hangs."""

import threading
import time

from kbpo.core.health.readiness import Check, Look, Readiness


def fine() -> list[Check]:
    return [Check("fine", True)]


def test_what_hangs_has_failed_and_is_not_begun_again() -> None:
    over, begun = threading.Event(), []

    def hangs() -> list[Check]:
        begun.append(1)
        over.wait(30)
        return [Check("slow", True), Check("with it", True)]

    looks: dict[str, tuple[Look, tuple[str, ...]]] = {
        "slow": (hangs, ("slow", "with it")),
        "fine": (fine, ("fine",)),
    }
    readiness = Readiness(looks, patience=0.05, shared_for=0.0)
    started = time.monotonic()
    try:
        for _ in range(2):
            assert [(one.name, one.is_ok) for one in readiness.checks()] == [
                ("slow", False),
                ("with it", False),
                ("fine", True),
            ]
        assert time.monotonic() - started < 2
        assert begun == [1]
    finally:
        over.set()


def test_what_raises_has_failed_and_its_message_is_not_told() -> None:
    def breaks() -> list[Check]:
        raise OSError("password=hunter2")

    [found] = Readiness({"files": (breaks, ("files",))}).checks()
    assert (found.is_ok, found.age) == (False, None)
    assert "hunter2" not in found.words


def test_what_was_just_found_is_shared() -> None:
    looked = []

    def count() -> list[Check]:
        looked.append(1)
        return [Check("files", True)]

    readiness = Readiness({"files": (count, ("files",))}, shared_for=60.0)
    assert readiness.checks() == readiness.checks()
    assert len(looked) == 1
