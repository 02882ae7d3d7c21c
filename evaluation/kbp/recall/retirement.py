"""Retiring exhaustive documents at a release: some are open from then on, others take their place."""

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q

from annotations import labels
from annotations.models import Corpus, Question, kind_names
from evaluation.kbp.recall import document_phases, exhaustive
from evaluation.models import DocumentSample, Epoch, Estimate, RetiredDocument, SampledDocument
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_estimators.document_samples import draw_documents
from kbpo_estimators.document_sums import LEAST_SEALED
from kbpo_estimators.turnover import Turnover, turn_over


@dataclass(frozen=True, slots=True)
class Retired:
    """What was retired when an epoch was released.

    Attributes
    ----------
    retired, kept, added : int
        Documents.
    lacking : int
        Those of the added that nobody has annotated yet.
    sample : DocumentSample or None
        What took over; None where a sample is to be drawn anew.
    """

    retired: int
    kept: int
    added: int
    lacking: int
    sample: DocumentSample | None

    def __str__(self) -> str:
        text = f"{_documents(self.retired)} retired, and open to explore"
        if self.sample is None:
            return f"{text}; no others took their place: a new sample is to be drawn"
        text += f"; {self.kept} stay, and {self.added} took their place"
        if self.added < self.retired:
            text += f": there were no more, so the sample has {self.kept + self.added} documents now"
        if self.lacking:
            until = f"until {self.lacking} that nobody has annotated yet are annotated"
            text += (
                f"; recall rests on the {self.kept} {until}" if self.kept else f"; there is no recall {until}"
            )
        return text


@transaction.atomic
def retire(corpus: Corpus, share: float, now: datetime) -> DocumentSample | None:
    """Retire a share of a corpus' exhaustive documents, drawn uniformly, and draw others in their place.

    The sample that takes over is a simple random sample of all documents that were never retired. Where
    experts annotate, replacements come from the annotated documents that were in no sample yet, and if these
    are too few the sample shrinks; else from all that were in none, to be annotated. A sample in two phases
    that is retired whole has no successor: `document_phases.sample_documents` draws anew.

    The caller holds the corpus' row, and releases the epoch in the same transaction.

    Parameters
    ----------
    corpus : Corpus
    share : float
        Above 0, at most 1; at least one document goes.
    now : datetime

    Returns
    -------
    DocumentSample or None
        What takes over.

    Raises
    ------
    InvalidInput
        If the share is none.
    Conflict
        If there is no sample, its second phase is drawn and the share is less than all, too little of it
        would be left, or so few that published scores would tell what is in each.
    """
    if not 0 < share <= 1:
        raise InvalidInput(f"{share} is not above 0 and at most 1", where="--retire")
    sample = (
        DocumentSample.objects.select_for_update(of=("self",)).filter(corpus=corpus, retired_at=None).first()
    )
    if sample is None:
        raise Conflict(f"{corpus.tag} has no exhaustive documents: there are none to retire")
    if share < 1 and sample.second_phase.exists():
        raise Conflict(
            f"the second phase of the exhaustive documents of {corpus.tag} is drawn by what the first says: a"
            " share of them is no random sample of anything. Retire all of them (1), and draw anew"
        )
    number = max(1, round(share * sample.documents.count()))
    turnover = redo(sample, number)
    _check_left(sample, turnover, share)
    _check_told(sample, turnover)
    _store_retired(sample, turnover, now)
    return _take_over(sample, turnover) if turnover.sample else None


def redo(sample: DocumentSample, number: int, *, at: datetime | None = None) -> Turnover:
    """Draw what goes of a sample and what comes in its place; of a retired sample, again.

    Parameters
    ----------
    sample : DocumentSample
    number : int
        How many of its documents go.
    at : datetime or None
        When it was done; None for now.
    """
    members = list(sample.documents.values_list("document__doc_id", flat=True))
    is_expert = sample.first_size is None
    reserve: dict[str, int] = {}
    if is_expert or number < len(members):
        reserve = exhaustive.drawable(sample.corpus, sample.number + 1, by_experts=is_expert, loaded_by=at)
    return turn_over(
        members,
        list(reserve),
        number,
        choose_out=partial(draw_documents, seed=exhaustive.seed_of(sample.secret, "retired")),
        choose_in=partial(draw_documents, seed=replacement_seed(sample)),
    )


def replacement_seed(sample: DocumentSample) -> int:
    """Return the seed by which the documents are drawn that replace retired ones of a sample."""
    return exhaustive.seed_of(sample.secret, "replacements")


