"""Which tests depend on time. tests/unit/test_dates.py refuses a test of the time that is in neither list."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

# Crowd, quota, uploads, retention, leases: files of tests/, and folders, whose files that speak of time run.
ON_OTHER_DAYS = [
    "integration/accounts",
    "integration/crowd",
    "integration/desk",
    "integration/api/test_challenges.py",
    "integration/evaluation/test_anonymous.py",
    "integration/evaluation/test_before_it_costs.py",
    "integration/evaluation/test_challenges.py",
    "integration/evaluation/archives/test_contents.py",
    "integration/evaluation/archives/test_leaks.py",
    "integration/evaluation/test_problem_files.py",
    "integration/evaluation/test_published_scores.py",
    "integration/evaluation/test_quota.py",
    "integration/evaluation/test_files.py",
    "integration/evaluation/test_normalised.py",
    "integration/evaluation/test_reading.py",
    "integration/evaluation/test_retirement.py",
    "integration/evaluation/test_check_queue.py",
    "integration/evaluation/test_upload_page.py",
    "integration/evaluation/test_uploads.py",
    "integration/hits",
    "integration/kbpo/test_mine.py",
    "integration/kbpo/core/test_keeping_in_s3.py",
    "integration/kbpo/core/test_outbox.py",
    "integration/kbpo/core/test_probes.py",
    "integration/kbpo/core/test_requests.py",
    "integration/kbpo/core/test_troubles.py",
    "integration/marketplace",
    "integration/people",
    "integration/webhooks",
    "integration/test_annotating.py",
    "integration/test_annotating_documents.py",
    "integration/test_evaluation.py",
    "integration/test_files.py",
    "integration/test_lifecycle.py",
    "integration/test_queue.py",
    "integration/test_wrong_clock.py",
    "unit/crowd",
    "unit/evaluation/submissions/test_progress.py",
    "unit/evaluation/submissions/test_texts_make_room.py",
    "unit/evaluation/submissions/test_check_queue.py",
    "unit/kbpo",
    "unit/marketplace",
]

# They write down when something was, or wait for something, and compare no time.
ON_ANY_DAY = [
    "integration/annotations/test_challenges.py",
    "integration/annotations/test_data.py",
    "integration/any_request/test_anonymous.py",
    "integration/any_request/test_budgets.py",
    "integration/any_request/test_described.py",
    "integration/any_request/test_requester_api.py",
    "integration/any_request/test_scopes.py",
    "integration/api/conftest.py",
    "integration/api/test_resources.py",
    "integration/api/test_sealed.py",
    "integration/evaluation/test_archived_classes.py",
    "integration/evaluation/test_attachments.py",
    "integration/evaluation/test_audits.py",
    "integration/evaluation/test_board.py",
    "integration/evaluation/test_compare.py",
    "integration/evaluation/test_document_votes.py",
    "integration/evaluation/test_entities.py",
    "integration/evaluation/test_entity_relations.py",
    "integration/evaluation/test_generation_way.py",
    "integration/evaluation/test_outputs.py",
    "integration/evaluation/test_pages.py",
    "integration/evaluation/test_sealed_documents.py",
    "integration/evaluation/test_team_pages.py",
    "integration/kbpo_client/test_live.py",
    "integration/kbpo_client/test_released_live.py",
    "integration/kbpo_client/test_way_in.py",
    "integration/kbpo/core/test_compiled.py",
    "integration/kbpo/core/test_limits.py",
    "integration/kbpo/core/test_nudge.py",
    "integration/test_backups.py",
    "integration/test_documents_settled_again.py",
    "integration/test_embedded.py",
    "integration/test_makefile.py",
    "integration/test_unknown_task.py",
    "integration/test_tampering.py",
    "integration/test_waiting.py",
    "integration/test_whole_documents.py",
    "unit/annotations/challenges/test_calendar.py",
    "unit/evaluation/reading/test_isolated.py",
    "unit/evaluation/scoring/test_listing.py",
    "unit/evaluation/scoring/test_timeline.py",
    "unit/evaluation/submissions/test_places.py",
    "unit/kbpo_client/conftest.py",
    "unit/kbpo_client/test_uploads.py",
    "unit/test_dates.py",
]

# What depends on the time only through the code that it calls is not seen by this, and is listed by hand.
_TIME = re.compile(
    r"\b(datetime|timezone|timedelta|clock|utime|st_mtime|time\.time|from time import|localtime|localdate)\b",
    re.ASCII,
)


def speaks_of_time(path: Path) -> bool:
    """Whether a test file has one of the words with which times are made or compared."""
    return _TIME.search(path.read_text(encoding="utf-8")) is not None


def unlisted() -> Iterator[str]:
    """Yield the test files that speak of time and are in neither list."""
    tests = ROOT / "tests"
    listed = [tests / name for name in (*ON_OTHER_DAYS, *ON_ANY_DAY)]
    for folder in ("unit", "integration"):
        for path in sorted((tests / folder).rglob("test_*.py")):
            if not any(path.is_relative_to(one) for one in listed) and speaks_of_time(path):
                yield str(path.relative_to(tests))


def paths() -> list[Path]:
    """Return the test files that run on other days."""
    found = []
    for path in (ROOT / "tests" / name for name in ON_OTHER_DAYS):
        found += [path] if path.is_file() else filter(speaks_of_time, sorted(path.rglob("test_*.py")))
    return found
