"""What the API tells and does: as the pages, to the same people."""

import base64
import json

import pytest
from django.test import Client
from django.utils import timezone

from annotations import takedowns
from annotations.models import ClassList, Corpus
from annotations.roles import Role
from evaluation.classification.task import TASK as CLASSIFICATION
from evaluation.models import ClassPrediction, Submission, Unit
from evaluation.submissions import submitting
from kbpo import pipeline
from kbpo.api.paging import write_cursor
from kbpo.core.errors import InvalidInput
from kbpo.pages import corpora as desk
from tests import factories as make
from tests.integration.api.conftest import Program, token
from tests.integration.conftest import Small

pytestmark = pytest.mark.django_db
TUS = {"Tus_Resumable": "1.0.0"}
State = Submission.State


def send(asks, content, name="system.kb"):
    """Upload a file in two pieces; return its id."""
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    made = asks("POST", "uploads/", Upload_Length=str(len(content)), Upload_Metadata=metadata, **TUS)
    address = made.headers["Location"].removeprefix("http://testserver/api/v1/")
    for piece, offset in ((content[:9], 0), (content[9:], 9)):
        headers = {"Upload_Offset": str(offset), "Content_Type": "application/offset+octet-stream", **TUS}
        assert asks("PATCH", address, piece, **headers).status_code == 204
    return address.split("/")[1]


@pytest.fixture
def team(user):
    return make.TeamFactory.create(members=[user], name="Our lab")


@pytest.fixture
def content(small: Small, corpus, tmp_path):
    claims = small.world.system(recall=0.7, precision=0.6, seed=0)
    return small.world.write_kb(tmp_path / "a.kb", claims).read_bytes()


def system(name, upload, **more):
    return {"corpus": "small", "team": "Our lab", "name": name, "upload": upload, **more}


def test_a_script_uploads_checks_submits_and_follows_a_system(user, team, content):
    asks = Program(token(user, "read", "submit"))
    upload = send(asks, content)
    check = asks("POST", "checks/", {"corpus": "small", "upload": upload})
    assert check.status_code == 201
    pipeline.advance()
    assert asks.get(f"checks/{check.json()['id']}/")["state"] == "accepted"
    made = asks("POST", "submissions/", system("baseline", upload))
    assert (made.status_code, made.json()["state"]) == (201, "uploaded")
    address = f"submissions/{made.json()['id']}/"
    pipeline.advance()
    stands = asks.get(address)
    assert (stands["state"], [one["state"] for one in stands["events"]]) == (
        "accepted",
        ["uploaded", "accepted"],
    )
    assert asks("POST", f"{address}file/").status_code == 202
    pipeline.normalise_files()
    assert asks("GET", f"{address}file/").headers["Content-Type"] == "application/gzip"
    assert asks("POST", f"{address}go-ahead/").json()["go_ahead"] is True
    pipeline.advance()
    assert asks.get(address)["state"] == "judging"
    assert asks.get("corpora/small/quotas/")["results"][0]["left"] == 3
    assert asks("POST", f"{address}cancel/").status_code == 409
    assert asks("POST", f"{address}withdraw/").json()["state"] == "withdrawn"


def test_the_same_bytes_are_not_submitted_twice_by_mistake(user, team, content):
    asks = Program(token(user))
    for name, again, status in (("one", False, 201), ("two", False, 409), ("two", True, 201)):
        body = system(name, send(asks, content), again=again)
        assert asks("POST", "submissions/", body).status_code == status


def test_a_request_that_is_sent_twice_at_once_is_submitted_once(user, team, content, monkeypatch):
    asks = Program(token(user))
    bodies = iter([system("one", send(asks, content)), system("two", send(asks, content))])
    answers = []

    locked = submitting.brief_transaction

    def intrude(busy):
        if (body := next(bodies, None)) is not None:  # the other request, whole, before this one's lock
            answers.append(asks("POST", "submissions/", body))
        return locked(busy)

    first = next(bodies)
    monkeypatch.setattr(submitting, "brief_transaction", intrude)
    answers.append(asks("POST", "submissions/", first))
    assert sorted(one.status_code for one in answers) == [201, 409]
    assert Submission.objects.count() == 1


