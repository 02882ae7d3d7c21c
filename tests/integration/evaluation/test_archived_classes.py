"""Archives of classifications: what comes out of them, and what of hidden systems does not."""

import csv

import numpy as np
import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.utils import timezone

from annotations.models import Corpus, Label, Question
from evaluation.classification import archiving, scoring
from evaluation.classification.task import TASK
from evaluation.models import Edition, Epoch, Estimate, SampledUnit, Submission
from evaluation.scoring import releasing
from evaluation.scoring.published import freezing
from evaluation.submissions import lifecycle
from kbpo import pipeline
from kbpo.core.errors import Conflict
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.errors import BadArchive
from kbpo_archive.figures import stated, stated_subsets
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import AGREE, compare
from kbpo_archive.writing import Writer
from kbpo_client import command
from kbpo_estimators.classification.estimates import Given, learn
from tests import leaks, letters
from tests.archives import forget_archives, leaderboard, made
from tests.crowd import operator
from tests.leaks import HIDDEN, VEILED, WITHDRAWN

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("corpus", "media")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("letters")


@pytest.fixture(scope="module")
def corpus(django_db_setup, django_db_blocker, folder):
    """Four systems of four teams, one hidden, one withdrawn, one anonymous, judged and audited."""
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

    They fit the model, which learnt from shown systems alone, and know what the hidden system's sums are
    under each of 2^20 hypotheses.
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
        truth = np.array([holds.get(one, -1) for one in units["question"].tolist()])
        truth[~pool.sampled] = -1
        numbers = [int(one[1:]) for one in units["doc_id"]]
        self.unknown = np.flatnonzero(~pool.sampled)[:UNKNOWN]
        systems = {
            seed + 1: Given(
                np.array([names.index(letters.given(seed, one)[0]) for one in numbers]),
                np.array([letters.given(seed, one)[1] for one in numbers]),
                team,
            )
            for seed, team in enumerate(archive.table("systems")["team"].tolist())
        }
        self.hidden = 1 + list(letters.SYSTEMS).index(HIDDEN)
        self.given = systems[self.hidden].classes
        modelled = [systems[one] for one in archive.manifest["modelled"]]
        self.q, _ = learn(modelled, len(names), pool.sampled, units["fold"], truth)

    def sums(self):
        """Return Σ q of the first class over the items that the hidden system gives it, by hypothesis.

        Bit i of a hypothesis' number says which class it gives the i-th unknown item.
        """
        is_known = np.ones(self.given.size, dtype=bool)
        is_known[self.unknown] = False
        found = np.array([self.q[:, 0][is_known & (self.given == 0)].sum() + self.q[self.unknown, 0].sum()])
        for one in self.q[self.unknown, 0]:
            found = np.concatenate([found, found - one])
        return found

    def is_answer(self, number):
        """Say whether a hypothesis is what the system says."""
        return [(number >> bit) & 1 for bit in range(UNKNOWN)] == self.given[self.unknown].tolist()


@pytest.fixture
def otherwise(monkeypatch):
    """Have hidden systems give every item that nobody judged another class than they do."""

    def act():
        read = scoring._read_given

        def changed(pool, names):
            systems = read(pool, names)
            judged = set(SampledUnit.objects.filter(epoch=pool.epoch).values_list("unit_id", flat=True))
            is_sampled = np.zeros(pool.size, dtype=bool)
            is_sampled[pool.positions(np.array(sorted(judged)))] = True
            for number in hidden_ones():
                one = systems[number - 1]
                classes = np.where(is_sampled, one.classes, (one.classes + 1) % len(names))
                systems[number - 1] = Given(classes, one.confidence, one.team)
            return systems

        monkeypatch.setattr(scoring, "_read_given", changed)
        Epoch.objects.update(scores_due=True)
        pipeline.advance()

    return act


AMONG_ALL = {"rank", "apart", "is_significant"}
"""What is among all systems, those that are hidden too: whole numbers."""
OF_THE_MOMENT = {"taken_at", "computed_at", "digest", "size", "number"}


