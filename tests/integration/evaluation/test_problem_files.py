"""Files of all problems: as many rows as the page counts, where rows of the database have the first alone."""

import csv
import io
import json
import threading
from collections import Counter
from datetime import timedelta

import httpx2
import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.utils import timezone

from evaluation.kbp.task import TASK as KBP
from evaluation.models import ProblemFile, Upload
from evaluation.reading import recording
from evaluation.submissions import checks, files, lifecycle, problem_files, quotes, submitting, uploads
from kbpo import pipeline
from kbpo.core.database.locks import brief_transaction
from kbpo.core.errors import TryAgain
from kbpo.core.storage import store
from kbpo.pages import corpora as desk
from kbpo.pages import takedowns
from kbpo_client.connection import Connection
from kbpo_formats import problems
from tests.factories import DocumentFactory, UserFactory, give
from tests.integration.evaluation.test_files import BAD, GOOD, text

pytestmark = pytest.mark.django_db
in_transactions = pytest.mark.django_db(transaction=True)  # files go when these are over
NOTED = 1_188  # lines of one code, more than are listed
MANY = GOOD + "".join(f":E{3 + n}\ttype\tROBOT\n" for n in range(NOTED))
DIFFERING = ':E1\tmention\t"Her"\tDOC:35-37\n:E2\tmention\t"Haven"\tDOC2:22-32\n'
QUOTING = MANY + DIFFERING


@pytest.fixture(autouse=True)
def home(settings, tmp_path, cast):
    settings.KBPO_HOME = tmp_path
    DocumentFactory(corpus=cast.corpus, doc_id="DOC", sentences=True)
    return tmp_path


@pytest.fixture
def submit_file(cast):
    """Submit a file and have it read."""

    def act(content=MANY):
        submission = submitting.upload(
            task=KBP,
            user=cast.member,
            team=cast.member.teams.get(),
            corpus=cast.corpus,
            name="Finder",
            file=ContentFile(content.encode()),
            format="tac2016",
        )
        pipeline.validate_submissions()
        submission.refresh_from_db()
        return submission

    return act


@pytest.fixture
def check(cast):
    """Have a file checked."""

    def act(content=MANY):
        upload = uploads.keep(user=cast.member, file=ContentFile(content.encode(), name="finder.kb"))
        found = checks.start(task=KBP, upload=upload, corpus=cast.corpus, format="tac2016")
        pipeline.read_checks()
        found.refresh_from_db()
        return found

    return act


@pytest.fixture(params=["submission", "check"])
def many(request, submit_file, check):
    """A file of which more problems have one code than are listed, submitted or checked."""
    return (submit_file if request.param == "submission" else check)()


@pytest.fixture
def member(cast, client):
    client.force_login(cast.member)
    return client


def kept():
    return [one.place for one in store().listed("home/problems")]


def rows_of(client, file, query=""):
    return json.loads(text(client.get(f"{file.get_absolute_url()}problems.json{query}")))


def missing(rows):
    """Return how many of each code the last rows say are not there."""
    said = [one for one in rows if one["line"] is None]
    assert rows[len(rows) - len(said) :] == said
    assert all("more of this code are counted and not listed here" in one["message"] for one in said)
    return {one["code"]: int(one["message"].split()[0].replace(",", "")) for one in said}


def test_the_files_have_as_many_rows_as_the_page_counts(many, member):
    page = member.get(f"{many.get_absolute_url()}problems/")
    rows = rows_of(member, many)
    assert many.problems.count() < page.context["total"] == len(rows) > NOTED
    assert Counter(one["code"] for one in rows) == many.counts["problems"]
    table = list(csv.DictReader(io.StringIO(text(member.get(f"{many.get_absolute_url()}problems.csv")))))
    assert [(int(one["line"]), one["message"]) for one in table] == [
        (one["line"], one["message"]) for one in rows
    ]
    assert [one["line"] for one in rows] == sorted(one["line"] for one in rows)
    assert f"All {len(rows):,} are in the files" in " ".join(page.content.decode().split())


def test_the_files_begin_as_the_list_does(many, member):
    fields = ("line", "column", "code", "severity", "message", "text", "attachment")
    rows = [tuple(one[field] for field in fields) for one in rows_of(member, many)]
    assert set(many.problems.values_list(*fields)) < set(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["?code=ILLEGAL_ENTITY_TYPE", "?severity=ERROR", "?severity=WARNING", "?code=NONE"]
)
def test_what_is_filtered_has_as_many_rows_as_the_page_counts(many, member, query):
    page = member.get(f"{many.get_absolute_url()}problems/{query}")
    assert len(rows_of(member, many, query)) == page.context["shown"]