def test_an_upload_that_was_submitted_is_not_submitted_again(user, team, content):
    asks = Program(token(user))
    body = system("one", send(asks, content))
    statuses = [asks("POST", "submissions/", {**body, "again": True}).status_code for _ in range(2)]
    assert statuses == [201, 400]


def test_a_file_with_faults_is_refused_with_its_problems(user, team, corpus):
    asks = Program(token(user))
    body = system("bad", send(asks, b"run\n:E1\ttype\tPER\n"))
    made = asks("POST", "submissions/", body).json()
    pipeline.advance()
    assert asks.get(f"submissions/{made['id']}/")["state"] == "refused"
    problems = asks.get(f"submissions/{made['id']}/problems/?severity=ERROR")["results"]
    assert problems
    assert {"line", "column", "code", "severity", "message", "text", "attachment"} == set(problems[0])


def test_nobody_hands_in_for_the_team_of_others(user, corpus, content):
    make.TeamFactory.create(name="Theirs")
    asks = Program(token(user))
    body = {**system("a", send(asks, content)), "team": "Theirs"}
    refused = asks("POST", "submissions/", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "team")


def test_scores_of_a_judged_system_are_told_in_full(user, small, submit, judge):
    submission = submit("one")
    pipeline.advance()
    judge()
    scores = Program().get(f"submissions/{submission.pk}/scores/")["scores"]
    assert {one["level"] for one in scores} == {80, 90, 95}
    some = Program().get(f"submissions/{submission.pk}/scores/?level=95&part=all")["scores"]
    assert {(one["level"], one["part"]) for one in some} == {(95, "all")}
    assert 0 < some[0]["measures"]["precision"]["estimate"] < 1


@pytest.fixture
def predicted():
    """A public system with three claims."""
    corpus = make.CorpusFactory.create(tag="news")
    submission = make.SubmissionFactory.create(corpus=corpus, state=State.SCORED)
    for number in range(3):
        document = make.DocumentFactory.create(corpus=corpus, doc_id=f"d{number}")
        make.PredictionFactory.create(
            submission=submission, instance=make.InstanceFactory.create(document=document)
        )
    return submission


def test_predictions_come_in_pages_with_what_is_published_of_them(predicted):
    page = Program().get(f"submissions/{predicted.pk}/predictions/?limit=2")
    rest = Program().get(page["next"].removeprefix("http://testserver/api/v1/"))
    rows = page["results"] + rest["results"]
    assert [row["doc_id"] for row in rows] == ["d0", "d1", "d2"]
    assert {row["verdict"]["outcome"] for row in rows} == {"sealed"}
    assert rows[0]["subject"]["canonical"]["start"] >= 0


def test_what_hidden_systems_claim_changes_neither_order_nor_cursors_of_predictions(db):
    corpus = make.CorpusFactory.create(tag="news")
    documents = [make.DocumentFactory.create(corpus=corpus, doc_id=f"d{number}") for number in range(3)]
    hidden = make.SubmissionFactory.create(corpus=corpus, is_public=False)
    shared = make.InstanceFactory.create(document=documents[2])
    make.PredictionFactory.create(submission=hidden, instance=shared)
    submission = make.SubmissionFactory.create(corpus=corpus, state=State.SCORED)
    make.PredictionFactory.create(submission=submission, instance=shared, line=3)
    for line in (2, 1):
        instance = make.InstanceFactory.create(document=documents[line - 1])
        make.PredictionFactory.create(submission=submission, instance=instance, line=line)
    page = Program().get(f"submissions/{submission.pk}/predictions/?limit=2")
    rest = Program().get(page["next"].removeprefix("http://testserver/api/v1/"))
    assert [row["doc_id"] for row in page["results"] + rest["results"]] == ["d0", "d1", "d2"]
    assert page["next"].endswith(f"cursor={write_cursor(2)}")


