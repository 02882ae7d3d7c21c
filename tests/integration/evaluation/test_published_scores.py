"""A score that was cited keeps its numbers at its address, whatever happens afterwards."""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus
from evaluation.kbp.choices import CHOICES
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Edition,
    Epoch,
    Estimate,
    SampledUnit,
    Score,
    ScoreRecord,
    Submission,
)
from evaluation.scoring import audit, estimation, releasing
from evaluation.scoring.published import freezing, history, recording, timeline
from evaluation.submissions import anonymity, lifecycle
from evaluation.task import Task
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo.api.resources.snapshots import HistorySerializer
from kbpo.core.errors import Conflict
from kbpo.core.models import AuditEntry
from kbpo.core.storage import store
from kbpo_estimators import intervals
from tests.archives import leaderboard
from tests.factories import TeamFactory, UserFactory, give
from tests.integration.conftest import Small

pytestmark = pytest.mark.django_db
LIST, FIRST = "/corpora/small/snapshots/", "/corpora/small/snapshots/1.1/"
CSV, FILE = "/corpora/small/snapshots/1.1.csv", "/corpora/small/data/epoch-1-leaderboard-1.zip"


@pytest.fixture(scope="module")
def made(once: Callable[[Callable[[Path], None]], Path]) -> Path:
    """A scored system beside another team's."""

    def build(folder: Path) -> None:
        small = Small(folder)
        small.load()
        TeamFactory.create(name="Alpha", members=[UserFactory.create()])
        small.submit("one", seed=1)
        small.submit("two", team="Beta", seed=2)
        pipeline.advance()
        small.judge()

    return once(build)


@pytest.fixture
def small(made: Path, afresh: Callable[[Path], Path]) -> Small:
    return Small(afresh(made))


@pytest.fixture
def corpus(small: Small) -> Corpus:
    return Corpus.objects.get()


@pytest.fixture
def scored(small: Small) -> Submission:
    return Submission.objects.get(name="one")


@pytest.fixture
def member(scored: Submission) -> User:
    return scored.team.members.get()


def freeze(corpus: Corpus, note: str = "") -> Edition:
    return freezing.freeze(corpus=corpus, task=KBP, now=timezone.now(), note=note)[0]


def data(address: str) -> bytes:
    response = Client().get(address)
    assert response.status_code == 200
    return b"".join(response)


def text(address: str, client: Client | None = None) -> str:
    response = (client or Client()).get(address)
    assert response.status_code == 200
    return b"".join(response).decode()


def numbers(page: str) -> list[str]:
    return re.findall(r"\d+\.\d", re.sub(r"<svg.*?</svg>", "", page.partition("<table")[2], flags=re.S))


