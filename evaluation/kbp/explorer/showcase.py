"""One claim with its votes, for who sees the site for the first time: reads only.

Which one is a rule's to say, and nobody's taste: of the claims of the newest released epoch of a corpus whose
texts everybody may read, on which three people voted and that a published, scored system makes in a sentence
of ordinary length, the one whose digest comes first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotations.kinds.registry import read_question
from annotations.kinds.relation import NAME, RelationQuestion
from annotations.models import Corpus, Label, Question
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.claims import row_of
from evaluation.kbp.explorer.claims_of_system import ShownClaim, show
from evaluation.kbp.explorer.verdicts import Ruling, published_rulings
from evaluation.kbp.task import TASK
from evaluation.models import Epoch, Instance, Prediction, Submission
from evaluation.scoring.stored import Measure, newest_scores, shown_standard
from evaluation.submissions.visibility import visible

LOOKED_AT = 60  # questions, of which one is found almost always
VOTES = 3
LONGEST = 260  # characters of what is shown around the claim
SHORTEST = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """The claim.

    Attributes
    ----------
    claim : ShownClaim
        With its sentence.
    votes : sequence of bool
        What each of the people said who judged the relation, those who affirm it first.
    holds : bool
        What that was settled to.
    corpus : Corpus
    epoch : Epoch
        That is released.
    submission : Submission
        The system that claims it, its best known one.
    precision : Measure
        Of that system.
    labels : int
        That this rests on.
    level : int
        Of its interval, in per cent.
    """

    claim: ShownClaim
    votes: Sequence[bool]
    holds: bool
    corpus: Corpus
    epoch: Epoch
    submission: Submission
    precision: Measure
    labels: int
    level: int


def find_showcase() -> Shown | None:
    """Return the claim; None where no corpus has one."""
    released = Epoch.objects.filter(
        released_at__isnull=False, corpus__texts=Corpus.Texts.PUBLIC, corpus__task=TASK.name
    )
    for epoch in released.select_related("corpus").order_by("-released_at", "-pk")[:3]:
        if found := _of_epoch(epoch):
            return found
    return None


def _of_epoch(epoch: Epoch) -> Shown | None:
    wanted = dict(_judged(epoch))
    predictions = (
        Prediction.objects.filter(instance__in=wanted, submission__in=visible(None))
        .filter(submission__state=Submission.State.SCORED)
        .select_related("instance__document", "submission__team")
        .order_by("submission_id", "pk")
    )
    listed = sorted(predictions, key=lambda one: wanted[one.instance_id])
    rulings = published_rulings(row_of(one).relation() for one in listed)
    scores = _scores(epoch.corpus, {one.submission_id for one in listed})
    fit = [
        (one, ruling)
        for one in listed
        if one.submission_id in scores
        and (ruling := rulings.get(row_of(one).relation())) is not None
        and ruling.votes == VOTES
        and not ruling.by_expert
    ]
    ontology = plain_ontology_of(epoch.corpus)
    shown = show([one for one, _ in fit[:20]], ontology)
    for claim, (one, ruling) in zip(shown, fit, strict=False):
        if _reads_well(claim):
            precision, labels = scores[one.submission_id]
            return Shown(
                claim=claim,
                votes=_votes(ruling),
                holds=ruling.value,
                corpus=epoch.corpus,
                epoch=epoch,
                submission=one.submission,
                precision=precision,
                labels=labels,
                level=TASK.choices.level,
            )
    return None


def _judged(epoch: Epoch) -> Iterable[tuple[int, str]]:
    """Yield the ids of claims of an epoch's corpus that three people voted on, each with its digest."""
    questions = list(
        Question.objects.filter(
            document__corpus=epoch.corpus, kind=NAME, published_at__isnull=False
        ).order_by("pk")[:LOOKED_AT]
    )
    asked: dict[tuple[object, ...], str] = {}
    contents = {one.pk: read_question(one.kind, one.payload) for one in questions}
    labels = Label.objects.filter(question__in=questions, votes=VOTES, source=Label.Source.MAJORITY)
    documents = {one.pk: one.document_id for one in questions}
    for label in labels:
        content = contents[label.question_id]
        assert isinstance(content, RelationQuestion)
        offer = next((one for one in content.offered if one.claim == label.claim), None)
        if offer is not None:
            spans = content.spans
            subject, other = spans[offer.subject], spans[1 - offer.subject]
            place = (documents[label.question_id], offer.predicate, *subject, *other)
            asked[place] = sha256(f"{epoch.commitment} {place}".encode()).hexdigest()
    relations = {place[1] for place in asked}
    for instance in Instance.objects.filter(document__in=set(documents.values()), predicate__in=relations):
        place = (
            *(instance.document_id, instance.predicate, instance.subject_start, instance.subject_end),
            *(instance.object_start, instance.object_end),
        )
        if place in asked:
            yield instance.pk, asked[place]


def _scores(corpus: Corpus, submissions: set[int]) -> dict[int, tuple[Measure, int]]:
    choices = TASK.choices
    found = newest_scores(
        choices,
        submission__in=submissions,
        level=choices.level,
        part=choices.part,
        weighting=choices.default_weighting(corpus.design),
        estimator=next(iter(choices.named_estimators(corpus.design, choices.part))),
        standard=shown_standard(corpus, choices),
    )
    return {
        one.score.submission_id: (one.measures["precision"], one.score.labels or 0)
        for one in found
        if one.measures["precision"].low is not None
    }


def _votes(ruling: Ruling) -> list[bool]:
    return [True] * ruling.votes_for + [False] * (ruling.votes - ruling.votes_for)


def _reads_well(claim: ShownClaim) -> bool:
    """Say whether the claim stands in one stretch of ordinary length, of a text that is there."""
    text = "".join(one.text for one in claim.snippet)
    return not claim.is_removed and SHORTEST <= len(text) <= LONGEST and " … " not in text