def test_a_page_of_predictions_asks_the_database_as_often_whatever_its_length(
    predicted, django_assert_max_num_queries
):
    with django_assert_max_num_queries(14):
        Program().get(f"submissions/{predicted.pk}/predictions/")


def test_predictions_of_one_document_or_relation_are_found(predicted):
    address = f"submissions/{predicted.pk}/predictions/"
    assert [row["doc_id"] for row in Program().get(f"{address}?doc_id=d1")["results"]] == ["d1"]
    predicate = Program().get(address)["results"][0]["predicate"]
    assert len(Program().get(f"{address}?label={predicate}")["results"]) == 3
    assert Program()("GET", f"{address}?label=none").status_code == 400


def test_the_classes_that_a_system_gives_are_its_predictions(db):
    classes = ClassList.objects.create(
        name="letters", version=1, digest="", cannot_tell=True, classes=[["good", "Well."], ["bad", "Not."]]
    )
    corpus = make.CorpusFactory.create(task=CLASSIFICATION.name, classes=classes)
    submission = make.SubmissionFactory.create(corpus=corpus, state=State.SCORED)
    document = make.DocumentFactory.create(corpus=corpus)
    ClassPrediction.objects.create(
        submission=submission,
        unit=Unit.objects.create(corpus=corpus, key=document.doc_id),
        document=document,
        label="good",
        confidence=1,
        probability=1,
        line=1,
    )
    [row] = Program().get(f"submissions/{submission.pk}/predictions/")["results"]
    assert (row["doc_id"], row["label"], row["published"]) == (document.doc_id, "good", None)
    assert Program().get("class-lists/letters/1/")["classes"][0] == {"name": "good", "guideline": "Well."}


HIDDEN = ["", "problems/", "file/", "predictions/", "scores/"]


@pytest.mark.parametrize("part", HIDDEN)
def test_a_hidden_submission_is_not_there_for_strangers(user, part):
    hidden = make.SubmissionFactory.create(is_public=False, state=State.SCORED)
    for asks in (Program(), Program(token(user))):
        assert asks("GET", f"submissions/{hidden.pk}/{part}").status_code in (401, 404)
    assert Program(token(user, name="b")).get("submissions/")["results"] == []


def test_what_is_a_teams_to_know_is_not_told_to_visitors(user, team):
    shown = make.SubmissionFactory.create(team=team, state=State.SCORED)
    make.ProblemFactory.create(submission=shown)
    address = f"submissions/{shown.pk}/"
    others, own = Program().get(address), Program(token(user)).get(address)
    assert (others["digest"], others["problems"], others["normalised"]) == ("", [], "")
    assert (own["digest"], len(own["problems"])) == (shown.digest, 1)


def test_only_its_team_sees_how_far_judging_is_and_only_meanwhile(user, team):
    submission = make.SubmissionFactory.create(team=team, state=State.JUDGING)
    make.SampleBatchFactory.create(submission=submission)
    address, own = f"submissions/{submission.pk}/", Program(token(user))
    assert own.get(address)["progress"] is not None
    assert Program().get(address)["progress"] is None
    Submission.objects.update(state=State.SCORED)
    assert own.get(address)["progress"] is None


def test_an_open_epoch_keeps_its_secret_and_its_labels(db):
    corpus = make.CorpusFactory.create(tag="news")
    epoch = make.EpochFactory.create(corpus=corpus)
    label = make.LabelFactory.create()
    batch = make.SampleBatchFactory.create(epoch=epoch)
    batch.questions.add(label.question)
    found = Program()("GET", "corpora/news/epochs/")
    assert epoch.secret not in found.content.decode()
    assert found.json()["results"][0]["sample"] is None
    assert Program()("GET", f"corpora/news/epochs/{epoch.number}/labels/").status_code == 403


