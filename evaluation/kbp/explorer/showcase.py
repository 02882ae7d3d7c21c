"""One claim with its votes, for who sees the site for the first time: reads only.

Which one is a rule's to say, and nobody's taste: of the claims of the newest released epoch of a corpus whose
texts everybody may read, on which three people agreed and that a published, scored system makes in a sentence
of ordinary length, the one whose digest comes first. Claims in documents whose annotation by experts is
published go before others, and where people and experts differ a claim is passed over. Sealed annotations are
ignored: otherwise the choice would show which documents have one.

A process keeps which one that is, or that there is none, for as long as no epoch is released, no system comes
or goes, nothing is scored and nothing is taken down; whether it may still be shown, and all that is said of
it, is read each time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import QuerySet

from annotations.models import AnnotatedRelation, Corpus, DocumentAnnotation, Question
from annotations.ontologies import plain_ontology_of
from annotations.questions import Claim
from evaluation.kbp.claims import row_of
from evaluation.kbp.explorer.claims_of_system import ShownClaim, show
from evaluation.kbp.explorer.verdicts import Ruling, published_rulings
from evaluation.kbp.task import TASK
from evaluation.models import Epoch, Prediction, RetiredDocument, Submission
from evaluation.scoring.stored import Measure, newest_scores, shown_standard
from evaluation.submissions.visibility import visible
from kbpo.core.database.bulk import read_rows

#: What is looked at, of which one is found almost always.
DOCUMENTS, PREDICTIONS, SHOWN = 20, 300, 20
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


# What the choice rests on: labels of a released epoch never change.
_STATE = """
SELECT concat_ws('|',
  (SELECT sum(hashtextextended(concat_ws('|', e.id, e.released_at, c.id, c.texts, c.task, c.ontology_id), 0))
   FROM evaluation_epoch e JOIN annotations_corpus c ON c.id = e.corpus_id WHERE e.released_at IS NOT NULL),
  (SELECT sum(hashtextextended(concat_ws('|', id, state, is_public), 0)) FROM evaluation_submission
   WHERE is_public AND state = 'scored'),
  (SELECT count(*) FROM annotations_takedown), (SELECT max(id) FROM evaluation_score))
"""
_chosen: tuple[str, int, int] = ("", 0, 0)
"""The state in which a claim was chosen, and the row ids of its epoch and of the prediction; 0 for none."""


def find_showcase() -> Shown | None:
    """Return the claim; None where no corpus has one."""
    global _chosen
    ((state,),) = read_rows(_STATE, [])
    released = (
        Epoch.objects.filter(
            released_at__isnull=False, corpus__texts=Corpus.Texts.PUBLIC, corpus__task=TASK.name
        )
        .select_related("corpus")
        .order_by("-released_at", "-pk")
    )
    known, epoch_id, prediction_id = _chosen
    if known == state and not epoch_id:
        return None
    if known == state and (epoch := released.filter(pk=epoch_id).first()):
        one = _claims().filter(pk=prediction_id, instance__document__corpus=epoch.corpus)
        if found := _choose(epoch, list(one)):
            return found
    for epoch in released[:3]:
        if found := _choose(epoch, _candidates(epoch)):
            _chosen = (state, epoch.pk, found.claim.prediction.pk)
            return found
    _chosen = (state, 0, 0)
    return None


def _claims() -> QuerySet[Prediction]:
    """Select what published systems with scores claim, with its document."""
    seen = visible(None).filter(state=Submission.State.SCORED)
    return Prediction.objects.filter(submission__in=seen.values("pk")).select_related("instance__document")


def _candidates(epoch: Epoch) -> Sequence[Prediction]:
    """Return claims in the first documents of which something is published."""
    published = Question.objects.filter(document__corpus=epoch.corpus, published_at__isnull=False)
    documents = list(published.order_by("document").values_list("document", flat=True).distinct()[:DOCUMENTS])
    # First the rows that count, then what is read of them: no text more than once too often, and no walk
    # along all predictions of the site.
    retired = RetiredDocument.objects.filter(document__in=published.values("document")).order_by("document")
    documents += retired.values_list("document", flat=True)[:DOCUMENTS]
    own = Prediction.objects.filter(instance__document__in=documents)
    seen = set(visible(None).filter(state=Submission.State.SCORED).values_list("pk", flat=True))
    rows = own.order_by().values_list("pk", "submission_id")
    first = sorted(pk for pk, submission in rows if submission in seen)[:PREDICTIONS]
    return list(_claims().filter(pk__in=first).order_by("pk"))


def _choose(epoch: Epoch, predictions: Sequence[Prediction]) -> Shown | None:
    """Return the first of some claims that can be shown."""
    claims = {one.pk: row_of(one).relation() for one in predictions}
    rulings = published_rulings(claims.values())
    scores = _scores(epoch.corpus, {one.submission_id for one in predictions})
    fit = [
        one
        for one in predictions
        if one.submission_id in scores and _is_unanimous(rulings.get(claims[one.pk]))
    ]
    annotated = _published_annotations({claims[one.pk].document_id for one in fit})
    ranked = []
    for one in fit:
        claim = claims[one.pk]
        is_known = claim.document_id in annotated
        if not is_known or _is_annotated(claim, annotated) == rulings[claim].value:
            ranked.append((not is_known, _digest(epoch, claim), one.pk, one))
    chosen = [one for *_, one in sorted(ranked, key=lambda row: row[:3])[:SHOWN]]
    for shown in show(chosen, plain_ontology_of(epoch.corpus)):
        if _reads_well(shown):
            one = shown.prediction
            ruling, (precision, labels) = rulings[claims[one.pk]], scores[one.submission_id]
            return Shown(
                claim=shown,
                votes=_votes(ruling),
                holds=ruling.value,
                corpus=epoch.corpus,
                epoch=epoch,
                submission=visible(None).get(pk=one.submission_id),
                precision=precision,
                labels=labels,
                level=TASK.choices.level,
            )
    return None


def _digest(epoch: Epoch, claim: Claim) -> str:
    """Return by what a claim comes first or last: nobody could choose it, nor foresee it."""
    return sha256(f"{epoch.commitment} {claim}".encode()).hexdigest()


def _is_unanimous(ruling: Ruling | None) -> bool:
    """Return True if the votes of three people settled the claim and all agreed."""
    if ruling is None or ruling.votes != VOTES or ruling.by_expert:
        return False
    return ruling.votes_for in (0, VOTES)


def _published_annotations(documents: set[int]) -> dict[int, list[AnnotatedRelation]]:
    """Return what experts found in those documents whose annotation is published: they are retired."""
    annotations = DocumentAnnotation.objects.filter(
        document__in=documents,
        document__retirement__isnull=False,
        source=DocumentAnnotation.Source.EXPERT,
        completed_at__isnull=False,
    ).prefetch_related("relations")
    return {one.document_id: list(one.relations.all()) for one in annotations}


def _is_annotated(claim: Claim, annotated: Mapping[int, Sequence[AnnotatedRelation]]) -> bool:
    """Return True if experts annotated the claim's relation between mentions that overlap its own."""
    (start, end), (object_start, object_end) = claim.subject, claim.object
    return any(
        one.predicate == claim.predicate
        and one.subject_start < end
        and start < one.subject_end
        and one.object_start < object_end
        and object_start < one.object_end
        for one in annotated[claim.document_id]
    )


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