def without(value, names):
    """Return JSON without some of its keys."""
    if isinstance(value, dict):
        return {name: without(one, names) for name, one in value.items() if name not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def figures_outside(shown):
    """Return all that everybody reads of two shown systems' scores outside of the archive."""
    client, api = Client(), "/api/v1"
    first, second = shown
    kept, _ = freezing.freeze(corpus=Corpus.objects.get(), task=TASK, now=timezone.now())
    found = [leaderboard(kept)["tables"]]
    for address in (
        f"{api}/corpora/{letters.TAG}/leaderboard/",
        f"{api}/corpora/{letters.TAG}/compare/?a={first}&b={second}",
        *(f"{api}/submissions/{pk}/scores/" for pk in shown),
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        found.append(answer.json())
    return without(found, AMONG_ALL | OF_THE_MOMENT)


def figures_of_archive(archive):
    """Return all figures that an archive states of systems."""
    tables = {name: archive.table(name) for name in ("scores", "subset_scores", "predictions", "audits")}
    return {
        f"{name} {column}": repr(np.asarray(values).tolist())  # as text: NaN is not NaN
        for name, table in tables.items()
        for column, values in table.items()
    }


@pytest.mark.slow
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


def test_no_figure_of_a_shown_system_rests_on_what_a_hidden_one_gives_unjudged_items(corpus, otherwise):
    """With every digit: had the model known hidden systems, these would tell their classes, if few."""
    shown = [Submission.objects.get(name=name).pk for name in ("plain", VEILED)]
    before, ranked = figures_outside(shown), Estimate.objects.count()
    hidden = list(Estimate.objects.filter(score__submission__name=HIDDEN).values_list("estimate", flat=True))
    assert sum("0." in str(one) for one in before) == len(before)
    with transaction.atomic():
        with Archive(path_of(release().place)) as archive:
            told = figures_of_archive(archive)
        transaction.set_rollback(True)
    otherwise()
    assert Estimate.objects.count() == ranked
    changed = Estimate.objects.filter(score__submission__name=HIDDEN).values_list("estimate", flat=True)
    assert list(changed) != hidden
    assert figures_outside(shown) == before
    forget_archives()
    with Archive(path_of(release().place)) as archive:
        assert figures_of_archive(archive) == told


def test_sums_over_few_items_would_single_out_what_a_hidden_system_gives_each(corpus, many):
    """So they are told of many alone."""
    with Archive(path_of(release().place)) as archive:
        attack, sums = Attack(archive), archive.table("class_sums")
    assert set(sums["system"].tolist()) == set(hidden_ones())
    own = (sums["system"] == attack.hidden) & (sums["class"] == 0)
    (found,) = np.flatnonzero(np.abs(attack.sums() - sums["likely"][own]) < 1e-12)
    assert attack.is_answer(int(found))


def test_of_few_unjudged_items_nothing_is_told_of_hidden_systems_and_all_of_others(corpus, capsys):
    found = release()
    with Archive(path_of(found.place)) as archive:
        assert archive.manifest["predictions"] == "nothing"
        assert archive.manifest["modelled"] == [1, 4]
        assert not archive.has("class_sums")
        figures, subsets = stated(archive), stated_subsets(archive)
        again = compare(archive)
    assert {place.system for place in figures} == {place.system for place in subsets} == {1, 4}
    assert found.figures == len(figures) < Estimate.objects.count()
    assert again.scores.stated.keys() == figures.keys()
    assert again.subsets.stated.keys() == subsets.keys()
    assert again.scores.held_back == again.subsets.held_back == 0
    assert again.ranks.held_back > 0
    assert again.agrees, list(again.differences.items())[:3]
    assert command.main(["recompute", str(path_of(found.place))]) == 0
    said = capsys.readouterr().err
    assert "figures of ranks were published, and rest on what is not in the archive" in said
    assert "or hidden systems whose scores it does not state" in said
    assert "all published figures that can be compared come out again" in said


def test_whoever_was_hidden_once_is_in_no_model_of_the_epoch(corpus):
    hidden = Submission.objects.get(name=HIDDEN)
    assert scoring.modelled_systems(hidden.batch.epoch)[hidden.pk] is False
    lifecycle.set_public(submission=hidden, user=operator(), is_public=True)
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert scoring.modelled_systems(hidden.batch.epoch)[hidden.pk] is False


def test_who_withdraws_after_the_release_stays_in_its_model_and_archive(corpus):
    first = release()
    shown = Submission.objects.get(name="plain")
    lifecycle.withdraw(submission=shown, user=operator())
    pipeline.advance()
    second = Edition.objects.latest("pk")
    assert second.edition == first.edition + 1
    with Archive(path_of(second.place)) as archive:
        assert archive.table("systems")["shown"][0] == "withdrawn"
        assert archive.manifest["modelled"] == [1, 4]
        assert {place.system for place in stated(archive)} == {1, 4}
        again = compare(archive)
    assert again.agrees, list(again.differences.items())[:3]


def test_an_epoch_is_not_released_while_its_model_knows_a_hidden_system(corpus):
    lifecycle.set_public(submission=Submission.objects.get(name=VEILED), user=operator(), is_public=False)
    with pytest.raises(Conflict, match="not up to date"):
        release()
    pipeline.advance()
    with Archive(path_of(release().place)) as archive:
        assert archive.manifest["modelled"] == [1]
        assert compare(archive).agrees


def test_where_sums_are_told_the_classes_have_more_bits_than_these(corpus, monkeypatch):
    least = archiving.least_withheld
    withheld = len(unsampled())
    with monkeypatch.context() as patch:
        patch.setattr(archiving, "least_withheld", lambda *sizes: withheld)
        with Archive(path_of(release().place)) as archive:
            sums, items = archive.table("class_sums"), archive.table("units")["unit"].size
    own = sums["system"] == hidden_ones()[0]
    fractions = sum(int((~np.isnan(sums[name][own])).sum()) for name in ("likely", "own", "all", "need"))
    bits = 53 * fractions + int(own.sum()) * np.log2(items + 1)
    moments = 2 * 53  # of confidences: what the model says of judged items follows from these
    assert least(2, items) >= bits + moments
    assert least(16, items) * 4 >= bits * 8 + moments  # eight times as many classes, and four bits each
    assert least(2, items) > withheld


def test_sums_that_lack_a_row_are_refused(corpus, many, tmp_path):
    path = tmp_path / "short.zip"
    with Archive(path_of(release().place)) as archive, path.open("wb") as file:
        writer = Writer(file)
        for name in archive.digests:
            lines = archive.read(name).splitlines(keepends=True)
            writer.add(name, lines[:-1] if name == "class_sums.csv" else lines)
        writer.finish(archive.manifest)
    with Archive(path) as archive, pytest.raises(BadArchive, match="lacks rows"):
        compare(archive)


def test_where_all_systems_are_shown_each_class_is_told_and_the_model_is_fitted_anew(corpus):
    Submission.objects.update(is_public=True, state="scored")
    with Archive(path_of(release().place)) as archive:
        assert archive.manifest["predictions"] == "each"
        assert archive.manifest["modelled"] == [1, 4]
        assert not archive.has("class_sums")
        assert all(archive.table("predictions")["label"])
        again = compare(archive)
    assert again.agrees
    assert again.scores.held_back == 0


@pytest.mark.slow
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
