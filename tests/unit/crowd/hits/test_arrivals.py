import pytest
from django.conf import LazySettings

from crowd.hits.arrivals import Arrival, read_arrival
from kbpo.core.errors import InvalidInput

SITE = "https://kbpo.example.org"
GIVEN = {"assignmentId": "3A", "hitId": "3H", "workerId": "W1", "turkSubmitTo": f"{SITE}/work/submit/a:b"}


@pytest.fixture(autouse=True)
def site(settings: LazySettings) -> None:
    settings.SITE_URL = SITE


def test_a_worker_comes_with_names_and_a_place_for_the_answer() -> None:
    assert read_arrival(GIVEN, "marketplace") == Arrival(
        provider="marketplace",
        assignment_id="3A",
        worker_id="W1",
        submit_to=f"{SITE}/work/submit/a:b/mturk/externalSubmit",
        hit_id="3H",
    )


@pytest.mark.parametrize("given", [{}, {"assignmentId": ""}, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}])
def test_without_an_assignment_it_is_a_preview(given: dict[str, str]) -> None:
    assert read_arrival(given, "mturk").is_preview


def test_amazons_own_address_is_taken(settings: LazySettings) -> None:
    settings.MTURK_ENDPOINT_URL = "https://mturk-requester-sandbox.us-east-1.amazonaws.com"
    given = GIVEN | {"turkSubmitTo": "https://workersandbox.mturk.com"}
    expected = "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert read_arrival(given, "mturk").submit_to == expected


def test_the_marketplaces_address_is_no_address_of_mturks(settings: LazySettings) -> None:
    settings.MTURK_ENDPOINT_URL = "https://mturk-requester.us-east-1.amazonaws.com"
    with pytest.raises(InvalidInput, match="turkSubmitTo"):
        read_arrival(GIVEN, "mturk")


def test_prolifics_worker_comes_with_other_names_and_no_place() -> None:
    given = {"PROLIFIC_PID": "5f", "STUDY_ID": "60", "SESSION_ID": "7a"}
    assert read_arrival(given, "prolific") == Arrival(
        provider="prolific", assignment_id="7a", worker_id="5f", study_id="60"
    )
    assert read_arrival({}, "prolific").is_preview


@pytest.mark.parametrize("missing", ["PROLIFIC_PID", "SESSION_ID", "STUDY_ID"])
def test_prolifics_worker_needs_all_names(missing: str) -> None:
    given = {"PROLIFIC_PID": "5f", "STUDY_ID": "60", "SESSION_ID": "7a"}
    with pytest.raises(InvalidInput, match=missing):
        read_arrival({name: value for name, value in given.items() if name != missing}, "prolific")
