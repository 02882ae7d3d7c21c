"""Look again which questions settle what was sampled: those that are stored, or a finding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotations import questions
from annotations.kinds.relation import Offer
from annotations.models import Corpus
from evaluation.kbp.claims import COLUMNS, ClaimRow
from evaluation.models import Epoch, Prediction, SampleBatch, SampledClaim, SampledUnit

_Asked = tuple[int, str] | None
_Named = tuple[int | None, ...]


def audit(corpus: Corpus) -> list[str]:
    """Find the questions that settle every sampled instance, and what systems claim there.

    Returns
    -------
    list of str
        What differs, a sentence each; empty where all are those that are stored.
    """
    return [
        f"epoch {epoch.number}, batch {batch.number}: {finding}"
        for epoch in corpus.epochs.order_by("number")
        for sample in [_Sample.read(epoch)]
        for batch in sample.batches
        for finding in sample.audit(batch)
    ]


@dataclass(frozen=True, eq=False)
class _Sample:
    """An epoch's sampled instances, and what systems claim there.

    Attributes
    ----------
    batches : sequence of SampleBatch
        In the order of arrival.
    sampled : dict of int to dict
        By batch, the question and the claim that each of its instances is stored with.
    since : dict of int to int
        The first batch that sampled an instance.
    claims : dict of int to dict
        By submission, its claim of each instance that is sampled.
    relations : dict of (int, int) to (int, str)
        By batch and instance, the question and the claim that settle it.
    named : dict of int to dict
        By submission and instance, the questions that settle its canonical mentions, None for one that nobody
        asked.
    """

    batches: Sequence[SampleBatch]
    sampled: dict[int, dict[int, _Asked]]
    since: dict[int, int]
    claims: dict[int, dict[int, ClaimRow]]
    relations: dict[tuple[int, int], _Asked]
    named: dict[int, dict[int, _Named]]

    @classmethod
    def read(cls, epoch: Epoch) -> "_Sample":
        batches = list(epoch.batches.order_by("number"))
        sampled: dict[int, dict[int, _Asked]] = {batch.number: {} for batch in batches}
        since: dict[int, int] = {}
        rows = SampledUnit.objects.filter(batch__epoch=epoch).order_by("batch__number")
        for number, unit, question_id, about in rows.values_list(
            "batch__number", "unit_id", "question_id", "claim"
        ):
            sampled[number][unit] = question_id, about
            since.setdefault(unit, number)
        claims: dict[int, dict[int, ClaimRow]] = {batch.submission_id: {} for batch in batches}
        here = Prediction.objects.filter(submission__in=list(claims), instance__in=list(since))
        for submission_id, *values in here.values_list("submission_id", *COLUMNS):
            row = ClaimRow._make(values)
            claims[submission_id][row.instance_id] = row
        of_batches = {
            (batch.number, unit): claims[batch.submission_id][unit].relation()
            for batch in batches
            for unit in sampled[batch.number]
            if unit in claims[batch.submission_id]
        }
        settling = questions.find_relations(set(of_batches.values()))
        relations: dict[tuple[int, int], _Asked] = {}
        for place, claim in of_batches.items():
            if claim in settling:
                question, subject = settling[claim]
                relations[place] = question.pk, Offer(claim.predicate, subject).claim
        wanted = {claim for own in claims.values() for row in own.values() for claim in row.canonicals()}
        found = {claim: question.pk for claim, question in questions.find_canonicals(wanted).items()}
        named = {
            pk: {unit: tuple(found.get(claim) for claim in row.canonicals()) for unit, row in own.items()}
            for pk, own in claims.items()
        }
        return cls(batches, sampled, since, claims, relations, named)

    def audit(self, batch: SampleBatch) -> Iterator[str]:
        """Yield what differs of a batch."""
        own = self.sampled[batch.number]
        differing = [unit for unit, asked in own.items() if self.relations.get((batch.number, unit)) != asked]
        if differing:
            yield (
                f"{len(differing)} sampled units are settled by another question or claim than is stored,"
                f" the first with row id {min(differing)}"
            )
        again = self.named[batch.submission_id]
        stored = {
            unit: (subject,) if object_ is None else (subject, object_)
            for unit, subject, object_ in SampledClaim.objects.filter(
                submission=batch.submission_id
            ).values_list("instance_id", "subject_question_id", "object_question_id")
        }
        differing = [unit for unit in again.keys() | stored.keys() if again.get(unit) != stored.get(unit)]
        if differing:
            yield (
                f"{len(differing)} claims of its system are settled by other questions than are stored, the"
                f" first at the unit with row id {min(differing)}"
            )
        needed, waits = self._needed(batch), set(batch.questions.values_list("pk", flat=True))
        if needed - waits:
            yield f"it does not wait for {len(needed - waits)} of the questions that its estimates need"
        if waits - needed:
            yield f"it waits for {len(waits - needed)} questions that its estimates do not need"

    def _needed(self, batch: SampleBatch) -> set[int]:
        """Return what was asked for a batch, as `evaluation.kbp.asking.ask` says."""
        new = self.sampled[batch.number].keys()
        asked = [self.relations.get((batch.number, unit)) for unit in new]
        needed: set[int | None] = {one[0] for one in asked if one is not None}
        for other in self.batches:
            if other.number > batch.number:
                continue
            for unit, named in self.named[other.submission_id].items():
                is_own = other.number == batch.number and self.since[unit] < batch.number
                if unit in new or is_own:
                    needed.update(named)
        return {pk for pk in needed if pk is not None}