def test_what_was_cited_keeps_its_numbers(
    scored: Submission,
    small: Small,
    corpus: Corpus,
    member: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Arrivals, a change of code, a release and a withdrawal later."""
    cited = f"/submissions/{scored.pk}/scores/1/"
    freeze(corpus)
    before = numbers(text(cited)), numbers(text(FIRST)), data(FILE)
    monkeypatch.setattr(estimation, "code_version", lambda task: "99.0+other")
    for number in range(3):
        small.submit(f"later{number}", team=f"Team{number}", seed=10 + number)
    pipeline.advance()
    small.judge()
    releasing.release(corpus=corpus, task=KBP)
    lifecycle.withdraw(submission=scored, user=member)
    first, *_, last = history.changes(scored)
    assert first.figures != last.figures
    assert before == (numbers(text(cited)), numbers(text(FIRST)), data(FILE))
    for page in (text(cited), text(FIRST)):
        assert "Withdrawn" in page
        assert "one</a>" not in page
        assert "Alpha" not in page


@pytest.fixture
def change_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have intervals be wider, as if the file of code that makes them had been edited."""

    def change() -> None:
        source = Path(intervals.__file__)
        edited = tmp_path / source.name
        before, after = "at = (1 + level) / 2\n", "at = (1 + level) / 2 + 0.02\n"
        edited.write_text(source.read_text().replace(before, after))
        assert edited.read_text() != source.read_text()
        files = estimation.code_files

        def edited_files(task: Task) -> list[Path]:
            return [edited if path == source else path for path in files(task)]

        code = {"__name__": intervals.__name__}
        exec(compile(edited.read_text(), str(edited), "exec"), code)
        monkeypatch.setattr(intervals, "_quantile", code["_quantile"])
        monkeypatch.setattr(estimation, "code_files", edited_files)
        monkeypatch.setattr(estimation, "code_version", estimation.code_version.__wrapped__)

    return change


@pytest.mark.slow
def test_a_change_of_code_that_alters_figures_leaves_what_was_cited_as_it_was(
    scored: Submission, corpus: Corpus, change_code: Callable[[], None]
) -> None:
    system, history_of = f"/submissions/{scored.pk}/", f"/submissions/{scored.pk}/history.json"
    cited = f"{system}scores/1/"
    freeze(corpus)
    kept = FILE, CSV, f"/api/v1{FIRST}"
    before = {address: data(address) for address in kept}
    shown = {address: numbers(text(address)) for address in (cited, FIRST)}
    rows, live = json.loads(text(history_of)), numbers(text(system))
    lows = set(Estimate.objects.values_list("low", flat=True))

    old = estimation.code_version(KBP)
    change_code()
    new = estimation.code_version(KBP)
    assert new != old
    Epoch.objects.update(scores_due=True)
    assert estimation.score_epoch(epoch_id=corpus.epochs.get().pk, task=KBP)

    changes = history.changes(scored)
    assert [one.code_version for one in changes] == [old, new]
    assert changes[1].reason == f"the code changed from {old} to {new}"
    assert changes[0].figures != changes[1].figures
    assert lows != set(Estimate.objects.values_list("low", flat=True))
    latest = numbers(text(f"{system}scores/{changes[1].number}/"))
    assert latest != shown[cited]
    assert numbers(text(system)) != live
    assert f"The code changed from {old} to {new}" in text(system)
    assert json.loads(text(history_of))[: len(rows)] == rows
    assert {row["code_version"] for row in json.loads(text(history_of))[len(rows) :]} == {new}

    assert {address: data(address) for address in kept} == before
    assert {address: numbers(text(address)) for address in shown} == shown
    assert old in text(cited)
    assert list(freezing.audit(corpus)) == []
    assert freeze(corpus).number == "1.2"  # the board is another now


def test_snapshot_digest_is_that_of_its_file(scored: Submission, corpus: Corpus) -> None:
    snapshot = freeze(corpus)
    response = Client().get(FILE)
    sent = b"".join(response)
    assert hashlib.sha256(sent).hexdigest() == snapshot.digest
    assert (len(sent), response.headers["ETag"]) == (snapshot.size, f'"{snapshot.digest}"')
    assert list(freezing.audit(corpus)) == []


def test_its_rows_are_the_scores_that_the_service_stores(scored: Submission, corpus: Corpus) -> None:
    freeze(corpus)
    tables = leaderboard()["tables"]
    stored = scored.scores.prefetch_related("estimates")
    found = 0
    for table in tables:
        score = next(
            one
            for one in stored
            if all(
                getattr(one, name) == table[name]
                for name in ("part", "weighting", "estimator", "standard", "level")
            )
        )
        row = next(one for one in table["rows"] if one["system"] == scored.pk)
        assert row["measures"] == {
            one.measure: [one.estimate, one.low, one.high] for one in score.estimates.all()
        }
        assert (row["rank"], row["labels"]) == (score.rank, score.labels)
        found += 1
    assert found == stored.count()


def test_pressed_twice_it_is_taken_once(scored: Submission, corpus: Corpus) -> None:
    first, again = freeze(corpus), freeze(corpus)
    assert first == again
    assert freeze(corpus, "for a workshop") != first
    assert freeze(corpus, "for a workshop").number == "1.2"


def test_a_release_takes_one(scored: Submission, corpus: Corpus) -> None:
    releasing.release(corpus=corpus, task=KBP)
    snapshot = Edition.objects.get()
    assert (snapshot.kind, snapshot.reason, snapshot.number) == ("leaderboard", "release", "1.1")
    (epoch,) = leaderboard(snapshot)["manifest"]["epochs"]
    assert epoch["released_at"] is not None
    assert "Release of epoch 1" in text(LIST)


def test_nothing_is_kept_of_a_board_without_scores(corpus: Corpus) -> None:
    Submission.objects.update(is_public=False)
    with pytest.raises(Conflict, match="nothing to keep"):
        freeze(corpus)
    assert "None was taken yet" in text(LIST)


@pytest.mark.parametrize("model", [Edition, ScoreRecord])
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_postgres_keeps_it_as_it_is(scored: Submission, corpus: Corpus, model: Any, statement: str) -> None:
    freeze(corpus)
    with (
        pytest.raises(DatabaseError, match="only added to"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(model._meta.db_table))


def test_audit_finds_a_snapshot_whose_bytes_changed(scored: Submission, corpus: Corpus) -> None:
    edition = freeze(corpus)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        Edition.objects.filter(pk=edition.pk).update(content=b"PK")
    assert "edition 1.1: its file does not have the stored SHA-256" in audit.audit(corpus, KBP)


def test_a_snapshot_is_in_the_rows_that_a_backup_has(scored: Submission, corpus: Corpus) -> None:
    edition = freeze(corpus)
    assert not list(store().listed("media/archives"))
    assert data(FILE) == bytes(Edition.objects.get(pk=edition.pk).content or b"")


def test_an_anonymous_system_has_its_alias_until_its_date(
    scored: Submission, corpus: Corpus, member: User
) -> None:
    now = timezone.now()
    anonymity.set_anonymous(submission=scored, user=member, until=now + timedelta(days=30), now=now)
    freeze(corpus)
    assert "Anonymous " in text(FIRST)
    assert "Alpha" not in text(FIRST) + text(CSV)
    Submission.objects.filter(pk=scored.pk).update(anonymous_until=now - timedelta(days=1))
    assert "Alpha" in text(FIRST)


@pytest.mark.slow
def test_a_hidden_system_is_in_none(scored: Submission, corpus: Corpus, member: User) -> None:
    lifecycle.set_public(submission=scored, user=member, is_public=False)
    freeze(corpus)
    systems = {row["system"] for table in leaderboard()["tables"] for row in table["rows"]}
    assert systems == {Submission.objects.get(name="two").pk}


def test_who_hides_later_leaves_numbers_without_a_name(
    scored: Submission, corpus: Corpus, member: User
) -> None:
    freeze(corpus)
    before = numbers(text(FIRST))
    lifecycle.set_public(submission=scored, user=member, is_public=False)
    assert numbers(text(FIRST)) == before
    assert "Hidden by its team" in text(FIRST)
    assert "Alpha" not in text(FIRST)


def test_addresses_of_boards_and_systems_lead_to_a_snapshot(scored: Submission, corpus: Corpus) -> None:
    freeze(corpus)
    client = Client()
    board = client.get("/corpora/small/?snapshot=1.1&weighting=relation")
    assert board.headers["Location"] == f"{FIRST}?weighting=relation"
    system = client.get(f"/submissions/{scored.pk}/?snapshot=1.1")
    assert system.headers["Location"] == f"{FIRST}?system={scored.pk}#system-{scored.pk}"
    assert f'id="system-{scored.pk}"' in text(system.headers["Location"].partition("#")[0])
    assert client.get("/corpora/small/?snapshot=1.2").status_code == 404
    assert client.get("/corpora/small/?snapshot=x").status_code == 404


@pytest.mark.slow
def test_a_large_snapshot_has_pages_and_a_system_is_found_on_its_own(
    scored: Submission, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.views.snapshots.PAGE", 1)
    freeze(corpus)
    of_page = {number: re.findall(r'id="system-(\d+)"', text(f"{FIRST}?page={number}")) for number in (1, 2)}
    assert sorted(int(one) for found in of_page.values() for one in found) == sorted(
        Submission.objects.values_list("pk", flat=True)
    )
    for pk in of_page[1] + of_page[2]:
        assert re.findall(r'id="system-(\d+)"', text(f"{FIRST}?system={pk}")) == [pk]
    assert re.findall(r'id="system-(\d+)"', text(f"{FIRST}?system=99999")) == of_page[1]
    assert "The CSV has all 2 rows" in text(FIRST)
    assert len(text(CSV).splitlines()) == 3


def test_nothing_that_an_open_epoch_seals_is_in_a_snapshot_or_a_history(
    scored: Submission, corpus: Corpus
) -> None:
    """Neither its secret, nor a document, a key, a label or a question; its commitment is public."""
    freeze(corpus)
    epoch = Epoch.objects.get()
    client = Client()
    pages = [
        FIRST,
        LIST,
        CSV,
        f"/submissions/{scored.pk}/history.json",
        f"/submissions/{scored.pk}/history.csv",
        f"/submissions/{scored.pk}/scores/1/",
        "/api/v1/corpora/small/snapshots/",
        f"/api/v1{FIRST}",
        f"/api/v1/submissions/{scored.pk}/history/",
    ]
    kept = leaderboard()
    told = "".join([*(text(page, client) for page in pages), json.dumps(kept)])
    assert epoch.secret not in told
    documents = corpus.documents.values_list("doc_id", flat=True)
    assert [doc_id for doc_id in documents if re.search(rf"\b{doc_id}\b", told)] == []
    assert not re.search(r'"(right|value|votes_for|key|pi|lambda|p|question|secret)"', told)
    assert kept["manifest"]["epochs"][0]["labels"] is None
    assert set(kept["tables"][0]["rows"][0]) == {
        *("system", "epoch", "batch", "rank", "labels", "matching", "code", "counts", "measures"),
    }


def test_the_first_score_is_the_first_row_of_a_history(scored: Submission, corpus: Corpus) -> None:
    (change,) = history.changes(scored)
    assert (change.number, change.systems, change.epoch) == (1, 2, 1)
    assert change.reason == "first score in this epoch"
    records = ScoreRecord.objects.filter(submission=scored)
    units = SampledUnit.objects.values("unit").distinct().count()
    assert set(records.values_list("sample_labels", flat=True)) == {units}
    part = scored.scores.get(
        part="all", weighting="instance", estimator="documents", standard="votes", level=95
    )
    shown = change.measures(CHOICES, "all", "votes")
    for one in part.estimates.all():
        assert f"{100 * shown[one.measure].estimate:.1f}" == f"{100 * one.estimate:.1f}"


def test_of_many_changes_the_first_and_the_newest_are_read_and_the_page_says_how_many_are_not_drawn(
    scored: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(ScoreRecord.objects.filter(submission=scored))
    for number in range(2, 8):
        for row in rows:
            row.pk, row.change, row._state.adding = None, number, True
            row.estimate = None if row.estimate is None else row.estimate + 0.001
            row.save()
    every = history.changes(scored)
    assert [one.number for one in every] == [1, 2, 3, 4, 5, 6, 7]
    assert history.changes(scored, newest=3) == [every[0], *every[-3:]]
    assert history.changes(scored, newest=6) == every
    assert history.changes(scored, newest=7) == history.changes(scored, newest=8) == every
    assert history.find_newest(scored) == every[-1]
    assert history.find_change(scored, 4) == every[3]
    assert history.count_changes(scored) == 7
    monkeypatch.setattr(timeline, "MOST", 4)
    page = text(f"/submissions/{scored.pk}/")
    assert "3 earlier changes are not drawn" in page
    picture = page.partition('class="over-time"')[2].partition("</figure>")[0]
    assert picture.count("<circle") == 4


def test_rows_of_the_api_are_as_they_are_described(scored: Submission) -> None:
    answer = Client().get(f"/api/v1/submissions/{scored.pk}/history/").json()
    assert answer == HistorySerializer(answer).data
    assert len(answer["changes"]) > 3


@pytest.mark.slow
def test_what_changes_nothing_that_shows_leaves_no_row(scored: Submission) -> None:
    before, records = Score.objects.filter(submission=scored).latest("pk").pk, ScoreRecord.objects.count()
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert Score.objects.filter(submission=scored).latest("pk").pk > before
    assert ScoreRecord.objects.count() == records


@pytest.mark.slow
def test_an_arrival_and_other_code_are_reasons_without_which_and_whose(
    scored: Submission, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = history.changes(scored)
    code = first.code_version
    monkeypatch.setattr(estimation, "code_version", lambda task: "99.0+other")
    small.submit("three", team="Gamma", seed=3)
    pipeline.advance()
    small.judge()
    change = history.changes(scored)[-1]
    why = rf"1 system arrived, [1-9]\d* more claims judged, the code changed from {re.escape(code)} to .+"
    assert re.fullmatch(why, change.reason)
    assert change.systems == first.systems + 1
    page = text(f"/submissions/{scored.pk}/")
    assert "1 system arrived" in page
    assert "Gamma" not in page
    assert '<polyline points="' in page


def test_a_score_has_a_row_in_the_transaction_that_stores_it_or_there_is_neither(
    scored: Submission, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(Score.objects.values_list("pk", flat=True))

    def fail(**_: object) -> int:
        raise RuntimeError("killed")

    monkeypatch.setattr(recording, "record_changes", fail)
    Epoch.objects.update(scores_due=True)
    with pytest.raises(RuntimeError), transaction.atomic():
        estimation.score_epoch(epoch_id=Epoch.objects.get().pk, task=KBP)
    assert set(Score.objects.values_list("pk", flat=True)) == before


def test_a_score_that_was_never_seen_has_no_address(scored: Submission, member: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE evaluation_scorerecord SET is_public = false")
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
    address = f"/submissions/{scored.pk}/scores/1/"
    lifecycle.set_public(submission=scored, user=member, is_public=False)
    assert Client().get(address).status_code == 404
    own = Client()
    own.force_login(member)
    assert own.get(address).status_code == 200
    assert Client().get(f"/submissions/{scored.pk}/scores/99/").status_code == 404


def test_a_citation_names_the_numbers_and_the_address_that_keeps_them(scored: Submission) -> None:
    cited = Client().get(f"/api/v1/submissions/{scored.pk}/citation/").json()["scores"]
    assert cited["address"].endswith(f"/submissions/{scored.pk}/scores/1/")
    shown = numbers(text(f"/submissions/{scored.pk}/scores/1/"))
    assert all(one in shown for one in re.findall(r"\d+\.\d", cited["plain"].partition(": ")[0])[:3])
    assert cited["bibtex"].startswith(f"@misc{{kbpo-small-{scored.pk}-1,")


@pytest.mark.slow
def test_organisers_take_one_on_the_desk_and_by_the_api(scored: Submission, corpus: Corpus) -> None:
    organiser = give(UserFactory.create(), corpus, "organiser")
    client = Client()
    client.force_login(organiser)
    client.post("/desk/corpora/small/snapshot/", {"note": "For a workshop"})
    assert "For a workshop" in text(LIST)
    again = client.post("/desk/corpora/small/snapshot/", {"note": ""}, follow=True)
    assert "Nothing has changed since snapshot 1.1" in again.content.decode()
    entry = AuditEntry.objects.get(what="snapshot taken")
    assert (entry.by, entry.after["number"]) == (organiser, "1.1")


def test_an_organiser_whose_team_competes_does_not_choose_the_moment(
    scored: Submission, corpus: Corpus, member: User
) -> None:
    client = Client()
    client.force_login(give(member, corpus, "organiser"))
    assert client.post("/desk/corpora/small/snapshot/", {"note": ""}).status_code == 403
    assert not Edition.objects.exists()