def test_a_released_epochs_labels_come_in_pages(small, submit, judge):
    submit("one")
    pipeline.advance()
    judge()
    operator = make.UserFactory.create(operator=True)
    made = Program(token(operator))("POST", "corpora/small/epochs/1/release/", {})
    assert (made.status_code, bool(made.json()["secret"])) == (200, True)
    address, labels = "corpora/small/epochs/1/labels/?limit=7", []
    while address:
        page = Program().get(address)
        labels += page["results"]
        address = page["next"] and page["next"].removeprefix("http://testserver/api/v1/")
    file = b"".join(Client().get("/corpora/small/epochs/1/labels.jsonl").streaming_content)
    assert labels == [json.loads(line) for line in file.splitlines()]


def test_an_organiser_changes_a_corpus_with_a_token_that_may_organise(user):
    corpus = make.CorpusFactory.create(tag="news", description="Old.")
    make.give(user, corpus, Role.ORGANISER)
    body = {"name": "News of today"}
    assert Program(token(user, "submit", name="a"))("PATCH", "corpora/news/", body).status_code == 403
    changed = Program(token(user, "organise", name="b"))("PATCH", "corpora/news/", body)
    assert (changed.json()["name"], changed.json()["description"]) == ("News of today", "Old.")
    stranger = make.UserFactory.create()
    assert Program(token(stranger))("PATCH", "corpora/news/", body).status_code == 403


def test_a_change_of_a_corpus_leaves_what_others_changed_meanwhile(user):
    read = make.CorpusFactory.create(tag="news", opens_at=None)
    make.give(user, read, Role.ORGANISER)
    at = timezone.now()
    Corpus.objects.update(description="Of another.", opens_at=at)
    desk.change_details(corpus=read, by=user, details={"name": "Today"})
    found = Corpus.objects.get()
    assert (found.name, found.description, found.opens_at) == ("Today", "Of another.", at)
    with pytest.raises(InvalidInput, match="close after it opens"):
        desk.change_details(corpus=read, by=user, details={"closes_at": at})


def test_an_organiser_reads_closed_texts_with_a_token_that_may_organise(user):
    corpus = make.CorpusFactory.create(tag="news", texts="operators")
    address = f"corpora/news/documents/{make.DocumentFactory.create(corpus=corpus).doc_id}/"
    make.give(user, corpus, Role.ORGANISER)
    reads, organises = (
        Program(token(user, *scopes, name=scopes[-1])) for scopes in (("read",), ("read", "organise"))
    )
    assert [asks("GET", address).status_code for asks in (reads, organises)] == [403, 200]
    assert [len(asks.get("me/")["roles"]) for asks in (reads, organises)] == [0, 1]


def test_a_removed_documents_text_is_gone(db):
    document = make.DocumentFactory.create(corpus=make.CorpusFactory.create(tag="news"), doc_id="a/b")
    assert Program().get("corpora/news/documents/a/b/")["text"] == document.text
    operator = make.UserFactory.create(operator=True)
    takedowns.take_down(document=document, reason="asked", by=operator, now=timezone.now())
    assert Program()("GET", "corpora/news/documents/a/b/").status_code == 410
    assert Program().get("corpora/news/documents/")["results"][0]["is_removed"] is True


def test_an_ontology_says_its_types_relations_and_predicates(db):
    [first, *_] = Program().get("ontologies/")["results"]
    whole = Program().get(f"ontologies/{first['reference']}/")
    assert whole["types"]
    assert whole["relations"][0]["statement"]
    assert whole["predicates"]


def test_ones_own_teams_are_told_with_their_members(user, team):
    found = Program(token(user)).get("teams/")["results"]
    assert [(one["name"], one["members"][0]["id"]) for one in found] == [("Our lab", user.pk)]
    other = make.TeamFactory.create()
    assert Program(token(user, name="b"))("GET", f"teams/{other.pk}/").status_code == 404
