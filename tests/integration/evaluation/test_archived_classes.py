"""Archives of classifications: what comes out of them, and what of hidden systems does not."""

import csv
import re

import numpy as np
import pytest
from django.db import transaction
from django.test import Client, override_settings

from annotations.models import Corpus, Label, Question
from evaluation.classification import archiving
from evaluation.classification.task import TASK
from evaluation.models import EpochArchive, Estimate, SampledUnit, Snapshot, Submission
from evaluation.scoring import releasing
from evaluation.scoring.published import freezing
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import stated, stated_subsets
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, compare
from kbpo_archive.tables import FORMAT
from kbpo_archive.writing import Writer
from kbpo_client import command
from kbpo_estimators.classification.estimates import Given, Scores, learn
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


@pytest.fixture
def many(monkeypatch):
    """Have so few items count as many: of many, sums are told."""
    monkeypatch.setattr(archiving, "least_withheld", lambda *sizes: 1)


UNKNOWN = 20
"""Unjudged items of which an attacker does not know what the hidden system gives them."""


class Attack:
    """What somebody can work out who knows the estimators, the archive, and all classes but `UNKNOWN`.

    Each of these moves what the pooled model says of its own item alone: so they refit the model as if the
    hidden system gave all items the one class, and the other, and know any sum under each of 2^20 hypotheses.
    """

    def __init__(self, archive):
        pool, labels = ArchivedPool(archive), archive.table("labels")
        units, names = pool.units, list(letters.NAMES)
        holds = {
            question: names.index(claim)
            for question, claim, value in zip(
                labels["question"].tolist(), labels["claim"], labels["value"].tolist(), strict=True
            )
            if value == 1
        }
        self.truth = np.array([holds.get(one, -1) for one in units["question"].tolist()])
        self.truth[~pool.sampled] = -1
        self.numbers = [int(one[1:]) for one in units["doc_id"]]
        self.unknown = np.flatnonzero(~pool.sampled)[:UNKNOWN]
        self.given = [
            np.array([names.index(letters.given(seed, one)[0]) for one in self.numbers])
            for seed in range(len(letters.SYSTEMS))
        ]
        hidden = list(letters.SYSTEMS).index(HIDDEN)
        self.answer = self.given[hidden][self.unknown]
        self.worlds, self.scores = [], []
        for number in range(len(names)):
            given = [one.copy() for one in self.given]
            given[hidden][self.unknown] = number
            systems = [
                Given(one, np.array([letters.given(seed, at)[1] for at in self.numbers]), team)
                for seed, (one, team) in enumerate(
                    zip(given, archive.table("systems")["team"].tolist(), strict=True)
                )
            ]
            q, _ = learn(systems, len(names), pool.sampled, units["fold"], self.truth)
            self.worlds.append(q)
            self.scores.append(Scores.of(systems, len(names), units["pi"], pool.sampled, self.truth, q))
        self.hidden = hidden

    def hypotheses(self, base, of_first, of_second):
        """Return what a sum is under each hypothesis: bit i of its number says which class the i-th has."""
        found = np.array([base + of_first.sum()])
        for one in of_second - of_first:
            found = np.concatenate([found, found + one])
        return found

    def sums(self):
        """Return Σ q of the first class over the items that the hidden system gives it, by hypothesis."""
        q, given = self.worlds[0], self.given[self.hidden]
        is_known = np.ones(given.size, dtype=bool)
        is_known[self.unknown] = False
        own = q[self.unknown, 0]
        return self.hypotheses(q[is_known & (given == 0), 0].sum(), own, np.zeros(own.size))

    def accuracies(self, system):
        """Return a shown system's accuracy by hypothesis."""
        given, (first, second) = self.given[system - 1][self.unknown], self.worlds
        own, other = first[self.unknown, given], second[self.unknown, given]
        all_first = self.scores[0].overall(system - 1)["accuracy"].estimate
        size = len(self.numbers)
        return self.hypotheses(all_first - own.sum() / size, own / size, other / size)

    def is_answer(self, number):
        """Say whether a hypothesis is what the system says."""
        return [(number >> bit) & 1 for bit in range(UNKNOWN)] == self.answer.tolist()


def accuracies(archive):
    """Return the accuracy of each system, as an archive states it."""
    return {
        place.system: figure.estimate
        for place, figure in stated(archive).items()
        if (place.measure, place.standard, place.level) == ("accuracy", "votes", 95)
    }


def test_every_published_figure_comes_out_of_it_again(corpus, many):
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


