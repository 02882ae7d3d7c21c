"""Draw the exhaustive documents of a corpus again from their secrets: the same, or a finding."""

from collections.abc import Iterable

import numpy as np

from annotations import checking
from annotations.models import Corpus
from evaluation.kbp.recall import document_phases, exhaustive, retirement
from evaluation.models import DocumentSample, RetiredDocument
from kbpo_estimators import document_samples


def audit(corpus: Corpus) -> list[str]:
    """Draw every sample of a corpus' documents again.

    Returns
    -------
    list of str
        What differs, one sentence each; empty when every sample came out the same.
    """
    findings = _audit_epochs(corpus)
    drawn = corpus.documents.filter(sampled__isnull=False).distinct()
    changed = checking.changed_annotations(list(drawn.values_list("pk", flat=True)))
    if changed:
        findings.append(
            f"the annotations of {len(changed)} exhaustive documents are not what was loaded or settled, the"
            f" first that of {changed[0]}"
        )
    for sample in corpus.document_samples.select_related("corpus", "replaces__corpus").order_by("number"):
        which = "" if sample.number == 1 else f"sample {sample.number} of documents: "
        findings += [f"{which}{finding}" for finding in _audit(sample)]
    return findings


def _audit_epochs(corpus: Corpus) -> list[str]:
    """Compare the documents that the recall of each epoch rests on with those that it came to rest on.

    Those are the ones that were current when it was opened; else the first that were drawn anew afterwards.
    """
    samples = list(corpus.document_samples.order_by("number"))
    findings = []
    for epoch in corpus.epochs.order_by("number"):
        then = [
            one
            for one in samples
            if one.drawn_at <= epoch.opened_at
            and (one.retired_at is None or one.retired_at > epoch.opened_at)
        ]
        later = [one for one in samples if one.drawn_at > epoch.opened_at and one.replaces_id is None]
        again = [*then[-1:], *later, None][0]
        if epoch.document_sample_id != (again and again.pk):
            findings.append(
                f"epoch {epoch.number}: its recall does not rest on the documents that were current"
            )
    return findings


def _audit(sample: DocumentSample) -> list[str]:
    findings = _audit_probabilities(sample)
    if sample.replaces is None and sample.documents.exclude(since=sample.number).exists():
        findings.append("documents are said to have been in it before it was drawn")
    if sample.second_drawn_at is None and sample.second_phase.exists():
        findings.append("its second phase is drawn, and does not count as drawn")
    if sample.retired_at is not None:
        findings += _audit_retired(sample)
    if sample.first_size is not None:
        findings += _audit_second_phase(sample, sample.first_size)
    if sample.replaces is not None:
        return findings + _audit_turnover(sample, sample.replaces)
    if sample.first_size is not None:
        return findings + _audit_first_phase(sample, sample.first_size)
    if sample.seed is None:
        return findings
    annotated = exhaustive.drawable(sample.corpus, sample.number, by_experts=True, loaded_by=sample.drawn_at)
    again = document_samples.draw_documents(list(annotated), sample.size, sample.seed)
    return findings + _compare("the exhaustive documents", again, _stored(sample))


def _audit_probabilities(sample: DocumentSample) -> list[str]:
    """Compare what weighs the documents in estimates: their population, and the probability of each."""
    findings = []
    before = RetiredDocument.objects.filter(sample__corpus=sample.corpus, sample__number__lt=sample.number)
    population = sample.corpus.documents.count() - before.count()
    if sample.population != population:
        findings.append(f"drawn from {sample.population} documents; there were {population}")
    rows = list(sample.documents.values_list("document_id", "phase", "probability"))
    uniform = sum(phase == 1 for _, phase, _ in rows) / population
    p2 = dict(sample.second_phase.values_list("document_id", "probability"))
    again = {pk: uniform if phase == 1 else p2.get(pk) for pk, phase, _ in rows}
    differing = sum(probability != again[pk] for pk, _, probability in rows)
    if differing:
        findings.append(f"the probabilities of the exhaustive documents differ at {differing} documents")
    return findings


def _audit_retired(sample: DocumentSample) -> list[str]:
    stored = set(sample.retired.values_list("document__doc_id", flat=True))
    if not 1 <= len(stored) <= sample.documents.count():
        return [f"{len(stored)} documents are retired of {sample.documents.count()}"]
    turnover = retirement.redo(sample, len(stored), at=sample.retired_at)
    findings = _compare("the retired documents", turnover.retired, stored)
    if sample.retired.exclude(probability=len(stored) / sample.documents.count()).exists():
        findings.append("the probability of being retired differs")
    return findings


def _audit_turnover(sample: DocumentSample, before: DocumentSample) -> list[str]:
    findings = []
    if sample.seed != retirement.replacement_seed(before):
        findings.append("the seed of the replacements is not that of the secret of the sample before")
    retired = before.retired.count()
    if not 1 <= retired <= before.documents.count():
        return findings
    turnover = retirement.redo(before, retired, at=before.retired_at)
    first = sample.documents.filter(phase=1)
    for what, again, stored in (
        ("the documents that were kept", turnover.kept, first.filter(since__lt=sample.number)),
        ("the replacements", turnover.added, first.filter(since=sample.number)),
    ):
        findings += _compare(what, again, set(stored.values_list("document__doc_id", flat=True)))
    since = dict(before.documents.values_list("document_id", "since"))
    kept = first.filter(document__in=since).values_list("document_id", "since")
    if any(number != since[pk] for pk, number in kept):
        findings.append("since when documents were in the sample differs")
    return findings


def _audit_first_phase(sample: DocumentSample, first_size: int) -> list[str]:
    seed = document_phases.first_seed(sample.secret)
    ids = exhaustive.drawable(sample.corpus, sample.number, by_experts=False)
    again = document_samples.draw_documents(list(ids), first_size, seed)
    findings = _compare("the exhaustive documents of the first phase", again, _stored(sample))
    if seed != sample.seed:
        findings.append("the seed of the exhaustive documents is not that of their secret")
    return findings


def _audit_second_phase(sample: DocumentSample, first_size: int) -> list[str]:
    findings = []
    rows = sample.second_phase.order_by("document__doc_id").values_list("score", "probability")
    if rows:
        scores, stored_p2 = np.array(rows).T
        p2 = document_samples.second_phase_probabilities(
            scores, sample.size - first_size, document_phases.FLOOR_SHARE
        )
        if (p2 != stored_p2).any():
            findings.append(f"p2 differs at {(p2 != stored_p2).sum()} documents")
    left = sample.population - sample.documents.filter(phase=1).count()
    if sample.second_drawn_at is not None and first_size < sample.size and len(rows) != left:
        findings.append(f"p2 is stored of {len(rows)} documents, and the first phase left {left}")
    again = document_phases.second_sample(sample)
    return findings + _compare(
        "the exhaustive documents of the second phase", again, _stored(sample, phase=2)
    )


def _stored(sample: DocumentSample, phase: int = 1) -> set[str]:
    return set(sample.documents.filter(phase=phase).values_list("document__doc_id", flat=True))


def _compare(what: str, again: Iterable[str], stored: set[str]) -> list[str]:
    differing = len(stored.symmetric_difference(again))
    return [f"{what} differ at {differing} documents"] if differing else []
