"""Who is let in: whom the provider has sent, and nobody else; everybody else sees and leaves nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from annotations.models import Question
from crowd.hits import tokens, verifying
from crowd.models import Assignment, Hit
from marketplace.protocol.arrivals import sign
from tests.arrivals import KEYS, arrival
from tests.factories import HitFactory, LabelFactory, QuestionFactory
from tests.integration.hits.conftest import SUBMIT_TO, address, answers_to, html_of, save, token_of

pytestmark = pytest.mark.django_db

Query = dict[str, str]


def at(hit: Hit, query: Query) -> str:
    return f"/hits/{hit.annotation}/?{urlencode(query)}"


def signed(hit: Hit, **given: Any) -> Query:
    return dict(parse_qsl(arrival(hit, SUBMIT_TO, **given)))


def unsigned(hit: Hit) -> Query:
    return {name: value for name, value in signed(hit).items() if name not in ("signature", "signedAt")}


def false(hit: Hit) -> dict[str, Query]:
    """Return arrivals that the marketplace has not made, or not for this page, or not now."""
    now, true = timezone.now(), signed(hit)
    other = HitFactory.create(batch=hit.batch)
    stranger = sign(unsigned(hit), secrets=["anothers"], now=now)
    return {
        "not signed": unsigned(hit),
        "a signature that is empty": {**true, "signature": ""},
        "a signature that is none": {**true, "signature": "é,\ud800".encode(errors="replace").decode()},
        "anothers key": stranger,
        "another worker": {**true, "workerId": "W2"},
        "another assignment": {**true, "assignmentId": "3B"},
        "another place for the answer": {**true, "turkSubmitTo": f"{SUBMIT_TO}2"},
        "another time": {**true, "signedAt": str(int(now.timestamp()) - 1)},
        "no time": {name: value for name, value in true.items() if name != "signedAt"},
        "another HIT": signed(other),
        "a HIT that is not ours": signed(hit, hitId="3ELSEWHERE"),
        "old": signed(hit, now=now - verifying.FRESH - timedelta(seconds=2)),
        "of tomorrow": signed(hit, now=now + timedelta(days=1)),
    }


def test_a_false_arrival_leaves_no_row_and_sees_no_task(browser: Client, hit: Hit) -> None:
    for what, query in false(hit).items():
        response = browser.get(at(hit, query))
        assert response.status_code == 403, what
        page = html_of(response)
        assert "Open the task again where you accepted it" in page, what
        assert "Quill Press" not in page, what
        whole = browser.get(at(hit, query).replace("?", "passages/1/?"))
        assert whole.status_code == 403, what
    assert not Assignment.objects.exists()
    hit.refresh_from_db()
    assert hit.page_seed is None


def test_a_signed_one_is_let_in_and_kept_as_such(browser: Client, hit: Hit) -> None:
    assert "Quill Press" in html_of(browser.get(address(hit)))
    assert Assignment.objects.get().verified_at is not None


def test_while_keys_are_replaced_either_signature_will_do(browser: Client, hit: Hit) -> None:
    both = sign(unsigned(hit), secrets=["the-new-secret", KEYS[1]], now=timezone.now())
    assert browser.get(at(hit, both)).status_code == 200


def test_without_keys_nobody_is_let_in(browser: Client, hit: Hit, settings: LazySettings) -> None:
    query = signed(hit)
    settings.MTURK_KEYS = None
    response = browser.get(at(hit, query))
    assert response.status_code == 503
    assert not Assignment.objects.exists()


def test_who_was_let_in_may_look_again_while_their_time_lasts(browser: Client, hit: Hit) -> None:
    begun = signed(hit, now=timezone.now() - timedelta(minutes=9))
    assert browser.get(at(hit, begun)).status_code == 200
    lasts = timedelta(seconds=hit.batch.duration_seconds) + verifying.LINGERS
    within, after = (timezone.now() - lasts + timedelta(seconds=off) for off in (60, -60))
    assert browser.get(at(hit, signed(hit, now=within))).status_code == 200
    assert browser.get(at(hit, signed(hit, now=after))).status_code == 403


def test_an_answer_is_taken_whatever_has_become_of_the_keys(
    browser: Client, hit: Hit, founded: Question, she_is_ada: Question, settings: LazySettings
) -> None:
    token = token_of(browser.get(address(hit)))
    url = address(hit)
    settings.MTURK_KEYS = ("AKIANEW", "the-new-secret")
    assert save(browser, hit, token, {"number": 1, "step": 0, "fields": {}}).status_code == 200
    assert browser.post(url, answers_to(founded, she_is_ada, token=token)).status_code == 200


def test_a_hit_whose_name_is_not_known_yet_takes_who_comes_for_it(browser: Client, hit: Hit) -> None:
    query = signed(hit)
    Hit.objects.filter(pk=hit.pk).update(provider_id=None, state="planned", posted_at=None)
    other = HitFactory.create(batch=hit.batch)
    assert browser.get(at(hit, signed(other))).status_code == 403
    assert browser.get(at(hit, query)).status_code == 200


@pytest.fixture
def elsewhere(hit: Hit, settings: LazySettings) -> Hit:
    """A HIT at another service with MTurk's API."""
    settings.MTURK_ENDPOINT_URL = "http://localhost:8000/api"
    settings.MTURK_IS_BUILT_IN = False
    hit.batch.provider = "mturk"
    hit.batch.save()
    gold = QuestionFactory.create(document__corpus=hit.batch.corpus, settled=True)
    LabelFactory.create(question=gold, posterior=0.999)
    return hit


