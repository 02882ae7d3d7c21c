"""Archives of released epochs: what is in them, what is not, and scores from them alone."""

import csv
import hashlib
import io
import json
import zipfile
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone

from annotations import takedowns
from annotations.models import AnnotatedMention, Corpus, Document
from docs import recompute_precision
from evaluation.archives import making
from evaluation.archives.contents import Contents
from evaluation.design import epochs
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    ArchiveKey,
    Edition,
    Epoch,
    Estimate,
    RetiredDocument,
    Submission,
    SubsetScore,
)
from evaluation.registry import task_of
from evaluation.scoring import audit, comparing, estimation, releasing
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo.core.keeping.models import Installation
from kbpo.core.storage import store
from kbpo.core.storage.folder import path_of
from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import Figure
from kbpo_archive.reading import NOTHING, Archive
from kbpo_archive.recomputing import AGREE, compare
from kbpo_client import command
from kbpo_estimators.coordinated import uniforms
from tests.archives import EPOCHS, differences, forget_archives, leaderboard, made, recomputed, released
from tests.factories import UserFactory
from tests.stores import Moto
from tests.world import World

pytestmark = pytest.mark.django_db


def sealed():
    """Return the ids of the documents annotated in full that are not retired."""
    sample = Epoch.objects.get(number=1).document_sample
    opened = set(exhaustive.opened(Corpus.objects.get()).values_list("doc_id", flat=True))
    return set(sample.documents.values_list("document__doc_id", flat=True)) - opened


@pytest.mark.parametrize("retire", [None, 0.5, 1.0])
def test_every_published_score_comes_out_of_it_again(judged, retire):
    found = released(retire)
    assert found.told == ("each" if retire == 1.0 else "sums")
    with Archive(path_of(found.place)) as archive:
        again = compare(archive)
    assert again.agrees, list(again.differences.items())[:5]
    assert again.largest <= AGREE
    assert again.scores.held_back == 0
    assert bool(again.ranks.held_back) == (retire != 1.0)  # they rest on pairs of systems in each document
    stated = again.scores.stated
    assert len(stated) == found.figures == Estimate.objects.filter(score__epoch__number=1).count() > 0
    assert {place.standard for place in stated} == {"votes", "audit"}


@pytest.mark.slow
def test_every_rank_of_the_release_comes_out_of_it_again(judged):
    with Archive(path_of(released(1.0).place)) as archive:
        ranks = compare(archive).ranks
    assert ranks.held_back == 0
    snapshot = leaderboard()
    published = [row["rank"] for table in snapshot["tables"] for row in table["rows"] if row["rank"]]
    again = [figure.estimate for place, figure in ranks.figures.items() if place.measure == "rank"]
    assert sorted(again) == sorted(published)
    assert published
    assert {figure.estimate for place, figure in ranks.figures.items() if place.measure == "systems"} == {4}
    assert not ranks.differences.keys() - ranks.stated.keys()


@pytest.mark.slow
def test_a_ranked_system_that_is_not_in_it_is_told(judged, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Contents, "ranked", property(lambda contents: set(list(contents.named)[:1])))
        first = released(1.0)
    with Archive(path_of(first.place)) as archive:
        again = compare(archive)
    assert not again.agrees
    assert again.ranks.held_back == 0
    assert {place.measure for place in again.differences} >= {"systems", "rank"}
    assert again.differences.keys() <= again.ranks.differences.keys()


@pytest.mark.slow
def test_ranks_beside_systems_of_earlier_epochs_are_held_back_and_nothing_else_is(judged, monkeypatch):
    monkeypatch.setattr(Contents, "_has_earlier", True)
    with monkeypatch.context() as patch:
        patch.setattr(Contents, "ranked", property(lambda contents: set(list(contents.named)[:1])))
        fewer = released(1.0)
    with Archive(path_of(fewer.place)) as archive:
        again = compare(archive)
        stated = len(archive.table("ranks")["system"])
    assert again.agrees
    assert not again.ranks.stated
    assert again.ranks.held_back > stated  # of all there are two numbers a row
    forget_archives()
    with Archive(path_of(made().place)) as archive:
        again = compare(archive)
    assert again.agrees
    assert again.ranks.held_back == 0