def test_the_api_gives_every_problem(many, member):
    address = f"/api/v1{many.get_absolute_url()}problems/all/"
    whole = text(member.get(address))
    assert json.loads(whole) == {"results": rows_of(member, many), "next": None}
    server = httpx2.MockTransport(lambda _: httpx2.Response(200, text=whole))
    assert list(Connection("http://localhost", transport=server).rows("")) == json.loads(whole)["results"]
    errors = json.loads(text(member.get(f"{address}?severity=ERROR")))["results"]
    assert errors == rows_of(member, many, "?severity=ERROR") != []


def test_the_api_says_that_nothing_has_changed_until_something_has(submit_file, member, cast):
    submission = submit_file()
    address = f"/api/v1/submissions/{submission.pk}/problems/all/"
    known = {"If-None-Match": member.get(address).headers["ETag"]}
    assert member.get(address, headers=known).status_code == 304
    assert member.get(f"{address}?severity=ERROR", headers=known).status_code == 200
    lifecycle.delete_file(submission=submission, user=cast.member)
    assert member.get(address, headers=known).status_code == 200


def test_a_file_whose_problems_are_all_listed_has_no_file_of_them(submit_file, check):
    for bad in (check(BAD), submit_file(BAD)):
        assert bad.problems.exists()
    assert (kept(), ProblemFile.objects.exists()) == ([], False)


def test_what_was_read_before_there_were_such_files_says_what_is_missing(many, member):
    for one in ProblemFile.objects.all():
        store().delete(one.place)
        one.delete()
    page = " ".join(member.get(f"{many.get_absolute_url()}problems/").content.decode().split())
    assert "188 of 1,188 ILLEGAL_ENTITY_TYPE are not; 188 of 1,188 NO_MENTIONS are not" in page
    assert missing(rows_of(member, many)) == {"ILLEGAL_ENTITY_TYPE": 188, "NO_MENTIONS": 188}


@pytest.mark.slow
def test_a_file_that_was_lost_says_what_is_missing(many, member):
    store().delete(ProblemFile.objects.get().place)
    assert "188 of 1,188" in member.get(f"{many.get_absolute_url()}problems/").content.decode()
    assert missing(rows_of(member, many)) == {"ILLEGAL_ENTITY_TYPE": 188, "NO_MENTIONS": 188}


def test_what_is_beyond_the_bound_is_said_in_the_last_row_and_on_the_page(many, member):
    content = io.BytesIO()
    recorder = recording.ProblemRecorder()
    for row in rows_of(member, many)[:-100]:
        recorder.add(problems.Problem(**row))
    recorder.write(content)
    content.seek(0)
    made = ProblemFile.objects.get()
    store().put(made.place, content)
    ProblemFile.objects.update(count=recorder.count)
    rows = rows_of(member, many)
    assert missing(rows) == {"ILLEGAL_ENTITY_TYPE": 50, "NO_MENTIONS": 50}
    assert len(rows) == recorder.count + 2
    page = " ".join(member.get(f"{many.get_absolute_url()}problems/").content.decode().split())
    assert f"have {recorder.count:,} of the {recorder.count + 100:,} in all, the most that is kept" in page


class Killed(BaseException):
    """What a kill is like for what runs: nothing after it is done."""


def killed(*_, **__):
    raise Killed


@pytest.mark.parametrize("start", ["submit_file", "check"])
def test_an_error_before_its_row_leaves_no_file(request, monkeypatch, start):
    there = []

    def fail(*_, **__):
        there.extend(kept())
        raise Killed

    monkeypatch.setattr(problem_files, "attach", fail)
    with pytest.raises(Killed):
        request.getfixturevalue(start)()
    assert len(there) == 1
    assert kept() == []


@pytest.mark.slow
def test_a_worker_killed_before_its_row_leaves_a_file_for_the_trash(submit_file, monkeypatch, member):
    with monkeypatch.context() as patched:
        patched.setattr(problem_files, "attach", killed)
        patched.setattr(problem_files, "let_go", killed)
        with pytest.raises(Killed):
            submit_file()
    (left,) = kept()
    assert pipeline.validate_submissions() == 1
    made = ProblemFile.objects.get()
    assert sorted(kept()) == sorted([left, made.place])
    assert set(kept()) & set(files.named()) == {made.place}  # the trash takes what no row names
    assert len(rows_of(member, made.submission)) == made.count


@pytest.mark.slow
def test_read_twice_it_is_the_same_bytes(submit_file, check):
    submit_file(), check()
    assert len({store().open(place).read() for place in kept()}) == 1


@pytest.fixture
def meanwhile(monkeypatch):
    """Have something happen once, after a file is read and before what was found is stored."""

    def set_up(act):
        read_file = submitting.read_file

        def read(**options):
            found = read_file(**options)
            act()
            return found

        for module in (submitting, checks):
            monkeypatch.setattr(module, "read_file", read)

    return set_up


