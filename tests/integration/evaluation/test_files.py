"""What was found in a file: its problems, its lines, what it claims. Checked or submitted."""

import csv
import gzip
import io
import json
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from evaluation.kbp.task import TASK as KBP
from evaluation.models import FileCheck, Submission, Upload
from evaluation.submissions import checks, problem_list
from kbpo import pipeline
from kbpo.core.storage.folder import path_of
from tests.factories import DocumentFactory, ProblemFactory

pytestmark = pytest.mark.django_db
EVERYBODY = ["visitor", "other team", "team", "annotator", "operator"]
SEEN_BY = {"team", "operator"}
GOOD = """\
run1
:E1\ttype\tPER
:E1\tcanonical_mention\t"Ada Quill"\tDOC:0-8
:E1\tmention\t"Ada Quill"\tDOC:0-8
:E2\ttype\tGPE
:E2\tcanonical_mention\t"Port Hallow"\tDOC:22-32
:E2\tmention\t"Port Hallow"\tDOC:22-32
:E1\tper:city_of_birth\t:E2\tDOC:0-33\t0.8
"""
BAD = GOOD.replace("city_of_birth", "likes").replace("DOC:22-32\n:E2\tmention", "DOC:900-910\n:E2\tmention")


@pytest.fixture(autouse=True)
def home(settings, tmp_path, cast):
    settings.KBPO_HOME = tmp_path
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    return tmp_path


@pytest.fixture
def submit_file(cast, sign_in):
    """Submit a file and have it read; what comes back is its submission."""

    def act(content=GOOD, **changes):
        form = {
            "corpus": cast.corpus.pk,
            "team": cast.member.teams.get().pk,
            "name": "Finder",
            "format": "tac2016",
            "file": SimpleUploadedFile("finder.kb", content.encode()),
        }
        sign_in(cast.member).post("/submissions/new/", form | changes)
        pipeline.validate_submissions()
        return Submission.objects.latest("pk")

    return act


@pytest.fixture
def check(cast, sign_in):
    """Have a file checked; what comes back is the check."""

    def act(content=GOOD):
        form = {
            "corpus": cast.corpus.pk,
            "format": "tac2016",
            "file": SimpleUploadedFile("finder.kb", content.encode()),
        }
        sign_in(cast.member).post("/check/", form)
        pipeline.read_checks()
        return FileCheck.objects.latest("created_at")

    return act


@pytest.fixture(params=["submission", "check"])
def bad(request, submit_file, check):
    """A refused file, submitted or checked."""
    return (submit_file if request.param == "submission" else check)(BAD)


@pytest.fixture(params=["submission", "check"])
def good(request, submit_file, check):
    """An accepted file, submitted or checked."""
    return (submit_file if request.param == "submission" else check)(GOOD)


@pytest.fixture
def write_anew(client):
    """Have an accepted file written anew, by whoever is signed in; what comes back is what was given."""

    def act(file):
        client.post(f"{file.get_absolute_url()}accepted.gz")
        pipeline.normalise_files()
        return file

    return act


def text(answer):
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode()


def test_a_file_with_faults_is_refused_in_words(bad, client):
    page = text(client.get(bad.get_absolute_url()))
    assert bad.state == "refused"
    assert "ILLEGAL_PREDICATE" in page
    assert "ILLEGAL_OFFSET_IN_DOC" in page


def test_each_problem_stands_with_its_line_and_column(bad, client):
    page = text(client.get(f"{bad.get_absolute_url()}problems/"))
    assert f'href="{bad.get_absolute_url()}lines/?line=8"' in page
    assert "column 2" in page
    assert "per:likes" in page


@pytest.mark.parametrize(
    ("query", "listed", "left_out"),
    [
        ("code=ILLEGAL_PREDICATE", "Line 8", "Line 6"),
        ("code=ILLEGAL_OFFSET_IN_DOC", "Line 6", "Line 8"),
        ("severity=ERROR", "Line 8", "no such line"),
    ],
)
def test_problems_are_filtered(bad, client, query, listed, left_out):
    page = text(client.get(f"{bad.get_absolute_url()}problems/?{query}"))
    assert f'aria-label="{listed}"' in page
    assert f'aria-label="{left_out}"' not in page


def test_an_unknown_code_lists_nothing_and_says_so(bad, client):
    assert "No problem is of this kind" in text(client.get(f"{bad.get_absolute_url()}problems/?code=NONE"))