@pytest.mark.slow
@pytest.mark.parametrize(("retire", "told"), [(None, {"precision"}), (1.0, {"precision", "recall", "f1"})])
def test_every_score_of_a_subset_comes_out_of_it_again(judged, retire, told):
    with Archive(path_of(released(retire).place)) as archive:
        subsets = compare(archive).subsets
    assert {place.division for place in subsets.stated} == {"predicate", "type", "frequency"}
    estimated = {place.measure for place, figure in subsets.figures.items() if figure.estimate is not None}
    assert told <= estimated <= told | {"labels", "true"}
    assert (subsets.held_back > 0) == (retire is None)
    rows = SubsetScore.objects.filter(epoch__number=1)
    assert len([one for one in subsets.stated if one.measure == "precision"]) == (
        rows.filter(measure="precision").count()
    )


@pytest.mark.slow
def test_differences_between_systems_are_those_of_the_page_that_compares(judged):
    with Archive(path_of(released(1.0).place)) as archive:
        found = list(differences(archive, 1, 3))
    first, second = (
        Submission.objects.get(batch__number=number, batch__epoch__number=1) for number in (1, 3)
    )
    for chosen in {(*one.choice, one.level) for one in found}:
        names = ("estimator", "weighting", "part", "standard", "level")
        shown = comparing.compare(first, second, KBP, **dict(zip(names, chosen, strict=True)))
        own = {one.measure: one for one in found if (*one.choice, one.level) == chosen}
        assert own.keys() == {one.measure for one in shown if one.difference is not None}
        for one in shown:
            if one.difference is not None:
                again = own[one.measure]
                assert Figure.of(again.difference).difference(Figure.of(one.difference)) <= AGREE
                assert again.among.systems == one.among.systems == 4
                assert again.among.is_significant == one.among.is_significant
                assert Figure.of(again.among.difference).difference(Figure.of(one.among.difference)) <= AGREE


@pytest.mark.slow
def test_of_sealed_documents_no_difference_in_recall_is_told(judged):
    with Archive(path_of(released(None).place)) as archive:
        assert {one.measure for one in differences(archive, 1, 3)} == {"precision"}


def test_a_score_that_is_not_what_the_labels_say_is_told(judged):
    Estimate.objects.filter(measure="precision", score__part="all").update(estimate=0.5, low=0.4, high=0.6)
    with Archive(path_of(released(None).place)) as archive:
        again = compare(archive)
    assert not again.agrees
    assert {(place.measure, place.part) for place in again.differences} == {("precision", "all")}


def test_the_script_gives_plain_precision_and_its_interval(judged, capsys):
    recompute_precision.main(str(path_of(released(0.5).place)))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(float(line.rsplit(maxsplit=1)[1]) < 1e-9 for line in lines)


@pytest.mark.slow
def test_it_is_the_same_bytes_when_it_is_made_again(judged):
    first = released(0.5)
    content = path_of(first.place).read_bytes()
    path_of(first.place).unlink()
    again = made()
    assert again.pk == first.pk
    assert path_of(again.place).read_bytes() == content
    assert hashlib.sha256(content).hexdigest() == first.digest
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0


@pytest.mark.slow
def test_kill_before_the_row_is_stored_leaves_an_archive_that_is_made_again(judged, monkeypatch):
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=None)

    def die(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Edition, "save", die)
        with pytest.raises(KeyboardInterrupt):
            made()
    assert not EPOCHS.exists()
    assert made().edition == 2


@pytest.mark.slow
def test_a_file_whose_row_was_never_stored_is_deleted_once_nobody_can_be_writing_it(judged):
    found = released(None)
    stray = path_of(found.place).with_name("7-1-0123456789abcdef.zip")
    stray.write_bytes(b"of a state that is over")
    assert making.remove_unfinished(now=timezone.now()) == 0
    later = timezone.now() + 2 * making.LONGEST_WRITING
    assert making.remove_unfinished(now=later) == 1
    assert not stray.exists()
    assert path_of(found.place).exists()


