import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.models import Corpus, Question
from evaluation.design import audit, epochs
from evaluation.kbp.recall import document_phases, exhaustive
from evaluation.kbp.recall.annotated import read_sample
from evaluation.kbp.recall.document_coverage import band_coverage
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    DocumentSample,
    Epoch,
    Estimate,
    SampledDocument,
    SecondPhaseProbability,
    Submission,
)
from evaluation.scoring import comparing
from kbpo import pipeline
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_estimators.document_samples import TwoPhase
from tests.factories import UserFactory
from tests.world import World

pytestmark = pytest.mark.django_db


def annotate(corpus: Corpus, gold: Path, doc_ids: set[str]) -> None:
    """Load the expert annotations of some documents."""
    lines = [line for line in gold.read_text().splitlines() if json.loads(line)["doc_id"] in doc_ids]
    path = gold.with_name("some.jsonl")
    path.write_text("".join(f"{line}\n" for line in lines))
    call_command("load_gold", str(path), "--corpus", corpus.tag, verbosity=0)


def drawn(sample: DocumentSample, phase: int) -> set[str]:
    return set(sample.documents.filter(phase=phase).values_list("document__doc_id", flat=True))


def test_the_first_phase_is_uniform_and_comes_out_the_same_again(unsampled: Corpus) -> None:
    found = document_phases.sample_documents(corpus=unsampled, size=20)
    assert (found.drawn, found.lacking) == (4, 4)
    assert set(found.sample.documents.values_list("phase", "probability")) == {(1, 4 / 60)}
    again = document_phases.sample_documents(corpus=unsampled, size=20)
    assert (again.sample, again.drawn) == (found.sample, 4)


def test_the_second_phase_waits_for_the_last_annotation_of_the_first(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    first = drawn(sample, 1)
    annotate(unsampled, gold, set(sorted(first)[1:]))
    assert document_phases.draw_due_phases() == 0
    annotate(unsampled, gold, first)
    assert document_phases.draw_due_phases() == 1
    assert document_phases.draw_due_phases() == 0
    assert drawn(sample, 1) == first
    assert not drawn(sample, 2) & first


def test_the_second_phase_locks_the_corpus_before_the_sample_as_a_release_does(
    unsampled: Corpus, gold: Path
) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, drawn(sample, 1))
    with CaptureQueriesContext(connection) as queries:
        assert document_phases.draw_second_phase(sample=sample)
    locking = [one["sql"] for one in queries if " FOR " in one["sql"] and "UPDATE" in one["sql"]]
    tables = [sql.split("FROM ")[1].split()[0] for sql in locking]
    assert tables[:2] == ['"annotations_corpus"', '"evaluation_documentsample"']


def asked(sample: DocumentSample) -> set[str]:
    of = Question.objects.filter(kind="entities", document__corpus=sample.corpus)
    return set(of.values_list("document__doc_id", flat=True))


def test_people_are_asked_about_what_is_drawn_once_and_about_nothing_else(
    unsampled: Corpus, gold: Path
) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    first = drawn(sample, 1)
    assert asked(sample) == first
    document_phases.sample_documents(corpus=unsampled, size=20)
    assert Question.objects.filter(kind="entities").count() == 4
    annotate(unsampled, gold, first)
    pipeline.draw_documents()
    assert asked(sample) == first | drawn(sample, 2)
    assert document_phases.ask_documents(sample=sample) == 0


