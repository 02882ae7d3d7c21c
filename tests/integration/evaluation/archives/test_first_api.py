"""What the first KBP Online's API gave: `docs/data.md` says where it is, for what is released and retired."""

import re

import pytest

from annotations.models import AnnotatedMention, AnnotatedRelation, Document, Label
from evaluation.models import DocumentSample, Prediction, Submission
from tests.archives import released
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
TABLE = (
    (ROOT / "docs" / "data.md")
    .read_text(encoding="utf-8")
    .partition("## What the first KBP Online gave")[2]
    .partition("\n## ")[0]
)
ADDRESSES = re.findall(r"`((?:corpora|submissions)/[^`]*)`", TABLE)
CORPUS = "corpora/small/"


def get(client, address, status=200):
    answer = client.get(f"/api/v1/{address}")
    assert answer.status_code == status, (address, answer.content)
    return answer.json()


def every(client, address):
    """Return the results of every page."""
    page = get(client, address)
    found = page["results"]
    while page["next"]:
        page = client.get(page["next"]).json()
        found += page["results"]
    return found


def some_document():
    return DocumentSample.objects.get(number=1).documents.earliest("pk").document.doc_id


@pytest.mark.slow
def test_every_address_answers_with_something(judged, client):
    pk = Submission.objects.get(name="s0").pk
    claimed = Prediction.objects.filter(submission=pk, instance__document__sampled__isnull=False)
    doc_id = claimed.earliest(
        "pk"
    ).instance.document.doc_id  # annotated in full, and the system claims something
    released(1.0)
    assert len(ADDRESSES) == 9
    for address in ADDRESSES:
        asked = (
            address.replace("TAG", "small")
            .replace("snapshots/N.E/", "snapshots/1.1/")
            .replace("/N/", "/1/")
            .replace("ID", str(pk))
        )
        told = get(client, asked.replace("…", doc_id))
        listed = [value for value in told.values() if isinstance(value, list)]
        assert any(listed), address


def test_documents_are_there_with_their_texts(judged, client):
    told = every(client, f"{CORPUS}documents/")
    assert [one["doc_id"] for one in told] == list(Document.objects.values_list("doc_id", flat=True))
    doc_id = some_document()
    assert get(client, f"{CORPUS}documents/{doc_id}/")["text"] == Document.objects.get(doc_id=doc_id).text


def test_mentions_and_relations_of_evaluated_documents_are_there_once_retired(judged, client):
    assert every(client, f"{CORPUS}annotations/") == []
    assert every(client, f"{CORPUS}annotations/?doc_id={some_document()}") == []
    released(1.0)
    told = every(client, f"{CORPUS}annotations/")
    whole = [one for document in told for one in document["annotations"]]
    assert len(told) == DocumentSample.objects.get(number=1).documents.count()
    ids = [document["doc_id"] for document in told]
    mentions = AnnotatedMention.objects.filter(annotation__document__doc_id__in=ids)
    relations = AnnotatedRelation.objects.filter(annotation__document__doc_id__in=ids)
    assert sum(len(one["mentions"]) for one in whole) == mentions.count() > 0
    assert sum(len(one["relations"]) for one in whole) == relations.count() > 0


@pytest.mark.slow
def test_what_was_judged_is_there_once_the_epoch_is_released(judged, client):
    get(client, f"{CORPUS}epochs/1/labels/", status=403)
    pk = Submission.objects.get(name="s0").pk
    before = {one["verdict"]["outcome"] for one in every(client, f"submissions/{pk}/predictions/")}
    assert before == {"sealed"}
    released(None)
    told = every(client, f"{CORPUS}epochs/1/labels/")
    assert len(told) == Label.objects.filter(question__published_at__isnull=False).count() > 0
    assert {one["kind"] for one in told} == {"relation", "canonical"}
    listed = every(client, f"submissions/{pk}/predictions/")
    assert len(listed) == Prediction.objects.filter(submission=pk).count()
    assert {one["verdict"]["outcome"] for one in listed} == {"right", "wrong", "sealed"}
    document = next(one["doc_id"] for one in listed if one["verdict"]["outcome"] == "right")
    own = every(client, f"submissions/{pk}/predictions/?doc_id={document}")
    assert own == [one for one in listed if one["doc_id"] == document]


def test_of_hidden_and_withdrawn_systems_nothing_is_listed(judged, client):
    released(1.0)
    assert {one["name"] for one in every(client, "submissions/?corpus=small")} == {"s0", "s2"}
    for pk in Submission.objects.filter(name__in=("s1", "s3")).values_list("pk", flat=True):
        for what in ("", "predictions/", "scores/", "history/", "citation/"):
            get(client, f"submissions/{pk}/{what}", status=404)