@pytest.mark.slow
def test_more_documents_that_are_retired_make_another_edition(judged):
    first = released(None)
    sample = Epoch.objects.get(number=1).document_sample
    for row in sample.documents.all():
        RetiredDocument.objects.create(sample=sample, document=row.document, probability=1)
    second = made()
    assert (first.edition, first.told, second.edition, second.told) == (2, "sums", 3, "each")
    assert path_of(first.place).exists()


def test_of_few_sealed_documents_nothing_is_told_and_precision_is_computed_all_the_same(judged):
    sample = Epoch.objects.get(number=1).document_sample
    for row in sample.documents.order_by("pk")[: sample.size - 2]:
        RetiredDocument.objects.create(sample=sample, document=row.document, probability=1)
    found = released(None)
    assert found.told == "nothing"
    with Archive(path_of(found.place)) as archive:
        assert not archive.has("recall_sums")
        assert "true" not in archive.manifest["documents"]
        again = compare(archive)
    assert again.agrees
    assert again.scores.held_back > 0
    assert {place.measure for place in again.scores.stated} == {"precision"}


def take_down(doc_id, *, at=None):
    """Remove the text of a document."""
    document = Document.objects.get(doc_id=doc_id)
    operator = UserFactory.create(operator=True)
    takedowns.take_down(document=document, reason="its author asked", by=operator, now=at or timezone.now())


def read(client, archive):
    """Return the status with which an edition is answered, and what is said."""
    answer = client.get(f"/corpora/small/data/{archive.name}")
    return answer.status_code, b"".join(answer)


@pytest.mark.slow
def test_a_removed_document_blocks_the_editions_that_tell_of_it_and_the_next_is_without_it(judged, client):
    AnnotatedMention.objects.update(link="Zyzzyva")
    first = released(0.5)
    with Archive(path_of(first.place)) as archive:
        documents = archive.table("documents")
        doc_id, digest = documents["doc_id"][0], documents["sha256"][0]
        mentions = archive.table("mentions")
        linked = [one for one, at in zip(mentions["link"], mentions["document"], strict=True) if at == 0]
    assert digest
    assert any(linked)
    take_down(doc_id)
    status, said = read(client, first)
    assert status == 404
    assert b"another edition, without it, is being made" in said
    assert f"/corpora/small/data/{first.name}" not in client.get("/corpora/small/data/").text
    listed = client.get("/api/v1/corpora/small/data/").json()["results"]
    assert {one["name"]: one["is_open"] for one in listed}[first.name] is False

    second = made()
    assert second.edition == 3
    assert not path_of(first.place).exists()
    status, said = read(client, first)
    assert status == 404
    assert f"{second.name} is without it".encode() in said
    status, content = read(client, second)
    assert (status, hashlib.sha256(content).hexdigest()) == (200, second.digest)
    with Archive(path_of(second.place)) as archive:
        documents, mentions = archive.table("documents"), archive.table("mentions")
        place = documents["doc_id"].index(doc_id)
        whole = b"".join(archive.read(name) for name in archive.digests)
        own = [one for one, at in zip(mentions["link"], mentions["document"], strict=True) if at == place]
        assert compare(archive).agrees
    assert not any(own)
    assert digest.encode() not in whole
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0