def test_sums_over_few_items_would_single_out_what_a_hidden_system_gives_each(corpus, many):
    """So the attack works where it can: what the next test looks at would show it."""
    with Archive(path_of(release().place)) as archive:
        attack, sums = Attack(archive), archive.table("class_sums")
        shown = accuracies(archive)
    own = (sums["system"] == attack.hidden + 1) & (sums["class"] == 0)
    (found,) = np.flatnonzero(np.abs(attack.sums() - sums["likely"][own]) < 1e-12)
    assert attack.is_answer(int(found))
    (found,) = np.flatnonzero(np.abs(attack.accuracies(1) - shown[1]) < 1e-13)
    assert attack.is_answer(int(found))


def test_of_few_unjudged_items_neither_sums_nor_digits_are_told_and_many_answers_fit(corpus, capsys):
    found = release()
    with Archive(path_of(found.place)) as archive:
        assert archive.manifest["predictions"] == "nothing"
        assert not archive.has("class_sums")
        assert not archive.has("predicted")
        attack, shown = Attack(archive), accuracies(archive)
        figures, subsets = stated(archive), stated_subsets(archive)
        again = compare(archive)
    assert shown.keys() == {1, 4}
    assert found.figures == len(figures) < Estimate.objects.count()
    assert {place.system for place in subsets} == {1, 4}
    for figure in (*figures.values(), *subsets.values()):
        for one in (figure.estimate, figure.low, figure.high):
            assert one is None or one == round(one, 3)
    fits = np.ones(1 << UNKNOWN, dtype=bool)
    for system, accuracy in shown.items():
        fits &= np.abs(attack.accuracies(system) - accuracy) <= 0.0005 + 1e-12
    assert fits.any()
    assert fits.sum() > 1000
    assert not again.scores.stated
    assert again.scores.held_back == len(figures)
    assert again.subsets.held_back == len(subsets)
    assert again.agrees
    assert command.main(["recompute", str(path_of(found.place))]) == 1
    said = capsys.readouterr().err
    assert f"{len(figures):,} more figures of scores were published" in said
    assert "what hidden systems say of too few items that nobody judged" in said
    assert "none of its figures could be compared" in said


def test_where_sums_are_told_the_classes_have_more_bits_than_these(corpus, monkeypatch):
    least = archiving.least_withheld
    withheld = len(unsampled())
    with monkeypatch.context() as patch:
        patch.setattr(archiving, "least_withheld", lambda *sizes: withheld)
        with Archive(path_of(release().place)) as archive:
            sums = archive.table("class_sums")
            systems, items = archive.table("systems")["system"].size, archive.table("units")["unit"].size
    fractions = sum(int((~np.isnan(sums[name])).sum()) for name in ("likely", "need"))
    counts = int((sums["items"] >= 0).sum())
    bits = 53 * fractions + counts * np.log2(items + 1)
    assert least(systems, 2, items) >= bits
    assert least(systems, 16, items) * 4 >= bits * 8  # eight times as many classes, and four bits each
    assert least(systems, 2, items) > withheld


def test_an_edition_that_told_each_class_is_not_given_any_more_and_made_again(corpus, client):
    first = release()
    EpochArchive.objects.update(format=1, state="1" + first.state[1:])
    address = f"/corpora/{letters.TAG}/data/{first.name}"
    answer = client.get(address)
    assert answer.status_code == 404
    assert "which classes hidden systems give documents" in answer.text
    listed = client.get(f"/api/v1/corpora/{letters.TAG}/data/").json()["results"]
    assert {one["name"]: one["is_open"] for one in listed}[first.name] is False
    second = made()
    assert (second.edition, second.format) == (2, FORMAT)
    assert not path_of(first.place).exists()
    assert client.get(address).status_code == 404
    assert client.get(f"/corpora/{letters.TAG}/data/{second.name}").status_code == 200


@pytest.mark.parametrize("table", ["predicted", "class_sums"])
def test_sums_that_lack_a_row_are_refused(corpus, many, table, tmp_path):
    path = tmp_path / "short.zip"
    with Archive(path_of(release().place)) as archive, path.open("wb") as file:
        writer = Writer(file)
        for name in archive.digests:
            lines = archive.read(name).splitlines(keepends=True)
            writer.add(name, lines[:-1] if name == f"{table}.csv" else lines)
        writer.finish(archive.manifest)
    with Archive(path) as archive, pytest.raises(BadArchive, match="lacks rows"):
        compare(archive)


def test_where_all_systems_are_shown_each_class_is_told_and_the_model_is_fitted_anew(corpus):
    Submission.objects.update(is_public=True, state="scored")
    with Archive(path_of(release().place)) as archive:
        assert archive.manifest["predictions"] == "each"
        assert not archive.has("class_sums")
        assert all(archive.table("predictions")["label"])
        again = compare(archive)
    assert again.agrees
    assert again.scores.held_back == 0


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


def test_of_sums_no_earlier_figure_comes_out_and_why_is_said(corpus, many, tmp_path, capsys):
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