def test_at_a_service_that_signs_nothing_nobody_is_let_in(browser: Client, elsewhere: Hit) -> None:
    assert browser.get(at(elsewhere, unsigned(elsewhere))).status_code == 403
    assert not Assignment.objects.exists()


def test_unless_that_is_allowed_and_then_there_is_no_gold(
    browser: Client, elsewhere: Hit, settings: LazySettings
) -> None:
    settings.MTURK_UNSIGNED_ARRIVALS = True
    for number in range(12):
        query = {**unsigned(elsewhere), "workerId": f"W{number}", "assignmentId": f"3{number}"}
        assert browser.get(at(elsewhere, query)).status_code == 200
    found = Assignment.objects.values_list("gold", "verified_at")
    assert list(found) == [(None, None)] * 12


def test_a_signature_is_checked_there_too_where_there_is_one(
    browser: Client, elsewhere: Hit, settings: LazySettings
) -> None:
    settings.MTURK_UNSIGNED_ARRIVALS = True
    query = signed(elsewhere)
    assert browser.get(at(elsewhere, {**query, "workerId": "W2"})).status_code == 403
    assert browser.get(at(elsewhere, query)).status_code == 200
    assert Assignment.objects.get().verified_at is not None


def test_a_token_is_no_way_in_for_another_address(browser: Client, hit: Hit) -> None:
    token_of(browser.get(address(hit)))
    token = tokens.issue(Assignment.objects.get())
    response = browser.get(at(hit, unsigned(hit)), headers={"authorization": f"Bearer {token}"})
    assert response.status_code == 403


def test_all_previews_of_such_work_are_the_same(browser: Client, hit: Hit) -> None:
    others = [HitFactory.create(batch=hit.batch, questions=[QuestionFactory.create()]) for _ in range(3)]
    browser.get(address(hit))  # accepted by somebody: its gold is drawn
    shown = {html_of(browser.get(address(one, assignmentId=""))) for one in (hit, *others)}
    assert len(shown) == 1


@pytest.mark.parametrize("number", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_invented_workers_learn_and_leave_nothing(
    browser: Client, hit: Hit, django_assert_max_num_queries: Callable[[int], Any], number: int
) -> None:
    LabelFactory.create(
        question=QuestionFactory.create(document__corpus=hit.batch.corpus, settled=True), posterior=0.999
    )
    stale = signed(hit)["signature"]
    shown = set()
    with django_assert_max_num_queries(2 * number):  # the HIT and the assignment, which is not there
        for one in range(number):
            query = {**unsigned(hit), "workerId": f"W{one}", "assignmentId": f"3{one}"}
            if one % 2:
                query |= {"signedAt": str(int(timezone.now().timestamp())), "signature": stale}
            response = browser.get(at(hit, query))
            shown.add((response.status_code, response.content))
    assert len(shown) == 1
    assert not Assignment.objects.exists()
    assert not hit.golds.exists()