@pytest.mark.slow
def test_after_a_removal_recalls_that_rest_on_lost_texts_are_held_back_once_more_are_retired(judged, capsys):
    with Archive(path_of(released(0.5).place)) as archive:
        doc_ids = archive.table("documents")["doc_id"]
    for doc_id in doc_ids:
        take_down(doc_id)
    copied = made()
    with Archive(path_of(copied.place)) as archive:
        assert archive.manifest["documents"]["lost"] == 0
        assert compare(archive).agrees
    sample = Epoch.objects.get(number=1).document_sample
    for row in sample.documents.filter(document__doc_id__in=sealed()):
        RetiredDocument.objects.create(sample=sample, document=row.document, probability=1)
    whole = made()
    assert whole.told == "each"
    with Archive(path_of(whole.place)) as archive:
        assert archive.manifest["documents"]["lost"] == len(doc_ids)
        again = compare(archive)
    assert again.agrees, list(again.differences.items())[:3]
    assert {place.measure for place in again.scores.stated} == {"precision"}
    assert again.scores.held_back > 0
    assert command.main(["recompute", str(path_of(whole.place))]) == 0
    assert "documents that are sealed or whose text was removed" in capsys.readouterr().err


@pytest.mark.slow
def test_a_document_that_is_removed_while_an_edition_is_written_blocks_it_too(judged, client, monkeypatch):
    with Archive(path_of(released(0.5).place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    forget_archives()
    save = Edition.save

    def save_late(archive, **options):
        take_down(doc_id)
        save(archive, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Edition, "save", save_late)
        late = made()
    assert late.removed == 0
    assert read(client, late)[0] == 404
    assert read(client, made())[0] == 200


@pytest.mark.slow
def test_what_may_not_be_given_goes_at_once_though_the_next_edition_waits(judged, client):
    first = released(0.5)
    with Archive(path_of(first.place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    Epoch.objects.filter(number=1).update(scores_due=True)
    take_down(doc_id)
    second = made()
    assert not path_of(first.place).exists()
    assert (second.edition, second.removed) == (3, 1)
    with Archive(path_of(second.place)) as archive:
        assert compare(archive).agrees
    assert read(client, second)[0] == 200


@pytest.mark.slow
def test_an_edition_is_copied_without_a_whole_table_in_memory(judged, monkeypatch):
    with Archive(path_of(released(0.5).place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    take_down(doc_id)
    read_whole, whole = zipfile.ZipFile.read, []

    def read_and_note(archive, name, *rest):
        whole.append(name)
        return read_whole(archive, name, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "read", read_and_note)
        made()
    assert whole == ["manifest.json"]


@pytest.mark.slow
def test_what_may_not_be_given_goes_though_it_cannot_be_copied_and_the_next_edition_waits(
    judged, monkeypatch, caplog
):
    first = released(0.5)
    with Archive(path_of(first.place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    Epoch.objects.filter(number=1).update(scores_due=True)
    take_down(doc_id)

    def fail(*args):
        raise ValueError("a fault")

    monkeypatch.setattr(making, "copy_without", fail)
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0
    assert not path_of(first.place).exists()
    assert "could not be copied" in caplog.text


@pytest.mark.slow
def test_a_document_that_was_removed_before_it_was_retired_blocks_no_edition(judged, client):
    first = released(0.5)
    doc_id = min(sealed())
    take_down(doc_id, at=timezone.now() - timedelta(days=3))
    second = Epoch.objects.get(number=2).document_sample
    row = second.documents.get(document__doc_id=doc_id)
    RetiredDocument.objects.create(sample=second, document=row.document, probability=1)
    second.retired_at = timezone.now()
    second.save(update_fields=["retired_at"])
    assert made().edition == 3
    assert read(client, first)[0] == 200
    assert path_of(first.place).exists()


@pytest.mark.slow
def test_a_text_that_goes_while_scores_are_computed_is_lost_to_them(judged, monkeypatch):
    doc_id, compute = min(sealed()), estimation.estimate

    def estimate(*args):
        found = compute(*args)
        take_down(doc_id)
        return found

    Epoch.objects.update(scores_due=True)
    with monkeypatch.context() as patch:
        patch.setattr(estimation, "estimate", estimate)
        pipeline.advance()
    assert not list(audit.audit(Corpus.objects.get(), KBP))
    with Archive(path_of(released(1.0).place)) as archive:
        assert archive.manifest["documents"]["lost"] == 1
        again = compare(archive)
    assert again.agrees
    assert {place.measure for place in again.scores.stated} == {"precision"}
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    with Archive(path_of(Edition.objects.latest("pk").place)) as archive:
        assert archive.manifest["documents"]["lost"] == 0
        assert compare(archive).scores.held_back == 0


@pytest.mark.slow
@pytest.mark.parametrize("is_copied", [True, False])
def test_in_an_s3_compatible_store_editions_are_given_and_go_alike(
    judged, client, settings, monkeypatch, is_copied
):
    server = Moto()
    try:
        settings.FILE_STORE = server.bucket()
        Installation.objects.all().delete()
        first = released(0.5)
        status, content = read(client, first)
        assert (status, hashlib.sha256(content).hexdigest()) == (200, first.digest)
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            rows = list(csv.DictReader(files.read("documents.csv").decode().splitlines()))
        take_down(rows[0]["doc_id"])
        if not is_copied:
            monkeypatch.setattr(making, "copy_without", lambda *args: 1 // 0)
        second = made()
        assert [one.place for one in store().listed(making.FOLDER)] == [second.place]
        status, content = read(client, second)
        assert (status, hashlib.sha256(content).hexdigest()) == (200, second.digest)
        with zipfile.ZipFile(io.BytesIO(content)) as files:
            told = b"".join(files.read(name) for name in files.namelist())
            assert rows[1]["sha256"].encode() in told
            assert rows[0]["sha256"].encode() not in told
            assert json.loads(files.read("manifest.json"))["documents"]["lost"] == int(not is_copied)
    finally:
        server.stop()


@pytest.mark.slow
def test_a_copy_that_fails_keeps_nothing_from_being_made(judged, client, monkeypatch):
    first = released(0.5)
    with Archive(path_of(first.place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    take_down(doc_id)

    def fail(*args):
        raise ValueError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(making, "copy_without", fail)
        assert read(client, made())[0] == 200
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0
    assert not path_of(first.place).exists()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"PK", "longer", None])
def test_an_edition_whose_bytes_are_damaged_or_lost_is_computed_and_not_copied(judged, client, damage):
    first = released(1.0)
    with Archive(path_of(first.place)) as archive:
        doc_id = archive.table("documents")["doc_id"][0]
    place = path_of(first.place)
    place.chmod(0o600)
    if damage is None:
        place.unlink()
    elif damage == "longer":
        place.write_bytes(place.read_bytes() + b" ")  # still a ZIP file
    else:
        place.write_bytes(damage)
    take_down(doc_id)
    second = made()
    assert not place.exists()
    assert read(client, second)[0] == 200
    with Archive(path_of(second.place)) as archive:
        assert archive.manifest["documents"]["lost"] == 1
        again = compare(archive)
    assert again.agrees
    assert {place.measure for place in again.scores.stated} == {"precision"}


@pytest.mark.slow
def test_what_says_that_making_one_failed_goes_once_it_succeeds(judged, monkeypatch):
    def fail(*args):
        raise ValueError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(making, "make", fail)
        with pytest.raises(AssertionError):
            released(None)
    marks = path_of(making.FOLDER)
    (mark,) = marks.glob("*-failed")
    assert mark.name == f"{Epoch.objects.get(number=1).pk}-failed"
    failed = datetime.fromtimestamp(mark.stat().st_mtime, UTC)
    assert making.make_archives(find_task=task_of, now=failed) == 0  # it waits for a while
    assert making.make_archives(find_task=task_of, now=failed + 2 * making.PAUSE) == 1
    assert not list(marks.glob("*-failed"))


def test_there_is_none_of_an_open_epoch(judged):
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0
    assert not EPOCHS.exists()


@pytest.mark.slow
def test_no_sealed_document_is_told_from_others(judged):
    with Archive(path_of(released(0.5).place)) as archive:
        documents = set(archive.table("documents")["doc_id"])
        numbers = {*archive.table("true_relations")["document"], *archive.table("mentions")["document"]}
        counted = set(archive.table("document_counts")["document"])
    assert len(documents) == len(sealed()) == 10
    assert not documents & sealed()
    assert numbers <= set(range(10))
    assert counted == set(range(10))


def test_no_text_of_any_document_is_in_it(judged):
    with zipfile.ZipFile(path_of(released(1.0).place)) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for document in Document.objects.all():
        assert document.title not in whole
        assert not any(word in whole for word in document.text.replace(".", "").split() if word[0].isupper())


@pytest.mark.slow
def test_nothing_says_whose_a_hidden_or_withdrawn_system_is_or_who_answered(judged):
    with zipfile.ZipFile(path_of(released(None).place)) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "Alpha: s0" in whole
    assert "Hidden system 2" in whole
    assert "Withdrawn system 4" in whole
    people = User.objects.values_list("email", flat=True)
    for said in ("Gamma", "s1", "s3", *people, ArchiveKey.objects.get().key):
        assert said not in whole


def test_of_a_hidden_system_no_place_is_told_that_nobody_judged(judged):
    with Archive(path_of(released(None).place)) as archive:
        units, predictions = archive.table("units"), archive.table("predictions")
    public = set(predictions["unit"][np.isin(predictions["system"], [1, 3])].tolist())
    empty = {one for one, key in enumerate(units["key"]) if not key}
    assert empty == {
        one for one in range(len(units["key"])) if one not in public and not units["sampled"][one]
    }
    assert empty
    for one in empty:
        assert not units["doc_id"][one]
        assert units["subject_start"][one] == units["object_end"][one] == NOTHING


def test_its_sample_can_be_drawn_again(judged):
    with Archive(path_of(released(None).place)) as archive:
        units, secret = archive.table("units"), bytes.fromhex(archive.manifest["secret"])
    open_ones = [one for one, key in enumerate(units["key"]) if key]
    u = uniforms(secret, [units["key"][one] for one in open_ones])
    assert ((u < units["pi"][open_ones]) | units["known"][open_ones]).tolist() == (
        units["sampled"][open_ones].tolist()
    )


@pytest.mark.slow
def test_another_release_has_other_pseudonyms(judged):
    found = released(None)
    with Archive(path_of(found.place)) as archive:
        first = set(archive.table("votes")["annotator"])
    forget_archives()
    ArchiveKey.objects.update(key="ab" * 32)
    with Archive(path_of(made().place)) as archive:
        second = set(archive.table("votes")["annotator"])
    assert len(first) == len(second) > 1
    assert not first & second


def test_an_anonymous_system_beside_a_known_one_of_its_team_keeps_it_waiting(judged):
    later = timezone.now() + timedelta(days=30)
    Submission.objects.filter(name="s1").update(is_public=True, anonymous_until=later, alias=1, alias_run=1)
    epochs.release(corpus=Corpus.objects.get(), task=KBP)
    assert making.waits_until(Epoch.objects.get(number=1)) == later
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 0


def test_an_anonymous_system_beside_a_hidden_one_of_its_team_keeps_it_waiting_too(judged):
    later = timezone.now() + timedelta(days=30)
    veiled = {"is_public": True, "anonymous_until": later, "alias": 1, "alias_run": 1}
    Submission.objects.filter(name="s0").update(**veiled)  # s1, of the same team, is hidden
    epochs.release(corpus=Corpus.objects.get(), task=KBP)
    assert making.waits_until(Epoch.objects.get(number=1)) == later
    Submission.objects.filter(name="s1").update(**(veiled | {"alias_run": 2}))
    Submission.objects.filter(name="s0").update(anonymous_until=None)
    assert making.waits_until(Epoch.objects.get(number=1)) == later


@pytest.mark.slow
def test_numbers_of_teams_do_not_follow_the_order_in_which_teams_came(judged):
    found = released(None)
    teams = sorted({one.team_id for one in Submission.objects.all()})
    orders = set()
    for number in range(40):
        if len(orders) > 1:
            break
        forget_archives()
        ArchiveKey.objects.update(key=f"{number:064x}")
        with Archive(path_of(made().place)) as archive:
            systems = archive.table("systems")
            own = dict(zip(systems["submission"].tolist(), systems["team"].tolist(), strict=True))
        of_team = {one.team_id: own[one.pk] for one in Submission.objects.filter(pk__in=own)}
        orders.add(tuple(of_team[pk] for pk in teams if pk in of_team))
    assert len(orders) > 1
    assert found.figures > 0


@pytest.mark.slow
def test_leaderboard_edition_cannot_be_recomputed(judged, capsys, tmp_path):
    released(None)
    board = tmp_path / "leaderboard.zip"
    board.write_bytes(Edition.objects.get(kind=Edition.Kind.LEADERBOARD).content)
    assert command.main(["recompute", str(board)]) == 2
    assert "only the archive of a released epoch can be recomputed" in capsys.readouterr().err


@pytest.mark.slow
def test_everybody_downloads_it_where_the_data_page_lists_it(judged, client):
    found = released(None)
    page = client.get("/corpora/small/data/")
    assert found.digest in page.text
    response = client.get(f"/corpora/small/data/{found.name}")
    assert response.status_code == 200
    assert b"".join(response.streaming_content) == path_of(found.place).read_bytes()
    assert response["ETag"] == f'"{found.digest}"'
    listed = client.get("/api/v1/corpora/small/data/").json()["results"]
    assert {one["name"]: one["digest"] for one in listed}[found.name] == found.digest
    assert client.get("/corpora/small/data/epoch-2-edition-1.zip").status_code == 404


@pytest.mark.slow
def test_a_file_that_was_changed_is_refused(judged, tmp_path):
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(path_of(released(None).place)) as archive, zipfile.ZipFile(changed, "w") as other:
        for name in archive.namelist():
            data = archive.read(name)
            other.writestr(name, data.replace(b"majority", b"minority") if name == "labels.csv" else data)
    with Archive(changed) as archive, pytest.raises(BadArchive, match="SHA-256"):
        archive.table("labels")


def test_the_manifest_says_what_the_scores_rest_on(judged):
    with Archive(path_of(released(None).place)) as archive:
        manifest = archive.manifest
        files = set(archive.digests)
    epoch = Epoch.objects.get(number=1)
    assert (manifest["secret"], manifest["commitment"]) == (epoch.secret, epoch.commitment)
    assert manifest["ontology"]["name"] == "tac-kbp@1"
    assert manifest["licence"]["judgements"] == "CC BY 4.0"
    assert {"README.md", "units.csv", "scores.csv", "ontology.json", "models.json"} <= files


@pytest.mark.slow
def test_scores_of_independent_draws_come_out_of_it_again(tmp_path, settings):
    settings.MEDIA_ROOT = str(tmp_path / "media")
    settings.KBPO_EPOCH_SECRET = bytes(range(32))
    world = World(24)
    corpus, gold = world.write_corpus(tmp_path / "corpus.jsonl"), str(world.write_gold(tmp_path / "gold"))
    call_command("load_corpus", str(corpus), "--corpus", "drawn", "--design", "iid", verbosity=0)
    call_command("load_gold", gold, "--corpus", "drawn", "--documents", "12", "--seed", "1")
    Corpus.objects.update(target_half_width=0.1)
    for number in range(2):
        claims = world.system(recall=0.5, precision=0.6, seed=number)
        path = str(world.write_kb(tmp_path / f"{number}.kb", claims))
        call_command("submit", path, "--corpus", "drawn", "--team", "Alpha", "--name", f"d{number}")
    pipeline.advance()
    call_command("simulate_crowd", "--corpus", "drawn", "--gold", gold, "--error", "0.1")
    pipeline.advance()
    epochs.release(corpus=Corpus.objects.get(tag="drawn"), task=KBP, retire=1.0)
    again = recomputed("drawn")
    assert again.agrees, list(again.differences.items())[:3]
    assert {place.estimator for place in again.scores.stated} == {
        *("simple", "joint", "simple_bootstrap", "joint_bootstrap"),
    }