def test_cancelled_while_it_is_read_nothing_stays(submit_file, meanwhile, cast):
    meanwhile(lambda: lifecycle.cancel(submission=cast.corpus.submissions.get(), user=cast.member))
    submit_file()
    assert (kept(), ProblemFile.objects.exists()) == ([], False)


@in_transactions
def test_it_goes_with_the_file_that_it_is_about(submit_file, check, cast):
    submission, checked = submit_file(), check()
    assert len(kept()) == 2
    lifecycle.delete_file(submission=submission, user=cast.member)
    assert kept() == [checked.problem_file.place]
    Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    pipeline.remove_expired()
    assert kept() == []


@in_transactions
def test_it_goes_when_its_file_is_checked_again_or_a_text_is_removed(submit_file, check, cast):
    first = check()
    checks.start(task=KBP, upload=first.upload, corpus=cast.corpus, format="tac2016")
    assert kept() == []
    submit_file()
    problem_files.discard_all(corpus=cast.corpus)
    assert kept() == []


@pytest.fixture
def organiser(cast):
    return give(UserFactory.create(), cast.corpus, "organiser")


@pytest.fixture
def remove(cast, organiser):
    """Take the text of DOC down."""

    def act():
        document = cast.corpus.documents.get(doc_id="DOC")
        takedowns.take_down(document=document, reason="it is asked", by=organiser, now=timezone.now())

    return act


@pytest.fixture
def close(cast, organiser):
    """Close the texts of the corpus."""
    return lambda: desk.change_details(corpus=cast.corpus, by=organiser, details={"texts": "operators"})


@pytest.fixture(params=["submit_file", "check"])
def read_quoting(request, cast):
    """Have a file read of which problems quote two documents, DOC and DOC2."""
    DocumentFactory(corpus=cast.corpus, doc_id="DOC2", sentences=True)
    return lambda: request.getfixturevalue(request.param)(QUOTING)


def told(file):
    return [(one.message, one.text) for one in file.problems.filter(code="MENTION_TEXT_DIFFERS")]


def test_what_problems_quote_of_a_removed_text_goes(read_quoting, remove):
    file = read_quoting()
    (first, _), kept_one = told(file)
    assert "'She' at DOC:35-37" in first
    remove()
    assert told(file) == [(quotes.REMOVED, ""), kept_one]
    assert "'Port Hallow' at DOC2:22-32" in kept_one[0]
    assert not ProblemFile.objects.exists()


def test_what_problems_quote_goes_when_texts_are_closed(read_quoting, close):
    file = read_quoting()
    close()
    assert told(file) == [(quotes.REMOVED, "")] * 2
    assert not ProblemFile.objects.exists()
    assert file.problems.exclude(text="").exists()


def test_other_changes_of_a_corpus_leave_its_quotes(submit_file, cast, organiser):
    file = submit_file(QUOTING)
    desk.change_details(corpus=cast.corpus, by=organiser, details={"texts": "public", "name": "Other"})
    assert "'She' at DOC:35-37" in told(file)[0][0]
    assert ProblemFile.objects.exists()


def test_a_text_that_is_removed_while_a_file_is_read_is_not_quoted(read_quoting, meanwhile, remove):
    meanwhile(remove)
    file = read_quoting()
    assert told(file) == [(quotes.REMOVED, "")] * 2
    assert (kept(), ProblemFile.objects.exists()) == ([], False)
    assert file.counts["problems"]["MENTION_TEXT_DIFFERS"] == 2


def test_texts_that_are_closed_while_a_file_is_read_are_not_quoted(read_quoting, meanwhile, close):
    meanwhile(close)
    assert told(read_quoting()) == [(quotes.REMOVED, "")] * 2


def test_the_api_tells_anew_what_lost_its_quotes(submit_file, member, remove):
    few = GOOD + DIFFERING.replace("DOC2", "DOC")
    address = f"/api/v1/submissions/{submit_file(few).pk}/problems/all/"
    known = {"If-None-Match": member.get(address).headers["ETag"]}
    remove()
    assert "She" not in text(member.get(address, headers=known))


@pytest.mark.slow
@in_transactions
def test_a_removal_waits_for_what_is_being_stored(cast):
    since = quotes.texts_of(cast.corpus)
    with transaction.atomic():
        assert quotes.may_stay(corpus=cast.corpus, since=since)
        waited = []

        def remove():
            try:
                with pytest.raises(TryAgain), brief_transaction("Try again."):
                    quotes.remove(corpus=cast.corpus, codes=KBP.reader.codes)
                waited.append(True)
            finally:
                connection.close()

        other = threading.Thread(target=remove)
        other.start()
        other.join()
    assert waited == [True]
    quotes.remove(corpus=cast.corpus, codes=KBP.reader.codes)