def test_nobody_is_asked_about_a_document_that_an_expert_has_annotated(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    first = drawn(sample, 1)
    annotate(unsampled, gold, set(unsampled.documents.values_list("doc_id", flat=True)))
    assert document_phases.draw_due_phases() == 1
    assert drawn(sample, 2)
    assert asked(sample) == first


def test_every_document_that_was_left_has_its_probability_stored(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    stored = dict(SecondPhaseProbability.objects.values_list("document_id", "probability"))
    assert len(stored) == 56
    assert sum(stored.values()) == pytest.approx(16)
    assert min(stored.values()) >= 0.2 * 16 / 56 * (1 - 1e-12)
    for document_id, p2 in SampledDocument.objects.filter(phase=2).values_list("document", "probability"):
        assert stored[document_id] == p2


def test_documents_with_the_first_phases_names_are_more_probable(world: World, tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    texts = [f"Ada Quill came to Tarn{d}." if d % 2 else f"Nobody came to field {d}." for d in range(40)]
    rows = ({"doc_id": f"D{d}", "title": "", "date": None, "text": text} for d, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call_command("load_corpus", str(path), "--corpus", "ada", verbosity=0)
    corpus = Corpus.objects.get(tag="ada")
    sample = document_phases.sample_documents(corpus=corpus, size=20, uniform_share=0.3).sample
    lines = []
    for document in corpus.documents.filter(sampled__phase=1):
        span = [0, 9] if document.text.startswith("Ada") else None
        mention = {"start": 0, "end": 9, "type": "PER", "canonical": span, "link": None}
        lines.append({"doc_id": document.doc_id, "mentions": [mention] if span else [], "relations": []})
    annotations = tmp_path / "gold.jsonl"
    annotations.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("load_gold", str(annotations), "--corpus", "ada", verbosity=0)
    document_phases.draw_due_phases()
    assert list(sample.names.values_list("name", "documents")) == [("ada quill", 20)]
    p2 = {
        has_ada: set(
            sample.second_phase.filter(document__text__startswith=start).values_list("probability", flat=True)
        )
        for has_ada, start in ((True, "Ada"), (False, "Nobody"))
    }
    assert len(p2[True]) == len(p2[False]) == 1
    assert p2[True].pop() > p2[False].pop() > 0


def test_both_phases_are_audited(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    assert audit.audit_corpus(unsampled, KBP) == []
    sample.documents.filter(phase=2).first().delete()
    assert audit.audit_corpus(unsampled, KBP) == [
        "the exhaustive documents of the second phase differ at 1 documents"
    ]
    SecondPhaseProbability.objects.filter(probability__lt=1).update(probability=0.5)
    assert "p2 differs at 56 documents" in audit.audit_corpus(unsampled, KBP)


def test_an_audit_finds_a_probability_that_estimates_would_use_wrongly(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    for phase in (1, 2):
        sample.documents.filter(pk=sample.documents.filter(phase=phase).first().pk).update(probability=0.01)
        found = f"the probabilities of the exhaustive documents differ at {phase} documents"
        assert audit.audit_corpus(unsampled, KBP) == [found]


def test_an_audit_finds_another_population(unsampled: Corpus) -> None:
    document_phases.sample_documents(corpus=unsampled, size=20)
    DocumentSample.objects.update(population=61)
    assert audit.audit_corpus(unsampled, KBP) == ["drawn from 61 documents; there were 60"]


def test_an_audit_finds_a_document_without_a_probability_in_the_second_phase(
    unsampled: Corpus, gold: Path
) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    never = sample.second_phase.exclude(document__sampled__sample=sample).first()
    assert never is not None
    never.delete()
    assert "p2 is stored of 55 documents, and the first phase left 56" in audit.audit_corpus(unsampled, KBP)


@pytest.mark.parametrize(
    ("size", "share", "message"),
    [(1, 0.2, "--n: 1 is not between 2 and the 60"), (61, 0.2, "--n: 61"), (20, 0.0, "--uniform-share: 0")],
)
def test_a_sample_that_cannot_be_drawn_is_refused(
    unsampled: Corpus, size: int, share: float, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        document_phases.sample_documents(corpus=unsampled, size=size, uniform_share=share)


def test_another_sample_of_the_same_corpus_is_refused(unsampled: Corpus) -> None:
    document_phases.sample_documents(corpus=unsampled, size=20)
    with pytest.raises(Conflict, match="20 documents, 4 of them first: another is not drawn"):
        document_phases.sample_documents(corpus=unsampled, size=30)


def test_experts_annotations_leave_a_sample_in_two_phases_as_it_is(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    call_command("load_gold", str(gold), "--corpus", "bare", verbosity=0)
    assert exhaustive.draw_documents(corpus=unsampled) == sample
    with pytest.raises(Conflict):
        exhaustive.draw_documents(corpus=unsampled, size=20, seed=sample.seed)


def test_the_command_says_how_far_it_is(
    unsampled: Corpus, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("sample_documents", "--corpus", "bare", "--n", "20")
    assert "4 of some 20 documents are drawn, 4 of them uniformly; the others" in capsys.readouterr().out
    annotate(unsampled, gold, set(unsampled.documents.values_list("doc_id", flat=True)))
    capsys.readouterr()
    call_command("sample_documents", "--corpus", "bare", "--n", "20", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["second_phase_drawn"] is True
    assert report["not_annotated"] == 0


def test_coverage_is_compared_with_a_uniform_draw(unsampled: Corpus, gold: Path) -> None:
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    assert band_coverage(sample) == []
    annotate(unsampled, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    (band,) = band_coverage(sample)
    # Every name of this world is in one document alone, one that was drawn.
    assert (band.name, band.documents, band.uniform) == ("at most 3", 1, 1)
    assert [(share.sampled, share.uniform) for share in band.shares] == [(1, 1), (0, 0), (0, 0), (0, 0)]


def test_only_operators_see_the_exhaustive_documents(unsampled: Corpus, client: Client) -> None:
    client.force_login(UserFactory())
    assert client.get(f"/corpora/{unsampled.tag}/exhaustive/").status_code == 403


def test_an_operator_draws_the_documents_on_a_page(unsampled: Corpus, gold: Path, client: Client) -> None:
    client.force_login(UserFactory(operator=True))
    page = f"/corpora/{unsampled.tag}/exhaustive/"
    assert "None are drawn yet" in client.get(page).content.decode()
    refused = client.post(page, {"size": "61", "uniform_share": "0.2"})
    assert refused.status_code == 400
    assert "61 is not between 2 and the 60 documents" in refused.content.decode()
    assert client.post(page, {"size": "20", "uniform_share": "0.2"}).status_code == 302
    assert Question.objects.filter(kind="entities").count() == 4
    assert "4 of them are not annotated yet" in client.get(page).content.decode()
    annotate(unsampled, gold, set(unsampled.documents.values_list("doc_id", flat=True)))
    document_phases.draw_due_phases()
    assert "What they cover" in client.get(page).content.decode()


@pytest.fixture
def two_phases(corpus: Corpus) -> DocumentSample:
    """A sample in two phases of a corpus whose documents are all annotated."""
    Epoch.objects.update(document_sample=None)
    DocumentSample.objects.all().delete()
    return document_phases.sample_documents(corpus=corpus, size=30, uniform_share=0.5).sample


def recall(submission: Submission) -> Estimate:
    score = submission.scores.get(part="relation", weighting="instance", estimator="documents", level=95)
    return score.estimates.get(measure="recall")


@pytest.mark.slow
def test_recall_weighs_the_documents_of_both_phases(
    corpus: Corpus, two_phases: DocumentSample, submit: Callable[..., Submission], judge: Callable[[], None]
) -> None:
    submission = submit("one")
    pipeline.advance()
    judge()
    found, weights = [], []
    for row in two_phases.documents.select_related("document"):
        true = row.document.annotations.get().relations
        claims = submission.predictions.filter(instance__document=row.document)
        keys = set(claims.values_list("instance__predicate", "instance__subject_start"))
        found.append(sum(key in keys for key in true.values_list("predicate", "subject_start")))
        # ω = ½: the first phase's weigh ½ · 60/15 + ½, the second's ½ / p2.
        weights.append(2.5 if row.phase == 1 else 0.5 / row.probability)
    expected = np.dot(weights, found) / (3 * sum(weights))
    assert recall(submission).estimate == pytest.approx(expected, rel=1e-12)
    assert recall(submission).estimate != pytest.approx(np.mean(found) / 3, rel=1e-6)


@pytest.mark.slow
def test_recall_rests_on_the_first_phase_until_the_second_is_annotated(
    corpus: Corpus, two_phases: DocumentSample, submit: Callable[..., Submission], judge: Callable[[], None]
) -> None:
    row = two_phases.documents.filter(phase=2).first()
    row.document.annotations.all().delete()
    submission = submit("one")
    pipeline.advance()
    judge()
    assert recall(submission).score.counts["documents"] == 15


def second_of(sample: DocumentSample, size: int) -> list[SampledDocument]:
    """Leave so many documents of the second phase, of which the first lacks its annotation."""
    second = list(sample.documents.filter(phase=2).order_by("pk"))
    for row in second[size:]:
        row.delete()
    second[0].document.annotations.all().delete()
    return second[:size]


@pytest.mark.parametrize(("size", "first_alone"), [(1, False), (4, False), (5, True)])
def test_a_second_phase_of_few_documents_is_told_with_the_first_alone(
    two_phases: DocumentSample, gold: Path, size: int, first_alone: bool
) -> None:
    second = second_of(two_phases, size)
    read = read_sample(two_phases)
    assert (read is not None) == first_alone
    if read is not None:
        assert len(read.annotations) == 15
    annotate(two_phases.corpus, gold, {second[0].document.doc_id})
    read = read_sample(two_phases)
    assert read is not None
    assert len(read.annotations) == 15 + size
    assert isinstance(read.design, TwoPhase)


@pytest.mark.slow
def test_no_recall_that_is_published_less_another_is_about_few_documents(
    corpus: Corpus, two_phases: DocumentSample, submit: Callable[..., Submission], judge: Callable[[], None]
) -> None:
    second_of(two_phases, 2)
    submission = submit("one")
    pipeline.advance()
    judge()
    assert recall(submission).estimate is None


def test_while_the_second_phase_is_not_drawn_the_first_is_not_told(two_phases: DocumentSample) -> None:
    two_phases.documents.filter(phase=2).delete()
    DocumentSample.objects.filter(pk=two_phases.pk).update(second_drawn_at=None)
    two_phases.refresh_from_db()
    assert read_sample(two_phases) is None


@pytest.mark.slow
def test_there_is_no_recall_until_the_first_phase_is_annotated(
    corpus: Corpus, two_phases: DocumentSample, submit: Callable[..., Submission], judge: Callable[[], None]
) -> None:
    row = two_phases.documents.filter(phase=1).first()
    row.document.annotations.all().delete()
    submission = submit("one")
    pipeline.advance()
    judge()
    assert recall(submission).estimate is None


@pytest.mark.slow
def test_systems_are_compared_on_documents_of_two_phases(
    corpus: Corpus, two_phases: DocumentSample, submit: Callable[..., Submission], judge: Callable[[], None]
) -> None:
    one, other = submit("one", seed=1), submit("other", seed=2, team="Beta")
    pipeline.advance()
    judge()
    choice = {
        "level": 95,
        "part": "relation",
        "weighting": "instance",
        "estimator": "documents",
        "standard": "votes",
    }
    compared = comparing.compare(one, other, KBP, **choice)
    assert [row.difference is not None for row in compared] == [True, True, True]


@pytest.mark.slow
def test_scores_are_due_again_when_the_last_document_is_annotated(
    corpus: Corpus,
    two_phases: DocumentSample,
    submit: Callable[..., Submission],
    judge: Callable[[], None],
    gold: Path,
) -> None:
    row = two_phases.documents.filter(phase=2).first()
    row.document.annotations.all().delete()
    submission = submit("one")
    pipeline.advance()
    judge()
    assert recall(submission).score.counts["documents"] == 15
    assert document_phases.notice_annotations() == 0
    annotate(corpus, gold, {row.document.doc_id})
    pipeline.advance()
    assert recall(submission).score.counts["documents"] == two_phases.documents.count()


@pytest.mark.slow
def test_a_stale_epoch_does_not_keep_another_from_being_scored(
    corpus: Corpus,
    two_phases: DocumentSample,
    submit: Callable[..., Submission],
    judge: Callable[[], None],
    gold: Path,
) -> None:
    row = two_phases.documents.filter(phase=2).first()
    row.document.annotations.all().delete()
    first = [submit("one", seed=1), submit("two", seed=2)]
    pipeline.advance()
    judge()
    epochs.release(task=KBP, corpus=corpus)
    annotate(corpus, gold, {row.document.doc_id})
    later = submit("three", seed=3)
    pipeline.validate_submissions()
    pipeline.sample_submissions()
    call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold), "--error", "0", verbosity=0)
    pipeline.settle_questions()
    pipeline.close_batches()
    assert pipeline.score_epochs() == 1
    pipeline.advance()
    later.refresh_from_db()
    assert later.state == "scored"
    assert {recall(one).score.counts["documents"] for one in (*first, later)} == {
        two_phases.documents.count()
    }
