"""Archives of classifications: what comes out of them, and what of hidden systems does not."""

import csv
import re
from itertools import combinations

import numpy as np
import pytest
from django.db import transaction
from django.test import Client, override_settings

from annotations.models import Corpus, Label, Question
from evaluation.classification import archiving
from evaluation.classification.items import LABELS
from evaluation.classification.task import TASK
from evaluation.design import columns
from evaluation.models import Epoch, EpochArchive, SampledUnit, Snapshot, Submission, UnitColumn
from evaluation.scoring import releasing
from evaluation.scoring.published import freezing
from kbpo.core.database import coded
from kbpo.core.database.coded import unpack_names
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, compare
from kbpo_archive.tables import TABLES
from kbpo_client import command
from kbpo_estimators import coordinated
from tests import leaks, letters
from tests.archives import made
from tests.leaks import HIDDEN, VEILED, WITHDRAWN

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def corpus(django_db_setup, django_db_blocker, tmp_path_factory):
    """Four systems of four teams, one hidden, one withdrawn, one anonymous, judged and audited."""
    folder = tmp_path_factory.mktemp("letters")
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(KBPO_EPOCH_SECRET=bytes(range(32)), MEDIA_ROOT=str(folder / "media")),
    ):
        Installation.objects.all().delete()
        path_of(installation.PLACE).unlink(missing_ok=True)
        yield letters.judged(folder)
        transaction.set_rollback(True)


def release():
    releasing.release(corpus=Corpus.objects.get(), task=TASK, retire=None)
    return made()


def hidden_ones():
    """Return the numbers of the systems that are hidden or withdrawn."""
    return [1 + list(letters.SYSTEMS).index(name) for name in (HIDDEN, WITHDRAWN)]


def unsampled():
    """Return the ids of the items that nobody judged."""
    judged = set(SampledUnit.objects.values_list("unit__key", flat=True))
    return {f"D{n:02}" for n in range(letters.DOCUMENTS)} - judged


def told(archive):
    """Return the tables of an archive as columns of numbers and texts, less their digests."""
    return {name: archive.table(name) for name in TABLES if archive.has(name)}


def swap(system, first, second):
    """Have a system say of each of two items what it said of the other."""
    batch = Submission.objects.get(name=system).batch
    places = [TASK.read_units(batch.submission).keys.index(one) for one in (first, second)]
    for name, unpack, code in (
        (LABELS, unpack_names, lambda column: coded.code_names(column.tolist())),
        (columns.CONFIDENCE, coded.unpack_coded, coded.code),
    ):
        row = UnitColumn.objects.filter(batch=batch, name=name)
        column = unpack(row.get().data).column()
        column[places] = column[places[::-1]]
        row.update(data=code(column).pack())


def alike():
    """Return two unjudged items of one fold to which the hidden system alone gives different classes."""
    epoch = Epoch.objects.get(number=1)
    ids = sorted(unsampled())
    folds = coordinated.folds(bytes.fromhex(epoch.secret), ids).tolist()
    told = [
        (fold, *(letters.given(seed, int(one[1:])) for seed in (0, 2, 3)))
        for fold, one in zip(folds, ids, strict=True)
    ]
    hidden = [letters.given(1, int(one[1:]))[0] for one in ids]
    return next(
        (ids[first], ids[second])
        for first, second in combinations(range(len(ids)), 2)
        if told[first] == told[second] and hidden[first] != hidden[second]
    )


def test_every_published_figure_comes_out_of_it_again(corpus):
    with Archive(path_of(release().place)) as archive:
        again = compare(archive)
        assert archive.manifest["predictions"] == "sums"
        assert set(archive.table("systems")["shown"]) == {"public", "hidden", "withdrawn", "anonymous"}
    assert again.agrees, list(again.differences.items())[:3]
    assert again.largest <= AGREE
    assert again.scores.held_back == again.ranks.held_back == again.subsets.held_back == 0
    assert {place.standard for place in again.scores.stated} == {"votes", "audit"}
    assert {place.system for place in again.scores.stated} == {1, 2, 3, 4}


def test_of_a_hidden_system_no_class_is_told_that_it_gives_unjudged_items(corpus):
    with Archive(path_of(release().place)) as archive:
        units, predictions = archive.table("units"), archive.table("predictions")
    judged = units["sampled"][predictions["unit"]]
    is_hidden = np.isin(predictions["system"], hidden_ones())
    labels = np.array(predictions["label"])
    assert {units["doc_id"][one] for one in np.flatnonzero(~units["sampled"])} == unsampled()
    assert len(unsampled()) >= 20
    assert not labels[is_hidden & ~judged].astype(bool).any()
    assert np.isnan(predictions["confidence"][is_hidden & ~judged]).all()
    assert labels[~is_hidden | judged].astype(bool).all()
    assert not np.isnan(predictions["confidence"][~is_hidden | judged]).any()