def test_an_unknown_severity_is_refused_in_words(bad, client):
    answer = client.get(f"{bad.get_absolute_url()}problems/?severity=GRAVE")
    assert answer.status_code == 400
    assert "ERROR, WARNING" in text(answer)


def test_problems_come_as_a_table(bad, client):
    answer = client.get(f"{bad.get_absolute_url()}problems.csv?code=ILLEGAL_PREDICATE")
    rows = list(csv.DictReader(io.StringIO(text(answer))))
    assert [(row["line"], row["column"], row["severity"], row["text"]) for row in rows] == [
        ("8", "2", "ERROR", "per:likes")
    ]


def test_problems_come_as_json(bad, client):
    found = json.loads(text(client.get(f"{bad.get_absolute_url()}problems.json")))
    assert [row["line"] for row in found] == sorted(row["line"] for row in found)
    assert set(found[0]) == {"line", "column", "code", "severity", "message", "text", "attachment"}
    assert len(found) == bad.problems.count()


def test_no_problems_are_an_empty_list(cast, sign_in):
    submission = cast.submission()
    answer = sign_in(cast.member).get(f"/submissions/{submission.pk}/problems.json")
    assert json.loads(text(answer)) == []


def test_problems_that_are_only_counted_are_counted(cast, sign_in):
    submission = cast.submission(
        state="refused", counts={"errors": 5000, "problems": {"ILLEGAL_PREDICATE": 5000}}
    )
    ProblemFactory(submission=submission, code="ILLEGAL_PREDICATE")
    (found,) = problem_list.count_codes(submission, KBP.reader.codes)
    assert (found.count, found.listed, found.unlisted, found.severity) == (5000, 1, 4999, "ERROR")
    page = text(sign_in(cast.member).get(f"/submissions/{submission.pk}/problems/"))
    assert "4,999 of 5,000 ILLEGAL_PREDICATE are not" in page
    assert "kbpo validate --all" in page


@pytest.mark.parametrize("query", ["", "?code=NO_MENTIONS", "?severity=ERROR", "?severity=WARNING"])
def test_the_files_account_for_every_problem_that_the_page_counts(cast, sign_in, query):
    totals = {"ILLEGAL_PREDICATE": 2, "NO_MENTIONS": 1003}
    submission = cast.submission(state="refused", counts={"errors": 2, "problems": totals})
    for code, severity, listed in (("ILLEGAL_PREDICATE", "ERROR", 2), ("NO_MENTIONS", "WARNING", 3)):
        ProblemFactory.create_batch(listed, submission=submission, code=code, severity=severity)
    client = sign_in(cast.member)
    page = client.get(f"/submissions/{submission.pk}/problems/{query}")
    rows = json.loads(text(client.get(f"/submissions/{submission.pk}/problems.json{query}")))
    unlisted = [int(row["message"].split()[0].replace(",", "")) for row in rows if row["line"] is None]
    assert len(rows) - len(unlisted) + sum(unlisted) == page.context["shown"]
    csv = text(client.get(f"/submissions/{submission.pk}/problems.csv{query}"))
    assert csv.count("\r\n") == 1 + len(rows)


def test_a_line_stands_between_its_neighbours_with_its_problems(bad, client):
    page = text(client.get(f"{bad.get_absolute_url()}lines/?line=8"))
    assert "<mark>per:likes</mark>" in page
    assert ":E2" in page
    assert "ILLEGAL_PREDICATE" in page
    assert 'href="?line=6"' in page  # the problem before


@pytest.mark.parametrize(("line", "status"), [("0", 400), ("x", 400), ("99", 200), ("9" * 30, 400)])
def test_a_line_that_is_not_there_is_said_so(bad, client, line, status):
    answer = client.get(f"{bad.get_absolute_url()}lines/?line={line}")
    assert answer.status_code == status
    assert "no line" in text(answer)


def test_a_deleted_file_shows_no_lines_and_says_why(submit_file, client):
    submission = submit_file(BAD)
    client.post(f"/submissions/{submission.pk}/delete-file/")
    assert "The file was deleted" in text(client.get(f"/submissions/{submission.pk}/lines/?line=8"))
    assert "The file was deleted" in text(client.get(f"/submissions/{submission.pk}/problems/"))


def test_an_accepted_file_says_what_was_made_of_it(good, client):
    page = text(client.get(good.get_absolute_url()))
    assert "1 claim</strong>, of which a sample is judged" in page
    assert "1 PER" in page
    assert "per:city_of_birth" in page
    assert "per:place_of_birth" in page


