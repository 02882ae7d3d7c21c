"""Trying the interfaces without an account."""

import json

import pytest
from django.contrib.sessions.models import Session

from crowd.interfaces.entities.trial import read_trial
from crowd.interfaces.registry import INTERFACES, find_teaching
from crowd.pages.registry import PAGES
from kbpo_formats.ontologies import builtin

pytestmark = pytest.mark.django_db


def right_answer() -> dict[str, object]:
    """Return what is right in the document, as the page sends it."""
    trial = read_trial()
    ids = {
        span: number for number, span in enumerate(dict.fromkeys(one.canonical for one in trial.mentions), 1)
    }
    types = {one.canonical: trial.ontology.find_type(one.type) for one in trial.mentions}
    return {
        "version": 1,
        "mentions": [
            {**one.span._asdict(), "type": one.type, "entity": ids[one.canonical]} for one in trial.mentions
        ],
        "entities": [
            {
                "id": number,
                "canonical": span._asdict(),
                "link": {"date": "1979-03-04"} if types[span].link == "date" else {"none": True},
            }
            for span, number in ids.items()
        ],
    }


@pytest.mark.parametrize("name", INTERFACES)
def test_everybody_may_try_each_interface(client, name):
    assert f"/try/{name}/" in client.get("/try/").content.decode()
    page = client.get(f"/try/{name}/")
    assert page.status_code == 200
    assert "nothing is stored" in page.content.decode()


def test_an_answer_is_told_what_it_would_have_been_taken_for_and_what_is_right(client):
    page = client.post("/try/relation/", {"practice": "0", "q0": "none"}).content.decode()
    assert "Not as in the example" in page
    assert "None of these" in page
    assert "you did not tick it" in page


def test_a_form_without_an_answer_comes_back(client):
    response = client.post("/try/relation/", {"practice": "0"})
    assert response.status_code == 400
    assert 'role="alert"' in response.content.decode()


@pytest.mark.parametrize("address", ["nothing/", "relation/?example=99", "relation/?example=x"])
def test_there_is_nothing_else_to_try(client, address):
    assert client.get(f"/try/{address}").status_code == 404


def test_a_document_that_is_marked_rightly_is_as_in_the_example(client):
    page = client.post("/try/entities/", {"answer": json.dumps(right_answer())}).content.decode()
    total = len(read_trial().mentions)
    assert f"{total} of {total} mentions as in the example" in page


def test_nothing_marked_is_all_of_it_missed(client):
    nothing = {"version": 1, "mentions": [], "entities": []}
    page = client.post("/try/entities/", {"answer": json.dumps(nothing)}).content.decode()
    total = len(read_trial().mentions)
    assert f"0 of {total} mentions as in the example" in page
    assert page.count("<td>nothing</td>") == total


@pytest.mark.parametrize("answer", ["", "[", "[]", '{"mentions": 3}', "[" * 9999])
def test_a_marking_that_makes_no_sense_is_refused_in_words(client, answer):
    response = client.post("/try/entities/", {"answer": answer})
    assert response.status_code == 400
    assert 'role="alert"' in response.content.decode()


def test_nothing_of_a_trial_is_stored(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/try/entities/")
        client.post("/try/entities/", {"answer": json.dumps(right_answer())})
        client.post("/try/relation/", {"practice": "0", "q0": "none"})
    assert not Session.objects.exists()


@pytest.mark.parametrize("name", PAGES)
def test_no_practice_question_of_a_tutorial_is_given_away(client, name):
    lesson = find_teaching(name).tutorial(builtin.read_builtin(builtin.DEFAULT))
    shown = "".join(
        client.get(f"/try/{name}/?example={n}").content.decode() for n in range(1, len(lesson.examples) + 1)
    )
    assert not [one for one in lesson.practice if one.text in shown]
