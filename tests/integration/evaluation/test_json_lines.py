"""A knowledge base as JSON Lines: checked, submitted, converted, and shown with its faults."""

import gzip
import io
import json
import re

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command

from evaluation.kbp.task import TASK as KBP
from evaluation.models import Instance, Prediction
from evaluation.registry import TASKS
from evaluation.submissions import checks, normalised, submitting, uploads
from evaluation.views import walk
from kbpo import pipeline
from kbpo.core.commands import Refused
from tests.factories import DocumentFactory
from tests.integration.evaluation.test_files import GOOD

pytestmark = pytest.mark.django_db
CLAIM = {
    "doc_id": "DOC",
    "predicate": "per:city_of_birth",
    "subject": {"start": 0, "end": 9, "type": "PER"},
    "object": {"start": 22, "end": 33, "type": "GPE"},
    "confidence": 0.8,
}
LINE = json.dumps(CLAIM) + "\n"


@pytest.fixture(autouse=True)
def home(settings, tmp_path, cast):
    settings.KBPO_HOME = tmp_path
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    return tmp_path


@pytest.fixture
def submit_file(cast):
    def act(content, name):
        submission = submitting.upload(
            task=KBP,
            user=cast.member,
            team=cast.member.teams.get(),
            corpus=cast.corpus,
            name=name,
            file=ContentFile(content),
        )
        pipeline.validate_submissions()
        submission.refresh_from_db()
        return submission

    return act


def check(cast, content):
    upload = uploads.keep(user=cast.member, file=ContentFile(content.encode(), name="finder.jsonl"))
    found = checks.start(task=KBP, upload=upload, corpus=cast.corpus, format="")
    pipeline.read_checks()
    found.refresh_from_db()
    return found


def test_claims_of_two_submissions_share_instances(submit_file, cast):
    names = [f"DOC{number:03}" for number in range(200)]
    for name in names:
        DocumentFactory(corpus=cast.corpus, doc_id=name, sentences=True)
    lines = [json.dumps({**CLAIM, "doc_id": name, "confidence": 0.5}) + "\n" for name in reversed(names)]
    known = set(Instance.objects.values_list("pk", flat=True))
    first = submit_file("".join(lines).encode(), "First")
    second = submit_file("".join(lines[:150]).encode(), "Second")
    for submission, expected in ((first, lines), (second, lines[:150])):
        stored = Prediction.objects.filter(submission=submission).order_by("line")
        found = stored.values_list("line", "instance__document__doc_id", "confidence")
        assert list(found) == [
            (place, json.loads(line)["doc_id"], 0.5) for place, line in enumerate(expected, start=1)
        ]
    assert Instance.objects.exclude(pk__in=known).count() == 200


@pytest.mark.parametrize("content", [LINE.encode(), gzip.compress(LINE.encode())], ids=["plain", "gzip"])
def test_a_file_is_recognised_and_read(submit_file, content):
    submission = submit_file(content, "Finder")
    assert (submission.format, submission.state) == ("jsonl", "accepted")
    assert submission.counts["instances"] == 1


def test_both_formats_claim_the_same_instance(submit_file):
    tac, lines = submit_file(GOOD.encode(), "Tabs"), submit_file(LINE.encode(), "Lines")
    assert (tac.format, lines.format) == ("tac2016", "jsonl")
    assert Instance.objects.count() == 1


def test_what_was_submitted_as_json_lines_is_written_anew_as_json_lines(cast, submit_file):
    submission = submit_file(LINE.encode(), "Finder")
    to = io.BytesIO()
    normalised.write(file=submission, task=KBP, to=to)
    assert [json.loads(line) for line in gzip.decompress(to.getvalue()).splitlines()] == [CLAIM]


def test_the_page_of_lines_marks_where_in_a_line_a_fault_is(cast, sign_in):
    found = check(cast, LINE.replace("GPE", "ORG"))
    page = sign_in(cast.member).get(f"{found.get_absolute_url()}lines/?line=1").content.decode()
    assert found.state == "refused"
    marked = re.search(r"<mark[^>]*>([^<]*)", page)
    assert marked is not None
    assert marked[1] == "&quot;ORG&quot;"


def test_a_fault_is_printed_with_its_column(cast, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text(LINE.replace("33", "33.0"))
    out = io.StringIO()
    with pytest.raises(Refused):
        call_command("validate_kb", path, corpus=cast.corpus.tag, format="jsonl", json=True, stdout=out)
    (problem,) = json.loads(out.getvalue())["problems"]
    assert (problem["code"], problem["line"]) == ("WRONG_OFFSET", 1)
    assert path.read_text()[problem["column"] - 1 :].startswith("33.0")


def test_a_file_is_converted_and_back(cast, tmp_path):
    lines, tac, again = (tmp_path / name for name in ("a.jsonl", "a.kb.gz", "b.jsonl"))
    lines.write_text(LINE)
    call_command("convert_kb", lines, corpus=cast.corpus.tag, out=tac)
    assert b"per:city_of_birth" in gzip.decompress(tac.read_bytes())
    call_command("convert_kb", tac, corpus=cast.corpus.tag, out=again)
    (claim,) = map(json.loads, again.read_text().splitlines())
    ends = [{key: claim[role][key] for key in ("start", "end", "type")} for role in ("subject", "object")]
    assert ends == [CLAIM["subject"], CLAIM["object"]]


def test_a_file_with_errors_is_not_converted(cast, tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text("{}")
    with pytest.raises(Refused, match="4 errors; validate_kb names each"):
        call_command("convert_kb", path, corpus=cast.corpus.tag)


def test_every_example_of_the_help_page_can_be_downloaded(client):
    page = client.get("/help/").content.decode()
    linked = set(re.findall(r'href="(/help/(?:examples|schemas)/[^"]+)"', page))
    assert {one.rpartition("/")[2] for one in linked} == {*walk.FILES, *(f"{name}.json" for name in TASKS)}
    for address in linked:
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize("address", ["/help/examples/none.kb", "/help/schemas/none.json"])
def test_what_is_no_example_is_not_found(client, address):
    assert client.get(address).status_code == 404