def report(epoch: Epoch) -> Retired | None:
    """Return what was retired when an epoch was released; None if nothing was."""
    sample = epoch.document_sample
    if sample is None or sample.retired_at is None or sample.retired_at != epoch.released_at:
        return None
    successor = DocumentSample.objects.filter(replaces=sample).first()
    gone = sample.retired.count()
    if successor is None:
        return Retired(gone, 0, 0, 0, None)
    added = successor.documents.filter(phase=1, since=successor.number)
    return Retired(
        gone,
        successor.documents.filter(since__lt=successor.number).count(),
        added.count(),
        added.exclude(document__annotations__completed_at__isnull=False).count(),
        successor,
    )


def report_in_words(epoch: Epoch) -> str | None:
    """Say what was retired when an epoch was released; None if nothing was."""
    found = report(epoch)
    return None if found is None else str(found)


def _check_left(sample: DocumentSample, turnover: Turnover, share: float) -> None:
    least, left = 1 if sample.first_size is None else 2, len(turnover.sample)
    if share < 1 and left < least:
        raise Conflict(
            f"{_documents(len(turnover.retired))} to be retired, and there are {len(turnover.added)} to take"
            f" their place: {left} would be left, and a sample needs {least}. Retire less, or all of them (1)"
        )


def _check_told(sample: DocumentSample, turnover: Turnover) -> None:
    """Refuse to leave so few that differences between published sums are about each.

    Published recalls are sums over a sample. Samples differ by documents that came together, and what is in
    retired ones is open: so each lot that came together has its sums told.
    """
    told = Estimate.objects.filter(score__epoch__corpus=sample.corpus_id, measure="recall")
    if _fewest(sample, turnover) >= LEAST_SEALED or not told.filter(estimate__isnull=False).exists():
        return
    of_all = sample.documents.count()
    others = range(len(turnover.retired) + 1, of_all)
    more = next((one for one in others if _fewest(sample, redo(sample, one)) >= LEAST_SEALED), None)
    instead = "" if more is None else f"{more} of the {of_all} documents ({more / of_all:.4g}), or "
    raise Conflict(
        f"{_fewest(sample, turnover)} of the exhaustive documents of {sample.corpus.tag} would stay, or come,"
        f" by themselves: scores before and after would tell what is in each, and {LEAST_SEALED} are needed"
        f" to hide that. Retire {instead}all of them (1)"
    )


def _fewest(sample: DocumentSample, turnover: Turnover) -> int:
    """Return the size of the smallest lot of sealed documents that a retirement makes; large if none."""
    rows = sample.documents.values_list("document__doc_id", "phase", "since")
    lot = {doc_id: (phase, since) for doc_id, phase, since in rows}
    if not turnover.kept:
        return sys.maxsize  # one lot, which no other sum is about
    shrunk = {lot[doc_id] for doc_id in turnover.retired}
    sizes = [size for one, size in Counter(lot[doc_id] for doc_id in turnover.kept).items() if one in shrunk]
    return min([*sizes, *([len(turnover.added)] if turnover.added else [])], default=sys.maxsize)


def _store_retired(sample: DocumentSample, turnover: Turnover, now: datetime) -> None:
    ids = dict(sample.documents.values_list("document__doc_id", "document_id"))
    gone = [ids[doc_id] for doc_id in turnover.retired]
    RetiredDocument.objects.bulk_create(
        RetiredDocument(sample=sample, document_id=pk, probability=len(gone) / len(ids)) for pk in gone
    )
    sample.retired_at = now
    sample.save(update_fields=["retired_at"])
    # What people said of them is open, so claims there are known to whoever comes after.
    said = Q(annotations__isnull=False) | Q(kind=kind_names.ENTITIES)
    labels.publish(
        Question.objects.filter(pk__in=Question.objects.filter(said, document__in=gone).values("pk"))
    )


def _take_over(sample: DocumentSample, turnover: Turnover) -> DocumentSample:
    number, population = sample.number + 1, sample.population - len(turnover.retired)
    size = first_size = len(turnover.sample)
    if sample.first_size is not None:
        size = min(first_size + sample.size - sample.first_size, population)
    new = DocumentSample.objects.create(
        corpus=sample.corpus,
        number=number,
        replaces=sample,
        seed=replacement_seed(sample),
        size=size,
        first_size=None if sample.first_size is None else first_size,
        population=population,
        secret=exhaustive.make_secret(sample.corpus, number),
    )
    since = dict(sample.documents.values_list("document__doc_id", "since"))
    ids = dict(sample.corpus.documents.filter(doc_id__in=turnover.sample).values_list("doc_id", "pk"))
    SampledDocument.objects.bulk_create(
        SampledDocument(
            sample=new,
            document_id=ids[doc_id],
            probability=first_size / population,
            since=since.get(doc_id, number),
        )
        for doc_id in turnover.sample
    )
    if new.first_size is not None:
        document_phases.ask_documents(sample=new)
    return new


def _documents(number: int) -> str:
    return f"{number} document{'s' if number != 1 else ''} {'are' if number != 1 else 'is'}"