def test_who_reads_all_of_it_cannot_tell_which_of_two_unjudged_items_got_which_class(corpus):
    """Whoever knows all but that, and takes the archive apart, sees the same in both worlds."""
    with Archive(path_of(release().place)) as archive:
        before = told(archive)
    first, second = alike()
    swap(HIDDEN, first, second)
    EpochArchive.objects.all().delete()
    with Archive(path_of(made().place)) as archive:
        after = told(archive)
        assert compare(archive).agrees
    assert before.keys() == after.keys()
    for name, table in before.items():
        for column, values in table.items():
            if isinstance(values, list):
                assert values == after[name][column], (name, column)
            else:
                assert np.allclose(values, after[name][column], rtol=0, atol=1e-12, equal_nan=True), name


def test_it_would_be_seen_of_a_shown_system(corpus):
    """What the test before looks at shows such a swap, where it may be seen."""
    found = release()
    first, second = alike()
    with Archive(path_of(found.place)) as archive:
        before = archive.table("predictions")["label"]
    Submission.objects.filter(name=HIDDEN).update(is_public=True)
    EpochArchive.objects.all().delete()
    with Archive(path_of(made().place)) as archive:
        shown = archive.table("predictions")["label"]
    swap(HIDDEN, first, second)
    EpochArchive.objects.all().delete()
    with Archive(path_of(made().place)) as archive:
        after = archive.table("predictions")["label"]
    assert before != shown
    assert sum(one != other for one, other in zip(shown, after, strict=True)) == 2


def test_where_all_systems_are_shown_each_class_is_told_and_the_model_is_fitted_anew(corpus):
    Submission.objects.update(is_public=True, state="scored")
    with Archive(path_of(release().place)) as archive:
        assert archive.manifest["predictions"] == "each"
        assert not archive.has("class_sums")
        assert all(archive.table("predictions")["label"])
        again = compare(archive)
    assert again.agrees
    assert again.scores.held_back == 0


def test_of_few_unjudged_items_not_even_sums_are_told(corpus, monkeypatch):
    monkeypatch.setattr(archiving, "LEAST_WITHHELD", len(unsampled()) + 1)
    with Archive(path_of(release().place)) as archive:
        assert archive.manifest["predictions"] == "nothing"
        assert not archive.has("class_sums")
        again = compare(archive)
    assert not again.scores.stated
    assert again.scores.held_back > 0
    assert again.subsets.held_back > 0


def snapshot(tmp_path, number):
    """Write the file of a snapshot, as everybody loads it."""
    path = tmp_path / "snapshot.json"
    path.write_bytes(b"".join(freezing.file_of(Snapshot.objects.get(number=number))))
    return str(path)


def test_what_was_cited_while_the_epoch_was_open_comes_out_again(corpus, tmp_path, capsys):
    Submission.objects.update(is_public=True, state="scored")
    archive = str(path_of(release().place))
    assert command.main(["recompute", archive, "--snapshot", snapshot(tmp_path, 1)]) == 0
    said = capsys.readouterr().err
    assert re.search(r"all [1-9]\d* figures of the snapshot come out again, within 1e-12", said)


def test_of_sums_no_earlier_figure_comes_out_and_why_is_said(corpus, tmp_path, capsys):
    archive = str(path_of(release().place))
    assert command.main(["recompute", archive, "--snapshot", snapshot(tmp_path, 1)]) == 1
    said = capsys.readouterr().err
    assert "nothing of the snapshot could be compared: the lines above say why" in said
    assert "that hidden and withdrawn systems give items, the archive has sums of its end alone" in said
    assert "come out again" not in said
    assert command.main(["recompute", archive, "--snapshot", snapshot(tmp_path, 2)]) == 0
    assert re.search(r"[1-9]\d* figures of the snapshot.* come out again", capsys.readouterr().err)


def test_nothing_that_is_sealed_is_told(corpus, tmp_path):
    archive = release()
    letters.write_answers(tmp_path)
    letters.submit(tmp_path, "late", "Delta", 4)  # its epoch is open, and has answers
    Corpus.objects.update(texts=Corpus.Texts.OPERATORS)
    systems = [Submission.objects.get(name=name).pk for name in ("plain", "late", VEILED)]
    told = leaks.read_archive(archive) | leaks.read_addresses(Client(), letters.TAG, systems)
    words = {f"Quorlan{n:02}" for n in range(letters.DOCUMENTS)}
    assert list(leaks.leaks(told, {"texts": words, **leaks.planted()})) == []
    asked = Question.objects.filter(published_at=None)
    assert Label.objects.filter(question__in=asked).exists()
    published = list(csv.DictReader(told["archive questions.csv"].decode().splitlines()))
    assert not {(one["doc_id"], one["key"]) for one in published} & set(
        asked.values_list("document__doc_id", "key")
    )
    assert "plain" in told["archive systems.csv"].decode()
    assert "Anonymous" in told["archive systems.csv"].decode()
