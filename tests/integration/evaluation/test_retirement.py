"""Retiring exhaustive documents when an epoch is released."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus, DocumentAnnotation, Question
from evaluation.design import audit, epochs
from evaluation.kbp import pool_labels
from evaluation.kbp.recall import document_phases, exhaustive, retirement
from evaluation.kbp.recall.annotated import read_sample
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    DocumentSample,
    Epoch,
    Estimate,
    Instance,
    RetiredDocument,
    SampledDocument,
    Score,
    Submission,
)
from evaluation.scoring import comparing, pool
from kbpo import pipeline
from kbpo.core.errors import Conflict, InvalidInput
from tests.factories import CorpusFactory, UserFactory
from tests.integration.evaluation.test_document_phases import annotate, drawn

pytestmark = pytest.mark.django_db

Submit = Callable[..., Submission]
Judge = Callable[[], None]


def members(sample: DocumentSample) -> set[str]:
    return set(sample.documents.values_list("document__doc_id", flat=True))


def gone(sample: DocumentSample) -> set[str]:
    return set(sample.retired.values_list("document__doc_id", flat=True))


def retire(corpus: Corpus, share: float) -> DocumentSample | None:
    """Retire documents without what a release of an epoch needs beside them."""
    return retirement.retire(corpus=corpus, share=share, now=timezone.now())


def recall(submission: Submission) -> Estimate:
    score = submission.scores.get(part="relation", weighting="instance", estimator="documents", level=95)
    return score.estimates.get(measure="recall")


@pytest.fixture
def released(corpus: Corpus, submit: Submit, judge: Judge) -> Submission:
    """A system whose epoch was released, a third of the 30 documents retired with it."""
    submission = submit("one", seed=1)
    pipeline.advance()
    judge()
    epochs.release(task=KBP, corpus=corpus, retire=1 / 3)
    return submission


def test_a_share_goes_and_as_many_others_come(corpus: Corpus, released: Submission) -> None:
    old, new = corpus.document_samples.order_by("number")
    assert (len(members(old)), len(gone(old)), len(members(new))) == (30, 10, 30)
    assert gone(old) <= members(old)
    assert members(old) - gone(old) == members(new) & members(old)
    assert DocumentSample.current(corpus) == new
    assert set(exhaustive.opened(corpus).values_list("doc_id", flat=True)) == gone(old)


def test_the_probabilities_are_stored_with_the_draw(corpus: Corpus, released: Submission) -> None:
    old, new = corpus.document_samples.order_by("number")
    assert (old.population, new.population) == (60, 50)
    assert set(old.retired.values_list("probability", flat=True)) == {10 / 30}
    assert set(new.documents.values_list("probability", flat=True)) == {30 / 50}
    assert sorted(new.documents.values_list("since", flat=True)) == [1] * 20 + [2] * 10


def test_an_epoch_keeps_the_documents_its_scores_rest_on(
    corpus: Corpus, released: Submission, submit: Submit, judge: Judge
) -> None:
    old, new = corpus.document_samples.order_by("number")
    first, second = corpus.epochs.order_by("number")
    assert (first.document_sample, second.document_sample) == (old, new)
    recalls = Estimate.objects.filter(score__submission=released, measure="recall").order_by("pk")
    before = list(recalls.values_list("estimate", "low"))
    later = submit("two", seed=2)
    pipeline.advance()
    judge()
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert list(recalls.values_list("estimate", "low")) == before
    found = 0
    for row in new.documents.select_related("document"):
        claims = later.predictions.filter(instance__document=row.document)
        keys = set(claims.values_list("instance__predicate", "instance__subject_start"))
        true = row.document.annotations.get().relations.values_list("predicate", "subject_start")
        found += sum(key in keys for key in true)
    assert recall(later).estimate == pytest.approx(found / 90)


@pytest.mark.slow
def test_claims_in_documents_retired_before_are_outside_of_recall(
    corpus: Corpus, released: Submission, submit: Submit, judge: Judge
) -> None:
    old, _ = corpus.document_samples.order_by("number")
    first, second = corpus.epochs.order_by("number")
    submit("two", seed=2)
    pipeline.advance()
    judge()
    for epoch, documents in ((first, set()), (second, gone(old))):
        read = pool.read_pool(epoch, 1, KBP.choices.weightings)
        ids = read.sorted_ids[np.argsort(read.position)]  # in the order of the pool
        claimed = dict(Instance.objects.values_list("pk", "document__doc_id"))
        expected = [claimed[pk] in documents for pk in ids.tolist()]
        assert pool_labels.read_outside(read).tolist() == expected
    assert any(expected)


def test_the_rows_of_an_old_sample_never_change(corpus: Corpus, submit: Submit, judge: Judge) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    (old,) = corpus.document_samples.all()
    before = list(SampledDocument.objects.order_by("pk").values())
    for share in (0.5, 0.2):
        retire(corpus, share)
    assert list(SampledDocument.objects.filter(sample=old).order_by("pk").values()) == before


def test_no_document_comes_back(corpus: Corpus) -> None:
    # 30 of the 60 documents are sampled; five go and five come, until nothing is left to come.
    seen: set[str] = set()
    for _ in range(7):
        sample = DocumentSample.current(corpus)
        assert sample is not None
        assert not members(sample) & seen
        retire(corpus, 1 / 6)
        seen |= gone(sample)
    last = DocumentSample.current(corpus)
    assert last is not None
    assert (last.population, last.size) == (60 - 35, 25)


def test_a_run_with_the_same_secret_retires_the_same(corpus: Corpus) -> None:
    sample = DocumentSample.current(corpus)
    assert sample is not None
    with transaction.atomic():
        retire(corpus, 0.5)
        first = gone(sample)
        transaction.set_rollback(True)
    retire(corpus, 0.5)
    assert gone(sample) == first


def test_another_secret_retires_others(corpus: Corpus) -> None:
    sample = DocumentSample.current(corpus)
    assert sample is not None
    found = set()
    for number in range(4):
        with transaction.atomic():
            DocumentSample.objects.update(secret=f"{number:064x}")
            retire(corpus, 0.5)
            found.add(frozenset(gone(sample)))
            transaction.set_rollback(True)
    assert len(found) == 4


def test_a_sample_shrinks_when_too_few_annotated_documents_are_left(corpus: Corpus, gold: Path) -> None:
    DocumentAnnotation.objects.exclude(document__in=SampledDocument.objects.values("document")).delete()
    new = retire(corpus, 0.5)
    assert new is not None
    assert (new.size, new.population, len(members(new))) == (15, 45, 15)


def test_replacements_come_from_the_annotated_documents(corpus: Corpus) -> None:
    left = DocumentAnnotation.objects.exclude(document__in=SampledDocument.objects.values("document"))
    some = set(left.order_by("pk").values_list("document__doc_id", flat=True)[:7])
    left.exclude(document__doc_id__in=some).delete()
    old = DocumentSample.current(corpus)
    assert old is not None
    new = retire(corpus, 1 / 3)
    assert new is not None
    assert members(new) - members(old) == some
    assert new.size == 27


@pytest.mark.slow
def test_all_documents_can_go_and_scores_of_the_next_epoch_have_no_recall(
    corpus: Corpus, submit: Submit, judge: Judge
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    DocumentAnnotation.objects.exclude(document__in=SampledDocument.objects.values("document")).delete()
    epoch = epochs.release(task=KBP, corpus=corpus, retire=1.0)
    assert DocumentSample.current(corpus) is None
    assert corpus.epochs.get(released_at=None).document_sample is None
    assert "a new sample is to be drawn" in str(retirement.report(epoch))
    later = submit("two", seed=2)
    pipeline.advance()
    judge()
    assert recall(later).estimate is None


def test_a_new_sample_is_drawn_from_what_was_annotated_since(
    corpus: Corpus, submit: Submit, judge: Judge, gold: Path
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    DocumentAnnotation.objects.exclude(document__in=SampledDocument.objects.values("document")).delete()
    epochs.release(task=KBP, corpus=corpus, retire=1.0)
    old = corpus.document_samples.get()
    call_command("load_gold", str(gold), "--corpus", "small", "--documents", "12", verbosity=0)
    new = DocumentSample.current(corpus)
    assert new is not None
    assert (new.number, new.size, new.population) == (2, 12, 30)
    assert not members(new) & members(old)
    assert corpus.epochs.get(released_at=None).document_sample == new
    assert corpus.epochs.get(number=1).document_sample == old
    assert audit.audit_corpus(corpus, KBP) == []


@pytest.mark.slow
def test_loading_the_same_gold_again_after_a_release_changes_nothing(
    corpus: Corpus, released: Submission, gold: Path
) -> None:
    new = DocumentSample.current(corpus)
    call_command("load_gold", str(gold), "--corpus", "small", "--documents", "30", "--seed", "1", verbosity=0)
    assert DocumentSample.current(corpus) == new
    with pytest.raises(Conflict, match="another is not drawn"):
        exhaustive.draw_documents(corpus=corpus, size=29, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 4, 26, 29])
def test_scores_before_and_after_cannot_be_about_less_than_five_documents(
    corpus: Corpus, submit: Submit, judge: Judge, number: int
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    with pytest.raises(Conflict, match=r"would tell what is in each.* all of them \(1\)"):
        epochs.release(task=KBP, corpus=corpus, retire=number / 30)
    assert not RetiredDocument.objects.exists()
    assert not Epoch.objects.filter(released_at__isnull=False).exists()


def test_five_go_and_five_come(corpus: Corpus, submit: Submit, judge: Judge) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    epochs.release(task=KBP, corpus=corpus, retire=5 / 30)
    assert RetiredDocument.objects.count() == 5


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01, float("nan")])
def test_a_share_that_is_none_is_refused(corpus: Corpus, share: float) -> None:
    with pytest.raises(InvalidInput, match="--retire"):
        retire(corpus, share)


def test_at_least_one_document_goes(corpus: Corpus) -> None:
    sample = DocumentSample.current(corpus)
    retire(corpus, 0.001)
    assert sample is not None
    assert len(gone(sample)) == 1


def test_without_a_sample_nothing_is_retired(unsampled: Corpus) -> None:
    with pytest.raises(Conflict, match="bare has no exhaustive documents"):
        retire(unsampled, 0.5)


def test_a_refused_retirement_releases_nothing(corpus: Corpus, submit: Submit, judge: Judge) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    with pytest.raises(InvalidInput):
        epochs.release(task=KBP, corpus=corpus, retire=2.0)
    assert corpus.epochs.get().released_at is None
    assert not Question.objects.filter(published_at__isnull=False).exists()


@pytest.mark.slow
def test_the_command_says_what_was_retired(
    corpus: Corpus, submit: Submit, judge: Judge, capsys: pytest.CaptureFixture[str]
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    capsys.readouterr()
    call_command("release_epoch", "--corpus", "small", "--retire", "0.2")
    said = capsys.readouterr().out
    assert "epoch 1 is released" in said
    assert "6 documents are retired, and open to explore; 24 stay, and 6 took their place" in said


def test_a_bad_share_on_the_command_line_is_one_clear_error(corpus: Corpus) -> None:
    with pytest.raises((CommandError, InvalidInput, Conflict)):
        call_command("release_epoch", "--corpus", "small", "--retire", "5")


def test_two_current_samples_of_a_corpus_cannot_be(corpus: Corpus) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        DocumentSample.objects.create(corpus=corpus, number=2, size=1, population=60)


def test_a_document_is_retired_once(corpus: Corpus) -> None:
    sample = DocumentSample.current(corpus)
    assert sample is not None
    row = sample.documents.first()
    assert row is not None
    RetiredDocument.objects.create(sample=sample, document=row.document, probability=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        RetiredDocument.objects.create(sample=sample, document=row.document, probability=1)


@pytest.mark.slow
def test_systems_of_epochs_with_different_documents_are_compared_on_those_they_share(
    corpus: Corpus, released: Submission, submit: Submit, judge: Judge
) -> None:
    Corpus.objects.update(target_half_width=0.05)  # or too few claims are judged for a rank
    later = submit("two", seed=2)
    pipeline.advance()
    judge()
    choice = {
        "level": 95,
        "part": "relation",
        "weighting": "instance",
        "estimator": "documents",
        "standard": "votes",
    }
    compared = comparing.compare(released, later, KBP, **choice)
    assert [row.difference is not None for row in compared] == [True, True, True]
    for row in compared:
        assert row.first is not None
        assert row.second is not None
        assert row.difference is not None
        assert row.difference.estimate == pytest.approx(row.first.estimate - row.second.estimate)
    assert Score.objects.filter(submission=later, level=95, part="all", rank__isnull=False).exists()


# What is drawn again from its secret.


def test_retirements_and_replacements_are_audited(corpus: Corpus) -> None:
    retire(corpus, 0.5)
    retire(corpus, 0.4)
    assert audit.audit_corpus(corpus, KBP) == []


def test_an_audit_finds_another_retired_document(corpus: Corpus) -> None:
    (old,) = corpus.document_samples.all()
    retire(corpus, 0.5)
    kept = SampledDocument.objects.filter(sample=old, document__retirement=None).first()
    row = RetiredDocument.objects.first()
    assert kept is not None
    assert row is not None
    RetiredDocument.objects.filter(pk=row.pk).update(document=kept.document)
    assert "the retired documents differ at 2 documents" in audit.audit_corpus(corpus, KBP)


def test_an_audit_finds_another_replacement(corpus: Corpus) -> None:
    new = retire(corpus, 0.5)
    assert new is not None
    never = corpus.documents.filter(sampled=None).first()
    row = new.documents.filter(since=2).first()
    assert row is not None
    SampledDocument.objects.filter(pk=row.pk).update(document=never)
    assert audit.audit_corpus(corpus, KBP) == [
        "sample 2 of documents: the replacements differ at 2 documents"
    ]


def test_an_audit_finds_another_probability_of_being_retired(corpus: Corpus) -> None:
    retire(corpus, 0.5)
    row = RetiredDocument.objects.first()
    assert row is not None
    RetiredDocument.objects.filter(pk=row.pk).update(probability=0.25)
    assert audit.audit_corpus(corpus, KBP) == ["the probability of being retired differs"]


def test_an_audit_finds_another_seed(corpus: Corpus) -> None:
    retire(corpus, 0.5)
    DocumentSample.objects.filter(number=2).update(seed=7)
    (finding,) = audit.audit_corpus(corpus, KBP)
    assert "the seed of the replacements is not that of the secret" in finding


# Documents that people annotate.


@pytest.fixture
def first_phase(unsampled: Corpus, gold: Path) -> DocumentSample:
    """Four documents of a planned 20, all annotated; the second phase is not drawn yet."""
    sample = document_phases.sample_documents(corpus=unsampled, size=20).sample
    annotate(unsampled, gold, members(sample))
    return sample


def test_a_first_phase_alone_can_be_retired_in_part(first_phase: DocumentSample) -> None:
    corpus = first_phase.corpus
    new = retire(corpus, 0.5)
    assert new is not None
    assert (new.first_size, new.size, new.population) == (4, 20, 58)
    assert len(members(new) & members(first_phase)) == 2
    assert document_phases.draw_due_phases() == 0  # two have to be annotated, and the old one is over


def test_people_are_asked_about_the_replacements(first_phase: DocumentSample) -> None:
    new = retire(first_phase.corpus, 0.5)
    assert new is not None
    asked = Question.objects.filter(kind="entities").values_list("document__doc_id", flat=True)
    assert members(new) - members(first_phase) <= set(asked)


def test_until_the_replacements_are_annotated_recall_rests_on_the_kept(
    first_phase: DocumentSample, gold: Path
) -> None:
    corpus = first_phase.corpus
    new = retire(corpus, 0.25)
    assert new is not None
    read = read_sample(new)
    assert read is not None
    kept = set(corpus.documents.filter(pk__in=read.annotations).values_list("doc_id", flat=True))
    assert kept == members(first_phase) & members(new)
    assert read.design.population == 59
    document_phases.notice_annotations()
    Epoch.objects.filter(corpus=corpus).update(document_sample=new, scores_due=False)
    annotate(corpus, gold, members(new))
    assert document_phases.notice_annotations() == 0  # how many the second phase has is not known
    assert document_phases.draw_due_phases() == 1
    assert document_phases.notice_annotations() == 1
    assert Epoch.objects.get(corpus=corpus).scores_due
    new.refresh_from_db()
    assert new.documents.filter(phase=2).count() >= 5
    read = read_sample(new)
    assert read is not None
    assert len(read.annotations) == 4


def test_replacements_of_two_releases_may_be_waited_for_at_once(
    first_phase: DocumentSample, gold: Path
) -> None:
    corpus = first_phase.corpus
    second = retire(corpus, 0.25)
    third = retire(corpus, 0.25)
    assert second is not None
    assert third is not None

    def counted() -> set[str]:
        read = read_sample(third)
        assert read is not None
        return set(corpus.documents.filter(pk__in=read.annotations).values_list("doc_id", flat=True))

    def since(number: int) -> set[str]:
        rows = third.documents.filter(since__lte=number)
        return set(rows.values_list("document__doc_id", flat=True))

    assert counted() == since(1)
    # Those that came last are annotated first: they are not any documents without the others.
    annotate(corpus, gold, since(3) - since(2))
    assert counted() == since(1)
    annotate(corpus, gold, since(2))
    assert counted() == since(2)  # until it is known how many the second phase has
    drawn = members(third)
    assert document_phases.draw_due_phases() == 1
    third.refresh_from_db()
    assert counted() == drawn


def test_what_people_said_of_retired_documents_is_published(unsampled: Corpus) -> None:
    document_phases.sample_documents(corpus=unsampled, size=20)
    now = timezone.now()
    for one in Question.objects.filter(kind="entities").select_related("document"):
        annotation = DocumentAnnotation.objects.create(
            document=one.document, source="crowd", digest="0" * 64, completed_at=now
        )
        for key, asked in (("asked of the document", True), ("asked for a system", False)):
            pair = Question.objects.create(
                document=one.document,
                kind="relation",
                key=key,
                payload={},
                state="settled",
                votes_needed=3,
                settled_at=now,
            )
            if asked:
                annotation.questions.add(pair)
    Question.objects.filter(kind="entities").update(state="settled", settled_at=now)
    retire(unsampled, 0.5)
    published = Question.objects.filter(published_at__isnull=False)
    open_ones = exhaustive.opened(unsampled)
    assert set(published.values_list("document", flat=True)) == set(open_ones.values_list("pk", flat=True))
    assert (
        sorted(published.values_list("key", flat=True)) == ["asked of the document"] * 2 + ["entities|1"] * 2
    )


def test_the_second_phase_is_drawn_from_what_was_never_in_a_sample(
    first_phase: DocumentSample, gold: Path
) -> None:
    corpus = first_phase.corpus
    new = retire(corpus, 0.5)
    assert new is not None
    annotate(corpus, gold, members(new))
    assert document_phases.draw_due_phases() == 1
    new.refresh_from_db()
    assert new.second_phase.count() == 60 - 6
    assert not drawn(new, 2) & (members(first_phase) | drawn(new, 1))
    assert set(new.documents.filter(phase=2).values_list("since", flat=True)) == {2}
    assert audit.audit_corpus(corpus, KBP) == []


@pytest.fixture
def both_phases(first_phase: DocumentSample) -> DocumentSample:
    assert document_phases.draw_due_phases() == 1
    first_phase.refresh_from_db()
    return first_phase


def test_a_share_of_two_phases_is_refused_with_the_reason(both_phases: DocumentSample) -> None:
    with pytest.raises(Conflict, match=r"the second phase .* is drawn .* Retire all of them"):
        retire(both_phases.corpus, 0.5)


def test_two_phases_are_retired_whole_and_drawn_anew_from_what_is_left(
    both_phases: DocumentSample, gold: Path
) -> None:
    corpus = both_phases.corpus
    old = members(both_phases)
    assert retire(corpus, 1.0) is None
    assert gone(both_phases) == old
    with pytest.raises(InvalidInput, match=f"the {60 - len(old)} documents of bare, of those"):
        document_phases.sample_documents(corpus=corpus, size=60)
    found = document_phases.sample_documents(corpus=corpus, size=10, uniform_share=0.5)
    assert (found.sample.number, found.sample.population) == (2, 60 - len(old))
    annotate(corpus, gold, members(found.sample))
    document_phases.draw_due_phases()
    assert not members(found.sample) & old
    assert audit.audit_corpus(corpus, KBP) == []


def test_calling_for_the_same_sample_goes_on_with_what_took_over(first_phase: DocumentSample) -> None:
    new = retire(first_phase.corpus, 0.5)
    again = document_phases.sample_documents(corpus=first_phase.corpus, size=20)
    assert (again.sample, again.lacking) == (new, 2)


def test_too_small_a_rest_is_refused(unsampled: Corpus) -> None:
    document_phases.sample_documents(corpus=unsampled, size=60, uniform_share=1.0)
    with pytest.raises(Conflict, match="1 would be left, and a sample needs 2"):
        retire(unsampled, 59 / 60)


# The operator's page.


def test_an_operator_releases_an_epoch_on_the_page(
    corpus: Corpus, submit: Submit, judge: Judge, client: Client
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    client.force_login(UserFactory(operator=True))
    page = "/desk/corpora/small/"
    assert "Release epoch 1" in client.get(page).content.decode()
    answer = client.post(f"{page}release/", {"number": "1", "percent": "20", "sure": "on"}, follow=True)
    said = answer.content.decode()
    assert "Epoch 1 is released" in said
    assert "6 documents are retired" in said
    assert corpus.epochs.get(released_at=None).number == 2


def test_an_epoch_is_released_without_retiring_anything(
    corpus: Corpus, submit: Submit, judge: Judge, client: Client
) -> None:
    submit("one", seed=1)
    pipeline.advance()
    judge()
    client.force_login(UserFactory(operator=True))
    client.post("/desk/corpora/small/release/", {"number": "1", "percent": "0", "sure": "on"})
    assert corpus.epochs.count() == 2
    assert not RetiredDocument.objects.exists()


def test_a_page_that_is_sent_twice_releases_the_epoch_that_it_showed_alone(
    corpus: Corpus, client: Client
) -> None:
    Epoch.objects.filter(corpus=corpus).update(number=2)
    client.force_login(UserFactory(operator=True))
    answer = client.post("/desk/corpora/small/release/", {"number": "1", "percent": "0", "sure": "on"})
    assert answer.status_code == 409
    assert "epoch 1 of small is not open: epoch 2 is" in answer.content.decode()


@pytest.mark.parametrize(("percent", "said"), [("101", "less than or equal to 100"), ("x", "whole number")])
def test_a_share_that_is_none_is_refused_on_the_page(
    corpus: Corpus, client: Client, percent: str, said: str
) -> None:
    client.force_login(UserFactory(operator=True))
    answer = client.post("/desk/corpora/small/release/", {"number": "1", "percent": percent, "sure": "on"})
    assert answer.status_code == 400
    assert said in answer.content.decode()


def test_a_release_that_is_too_early_is_refused_on_the_page(corpus: Corpus, client: Client) -> None:
    client.force_login(UserFactory(operator=True))
    answer = client.post("/desk/corpora/small/release/", {"number": "1", "percent": "0", "sure": "on"})
    assert answer.status_code == 409
    assert "nothing to release" in answer.content.decode()


def test_without_an_open_epoch_nothing_is_released() -> None:
    corpus = CorpusFactory.create(tag="closed")
    with pytest.raises(Conflict, match="no epoch of closed is open"):
        epochs.release(task=KBP, corpus=corpus)


@pytest.mark.parametrize("kind", ["", "annotator"])
def test_only_operators_release(corpus: Corpus, client: Client, kind: str) -> None:
    client.force_login(UserFactory(annotator=kind == "annotator"))
    assert (
        client.post("/desk/corpora/small/release/", {"number": "1", "percent": "0", "sure": "on"}).status_code
        == 403
    )
    assert corpus.epochs.count() == 1
