"""Archives of generated text: what comes out of them, whose judgements they are, and what is in none."""

from random import Random

import pytest
from django.db import transaction
from django.test import Client, override_settings

from annotations.models import Corpus, Label, Question, Response
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring import releasing
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import compare
from tests import leaks, notes
from tests.archives import EPOCHS, made
from tests.leaks import VEILED

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("people", "media")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("notes")


@pytest.fixture(scope="module")
def people(django_db_setup, django_db_blocker, folder):
    """Who judged four systems of four teams, one hidden, one withdrawn, one anonymous."""
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        override_settings(KBPO_EPOCH_SECRET=bytes(range(32)), MEDIA_ROOT=str(folder / "media")),
    ):
        Installation.objects.all().delete()
        path_of(installation.PLACE).unlink(missing_ok=True)
        yield notes.judged(folder)[1]
        transaction.set_rollback(True)


def release():
    corpus = Corpus.objects.get()
    releasing.release(corpus=corpus, task=task_of(corpus), retire=None)
    return made()


def rows(archive, table, *names):
    columns = archive.table(table)
    return list(zip(*(list(columns[name]) for name in names), strict=True))


def test_every_published_figure_comes_out_of_it_again(people):
    with Archive(path_of(release().place)) as archive:
        again = compare(archive)
    assert again.agrees, list(again.differences.items())[:3]
    assert again.scores.held_back == again.ranks.held_back == again.subsets.held_back == 0
    assert {place.system for place in again.scores.stated} == {1, 2, 3, 4}


def named(archive):
    """Return by whom the judgements of an archive are."""
    return {name for name in archive.table("judgements")["annotator"] if name}


@pytest.mark.slow
def test_who_judged_has_another_pseudonym_in_another_release(people, tmp_path):
    release()
    notes.submit(tmp_path, "late", "Delta", 4)
    notes.judge(people, Random(4))
    release()
    names, who = [], []
    for one in EPOCHS.select_related("epoch").order_by("epoch__number"):
        answers = Response.objects.filter(question__published_at=one.epoch.released_at)
        who.append(set(answers.values_list("worker", flat=True)))
        with Archive(path_of(one.place)) as archive:
            names.append(named(archive))
            assert set(archive.table("votes")["annotator"]) == names[-1]
        assert len(names[-1]) == len(who[-1])
    assert who[0] & who[1]
    assert not names[0] & names[1]


@pytest.mark.slow
def test_that_outputs_which_were_published_before_tie_pseudonyms_together_is_said(people, tmp_path):
    """Estimates need to know whose judgements are one person's, of such outputs too."""
    release()
    notes.submit(tmp_path, "late", "Delta", 0)  # it writes what another wrote, which is published now
    notes.judge(people, Random(4))
    release()
    with Archive(path_of(EPOCHS.get(epoch__number=2).place)) as archive:
        units = rows(archive, "units", "unit", "question", "known")
        question = {unit: asked for unit, asked, is_known in units if is_known}
        assert question
        answers = {}
        for asked, annotator, claim, value in rows(
            archive, "votes", "question", "annotator", "claim", "value"
        ):
            answers.setdefault(asked, {}).setdefault(annotator, {})[claim] = value
        single = {asked: next(iter(by)) for asked, by in answers.items() if len(by) == 1}
        tied = {
            (single[question[unit]], annotator)
            for unit, annotator in rows(archive, "judgements", "unit", "annotator")
            if question.get(unit) in single
        }
        assert tied
        assert all(before != now for before, now in tied)
        said = " ".join(archive.read("README.md").decode().split())
    assert "who answered in both releases can be followed from one to the other" in said


def test_in_one_release_judgements_and_votes_are_by_the_same_names(people):
    """What the datasheet says of both: the second repeats what the first says of the sampled outputs."""
    with Archive(path_of(release().place)) as archive:
        question = dict(rows(archive, "units", "unit", "question"))
        judged = {
            (question[unit], annotator, measure, value)
            for unit, annotator, measure, value in rows(
                archive, "judgements", "unit", "annotator", "measure", "value"
            )
        }
        votes = set(rows(archive, "votes", "question", "annotator", "claim", "value"))
    assert judged
    assert judged <= votes


@pytest.mark.slow
def test_nothing_that_is_sealed_is_told(people, tmp_path):
    archive = release()
    notes.submit(tmp_path, "late", "Delta", 4)
    notes.judge(people, Random(4))  # its epoch is open, and has answers
    Corpus.objects.update(texts=Corpus.Texts.OPERATORS)
    systems = [Submission.objects.get(name=name).pk for name in ("plain", "late", VEILED)]
    told = leaks.read_archive(archive) | leaks.read_addresses(Client(), notes.TAG, systems)
    words = {f"Quorlan{n:02}" for n in range(notes.INPUTS)}
    words |= {f"Vesper{seed}x{n:02}" for seed in range(5) for n in range(notes.INPUTS)}
    assert list(leaks.leaks(told, {"texts": words, **leaks.planted()})) == []
    asked = Question.objects.filter(published_at=None)
    assert Label.objects.filter(question__in=asked).exists()
    with Archive(path_of(archive.place)) as opened:
        published = set(rows(opened, "questions", "doc_id", "key"))
    assert not published & set(asked.values_list("document__doc_id", "key"))
    assert "Anonymous" in told["archive systems.csv"].decode()
    assert EPOCHS.count() == 1