def test_what_was_accepted_is_read_again_without_a_problem(good, check, client, write_anew):
    write_anew(good)
    answer = client.get(f"{good.get_absolute_url()}accepted.gz")
    written = gzip.decompress(b"".join(answer.streaming_content)).decode()
    again = check(written)
    assert again.state == "accepted"
    assert list(again.problems.values_list("code", flat=True)) == []
    assert again.counts["instances_by_predicate"] == {"per:place_of_birth": 1}


def test_a_refused_file_has_no_accepted_claims(bad, client):
    assert client.get(f"{bad.get_absolute_url()}accepted.gz").status_code == 409


PAGES = ["", "problems/", "problems.csv", "problems.json", "lines/?line=1", "accepted.gz"]


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_check_is_for_its_owner_and_operators(cast, sign_in, check, write_anew, who):
    address = write_anew(check()).get_absolute_url()
    sign_in(cast.member).logout()
    client = sign_in(cast.people[who])
    statuses = {client.get(address + page).status_code for page in PAGES}
    assert statuses == ({200} if who in SEEN_BY else {302} if who == "visitor" else {404})


@pytest.mark.parametrize("who", EVERYBODY)
def test_what_was_found_in_a_file_is_for_its_team_and_operators(cast, sign_in, submit_file, write_anew, who):
    submission = write_anew(submit_file())
    Submission.objects.filter(pk=submission.pk).update(state="judging", quota_taken_at=timezone.now())
    sign_in(cast.member).logout()
    client = sign_in(cast.people[who])
    statuses = {client.get(submission.get_absolute_url() + page).status_code for page in PAGES[1:]}
    assert statuses == ({200} if who in SEEN_BY else {302} if who == "visitor" else {404})


def test_a_check_leaves_no_submission(check):
    check()
    assert not Submission.objects.exists()


def test_a_check_says_the_same_as_an_upload(submit_file, check):
    fields = ("line", "column", "code", "severity", "message", "text")
    submission, checked = submit_file(BAD), check(BAD)
    assert list(checked.problems.values(*fields)) == list(submission.problems.values(*fields))
    assert checked.counts == submission.counts


def test_a_checked_file_is_submitted_without_sending_it_again(cast, check, client):
    checked = check()
    page = text(client.get(f"/submissions/new/?upload={checked.upload_id}"))
    assert "finder.kb" in page
    form = {
        "corpus": cast.corpus.pk,
        "team": cast.member.teams.get().pk,
        "name": "Finder",
        "format": "tac2016",
        "upload": str(checked.upload_id),
    }
    client.post("/submissions/new/", form)
    assert Submission.objects.get().file.read() == GOOD.encode()
    assert client.get(f"{checked.get_absolute_url()}lines/?line=1").status_code == 200  # it stays for its day


def test_a_check_is_gone_after_a_day_with_all_that_was_found(check):
    checked = check(BAD)
    path = path_of(checked.upload.place)
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    pipeline.remove_expired()
    assert not FileCheck.objects.exists()
    assert not problem_list.Problem.objects.exists()
    assert not path.exists()


def test_a_check_that_the_service_cannot_do_fails_in_words(cast, check, client, monkeypatch):
    def broken(**_):
        raise ZeroDivisionError

    monkeypatch.setattr(checks, "read_file", broken)
    checked = check()
    assert checked.state == "failed"
    assert "our fault" in text(client.get(checked.get_absolute_url()))


@pytest.mark.parametrize(("lost", "state"), [(checks.ATTEMPTS - 1, "accepted"), (checks.ATTEMPTS, "failed")])
def test_as_many_workers_may_die_of_a_check_and_no_more(check, lost, state):
    checked = check()
    FileCheck.objects.update(state="waiting", attempts=lost, read_at=None)
    pipeline.read_checks()
    checked.refresh_from_db()
    assert checked.state == state


@pytest.mark.parametrize("who", ["visitor", "annotator"])
def test_checking_takes_no_account_and_no_team(cast, sign_in, who):
    assert sign_in(cast.people[who]).get("/check/").status_code == 200


def test_a_gzip_file_is_looked_into_as_a_plain_one(cast, sign_in):
    submission = cast.submission(state="refused", file=ContentFile(gzip.compress(BAD.encode()), name="a.kb"))
    assert "per:likes" in text(sign_in(cast.member).get(f"/submissions/{submission.pk}/lines/?line=8"))
