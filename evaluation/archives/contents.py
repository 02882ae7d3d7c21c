"""What is in the archive of an epoch, task or no task: tables from rows."""

import hmac
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import F, Q, QuerySet

from annotations.kinds.registry import read_question
from annotations.models import KindAgreement, Label, Question, Response
from evaluation.design import columns, releases
from evaluation.models import (
    Audit,
    Edition,
    Epoch,
    Estimate,
    InclusionProbability,
    ReleasedLabels,
    SampleBatch,
    SampledUnit,
    Score,
    Submission,
    SubmissionEvent,
    SubsetScore,
)
from evaluation.scoring.published.files import Leaderboard
from evaluation.submissions.visibility import visible
from evaluation.task import ArchivedDivision, Archiving, Sample, Task
from evaluation.units import BoolArray, Pool
from kbpo_archive.tables import SUBSET, WEIGHT
from kbpo_archive.writing import Writer
from kbpo_estimators.scores import CoordinatedSample

CHUNK = 2_000
"""Questions whose answers are in memory at a time."""
Rows = Iterator[Sequence[Any]]


@dataclass(frozen=True)
class Contents:
    """A released epoch, its pool, and what both may tell.

    Attributes
    ----------
    epoch : Epoch
    task : Task
    of_task : Archiving
    pool : Pool
    sample : Sample
    release_keys : mapping of int to bytes
        What the pseudonyms of each released epoch of the corpus are made with, by row id.
    """

    epoch: Epoch
    task: Task
    of_task: Archiving
    pool: Pool
    sample: Sample
    release_keys: Mapping[int, bytes]

    @cached_property
    def questions(self) -> Mapping[int, int]:
        """The number of each published question, by row id: in the order of documents and keys."""
        needed = {pk for _, pk in releases.published(self.epoch)} | self.further
        found = Question.objects.filter(pk__in=needed)
        ordered = sorted(found.values_list("document__doc_id", "key", "pk"))
        return {pk: number for number, (*_, pk) in enumerate(ordered)}

    @cached_property
    def further(self) -> set[int]:
        """The published questions, by row id, that the task tells beside those that the sample needs."""
        return set(self.of_task.further_questions(self.epoch))

    @cached_property
    def _releases(self) -> tuple[Sequence[datetime], Sequence[bytes]]:
        """When the corpus' epochs were released, in their order, with what pseudonyms are made with."""
        rows = Epoch.objects.filter(pk__in=list(self.release_keys)).order_by("number")
        found = list(rows.values_list("pk", "released_at"))
        return [at for _, at in found if at is not None], [self.release_keys[pk] for pk, _ in found]

    @cached_property
    def _key_of_question(self) -> Mapping[int, bytes]:
        """By question, the key of the release that published it."""
        times, keys = self._releases
        published = Question.objects.filter(pk__in=list(self.questions)).values_list("pk", "published_at")
        return {pk: keys[max(0, bisect_right(times, at) - 1)] for pk, at in published if at is not None}

    @cached_property
    def teams(self) -> Mapping[int, int]:
        """The number of each team, by row id, from 1: in an order that is this release's alone."""
        key = self.release_keys[self.epoch.pk]
        every = sorted(
            {one.team_id for one in self.pool.submissions},
            key=lambda pk: hmac.digest(key, f"team|{pk}".encode(), "sha256"),
        )
        return {pk: number for number, pk in enumerate(every, start=1)}

    @cached_property
    def named(self) -> Mapping[int, Submission]:
        """The sampled systems that everybody may see, with the names by which they are known."""
        return {one.pk: one for one in visible(None).filter(pk__in=[one.pk for one in self.pool.submissions])}

    @cached_property
    def ranked(self) -> Collection[int]:
        """The systems, by row id, that ranks were over at the release, those that withdrew since too."""
        released = self.epoch.released_at
        assert released is not None, "it is released"
        own = [one.pk for one in self.pool.submissions]
        ranked = Score.objects.filter(epoch=self.epoch, submission__in=own, rank__isnull=False)
        withdrawn = SubmissionEvent.objects.filter(
            submission__in=own, state=Submission.State.WITHDRAWN, at__gt=released
        )
        return {
            *ranked.values_list("submission", flat=True).distinct(),
            *withdrawn.values_list("submission", flat=True),
        }

    @cached_property
    def in_snapshot(self) -> Collection[int]:
        """The systems, by row id, on the leaderboard of the release."""
        first = next(self._release_tables(), None)
        return set() if first is None else {row["system"] for row in first["rows"]}

    def _release_tables(self) -> Iterator[Mapping[str, Any]]:
        """Yield the tables of the leaderboard that was frozen at the release."""
        kept = Edition.objects.filter(
            epoch=self.epoch, kind=Edition.Kind.LEADERBOARD, reason=Edition.Reason.RELEASE
        ).first()
        if kept is not None:
            yield from Leaderboard(kept).tables()

    @property
    def _has_earlier(self) -> bool:
        """Whether systems of earlier epochs may be ranked beside its own."""
        epoch = self.epoch
        earlier = SampleBatch.objects.filter(epoch__corpus=epoch.corpus_id, epoch__number__lt=epoch.number)
        return earlier.exists()

    @cached_property
    def divided(self) -> Sequence[ArchivedDivision]:
        """The ways to divide what systems predict."""
        return list(self.of_task.divide(self))

    @property
    def about_figures(self) -> Mapping[str, Any]:
        """What the manifest says of ranks and subsets."""
        choices = self.task.choices
        return {
            "ranking": {
                "from": choices.ranked_from,
                "level": choices.level,
                "levels": list(choices.levels),
                "by": {name: part.ranked_by for name, part in choices.parts.items()},
                "scales": {name: list(scale) for name, scale in choices.scales.items()},
                "less_is_better": list(choices.less_is_better),
                "alone": not self._has_earlier and self.tells_hidden,
            },
            "subsets": {
                "weighting": choices.default_weighting(self.epoch.corpus.design),
                "divisions": {one.name: list(one.names) for one in self.divided},
            },
        }

    @cached_property
    def sampled(self) -> BoolArray:
        """Whether each unit is in the sample."""
        if isinstance(self.sample, CoordinatedSample):
            return self.sample.sampled
        found = np.zeros(self.pool.size, dtype=np.bool_)
        found[np.concatenate(self.sample.draws)] = True
        return found

    @cached_property
    def keys(self) -> list[str]:
        """The key of each unit."""
        found = [""] * self.pool.size
        for batch, system in zip(self.pool.batches, self.pool.systems, strict=True):
            for position, key in zip(
                system.rows.tolist(), self.task.read_units(batch.submission).keys, strict=True
            ):
                found[position] = key
        return found

    @cached_property
    def is_open(self) -> BoolArray:
        """Whether it may be told of each unit where it is: sampled, or of a system that everybody may see."""
        found = self.sampled.copy()
        for submission, system in zip(self.pool.submissions, self.pool.systems, strict=True):
            if submission.pk in self.named:
                found[system.rows] = True
        return found

    @cached_property
    def told(self) -> Collection[int]:
        """The systems, by row id, all of whose predictions may be told."""
        own = [one.pk for one in self.pool.submissions]
        if not self.of_task.shares_units:
            return set(own)
        return self.named.keys() | self.of_task.told_anyway(self.epoch)

    @cached_property
    def withheld(self) -> Sequence[BoolArray]:
        """For each system which of its predictions are not told: those that hidden ones make unsampled."""
        return [
            ~self.sampled[system.rows]
            if submission.pk not in self.told
            else np.zeros(system.rows.size, dtype=np.bool_)
            for submission, system in zip(self.pool.submissions, self.pool.systems, strict=True)
        ]

    def write(self, writer: Writer) -> None:
        """Write the tables that every archive has."""
        writer.add_table("systems", self.systems())
        of_samples = ("known", "question", "claim", "label")
        of_units = ("unit", "key", "doc_id", "fold", "pi", "flat_pi", "sampled")
        writer.add_table("units", self.units(), (*of_units, *of_samples, *self.of_task.unit_columns))
        own = {**self.of_task.prediction_columns(self), **self._subsets_of_predictions()}
        weights = [f"{WEIGHT}{name}" for name in self.task.choices.weightings]
        head = (
            "system",
            "unit",
            "confidence",
            *weights,
            "planned_variance",
            "draws",
        )
        writer.add_table("predictions", self.predictions(own), (*head, *own))
        writer.add_table("questions", self.asked())
        writer.add_table("labels", self.labels())
        writer.add_table("votes", self.votes())
        writer.add_table("audits", self.audits())
        writer.add_table("scores", self.scores())
        writer.add_table("ranks", self.ranks())
        writer.add_table("subset_scores", self.subset_scores())
        writer.add_table("agreement", self.agreement())

    def systems(self) -> Rows:
        """Yield the systems."""
        for batch, submission, system in zip(
            self.pool.batches, self.pool.submissions, self.pool.systems, strict=True
        ):
            public = self.named.get(submission.pk)
            if public is None:
                shown = "withdrawn" if submission.state == Submission.State.WITHDRAWN else "hidden"
                name = f"{shown.capitalize()} system {batch.number}"
            else:
                shown = "anonymous" if public.is_alias_shown else "public"
                name = f"{public.shown_team}: {public.shown_name}"
            yield (
                *(batch.number, name, self.teams[submission.team_id], shown, system.rows.size),
                *(batch.target_variance, batch.lam, batch.floor, batch.draws, batch.weights_version),
                submission.pk if public is not None or submission.pk in self.in_snapshot else None,
                submission.pk in self.ranked,
            )

    def units(self) -> Rows:
        """Yield the units, in the order of the pool."""
        pool = self.pool
        known = np.zeros(pool.size, dtype=np.bool_)
        certain = InclusionProbability.objects.filter(batch__epoch=self.epoch, is_known=True)
        known[list(self._placed((unit, True) for unit in certain.values_list("unit_id", flat=True)))] = True
        rows = SampledUnit.objects.filter(epoch=self.epoch).values_list("unit_id", "question_id", "claim")
        asked = self._placed((unit, (question, claim)) for unit, question, claim in rows)
        labels = Label.objects.filter(question__in={question for question, _ in asked.values()})
        values = {
            (question, claim): value
            for question, claim, value in labels.values_list("question_id", "claim", "value")
        }
        flat = [None] * pool.size if pool.flat_pi is None else pool.flat_pi.tolist()
        is_open = self.is_open.tolist()
        further = self.of_task.describe(self, is_open)
        figures = (
            *(pool.folds.tolist(), pool.pi.tolist(), flat, self.sampled.tolist()),
            known.tolist(),
        )
        of_units = zip(self.keys, is_open, further, *figures, strict=True)
        for position, (key, may_be_told, (doc_id, own), *of_unit) in enumerate(of_units):
            question, claim = asked.get(position, (None, ""))
            yield (
                *(position, key if may_be_told else None, doc_id, *of_unit),
                *(None if question is None else self.questions[question], claim),
                None if question is None else values.get((question, claim)),
                *own,
            )

    def predictions(self, own: Mapping[str, Sequence[Sequence[Any]]]) -> Rows:
        """Yield the predictions of each system, in the order of their keys."""
        weightings = list(self.task.choices.weightings)
        for number, (batch, system) in enumerate(zip(self.pool.batches, self.pool.systems, strict=True)):
            drawn = self._placed(batch.sampled.values_list("unit_id", "draws"))
            variance = columns.read_variance(batch)
            planned = [None] * system.rows.size if variance is None else variance.tolist()
            weights = [system.weights[name].tolist() for name in weightings]
            further = [one[number] for one in own.values()]
            for position, confidence, is_withheld, s2, *rest in zip(
                system.rows.tolist(),
                system.confidence.tolist(),
                self.withheld[number].tolist(),
                planned,
                *weights,
                *further,
                strict=True,
            ):
                p, of_task = rest[: len(weights)], rest[len(weights) :]
                yield (
                    *(batch.number, position, None if is_withheld else confidence),
                    *(*p, s2),
                    drawn.get(position),
                    *of_task,
                )

    def asked(self) -> Rows:
        """Yield the questions."""
        rows = Question.objects.filter(pk__in=list(self.questions))
        named = {
            pk: (kind, doc_id, key, audits)
            for pk, kind, doc_id, key, audits in rows.values_list(
                "pk", "kind", "document__doc_id", "key", "audits_id"
            )
        }
        for pk, number in self.questions.items():
            kind, doc_id, key, audits = named[pk]
            yield number, kind, doc_id, key, self.questions.get(audits)

    def labels(self) -> Rows:
        """Yield the labels."""
        for some in self._some_questions():
            rows = Label.objects.filter(question__in=some).values_list(
                "question_id", "claim", "value", "votes_for", "votes", "source"
            )
            yield from sorted((self.questions[pk], *row) for pk, *row in rows)

    def votes(self) -> Rows:
        """Yield what people said of each claim, before it was published.

        A question that an earlier release published is told by that release's pseudonyms: since its answers
        stand in that archive too, others would tell which two pseudonyms are one person.
        """
        sealed = ReleasedLabels.objects.filter(epoch=self.epoch).first()
        last = 0 if sealed is None else sealed.last_answer
        for some in self._some_questions():
            contents = {
                pk: read_question(kind, payload)
                for pk, kind, payload in Question.objects.filter(pk__in=some).values_list(
                    "pk", "kind", "payload"
                )
            }
            before = Q(pk__lte=last) | Q(
                question__in=self.further.intersection(some), answered_at__lte=F("question__published_at")
            )
            answers = Response.objects.filter(before, question__in=some).values_list(
                "question_id", "worker_id", "is_expert", "is_valid", "answer"
            )
            yield from sorted(
                (self.questions[pk], self.pseudonym(worker, pk), is_expert, is_valid, claim, value)
                for pk, worker, is_expert, is_valid, answer in answers
                for claim, value in contents[pk].values(answer).items()
            )

    def pseudonym(self, worker: int, question: int | None = None) -> str:
        """Return what stands for a person: in this release alone, or in that which published a question."""
        key = self.release_keys[self.epoch.pk] if question is None else self._key_of_question[question]
        return hmac.digest(key, f"annotator|{worker}".encode(), "sha256").hex()[:16]

    def audits(self) -> Rows:
        """Yield the audits that were drawn, or might have been."""
        rows = Audit.objects.filter(epoch=self.epoch).values_list(
            "question_id", "batch__number", "doubt", "probability", "is_drawn"
        )
        yield from sorted((self.questions[pk], *row) for pk, *row in rows)

    @cached_property
    def tells_hidden(self) -> bool:
        """Whether figures are stated of systems whose predictions are withheld."""
        return self.of_task.tells_hidden(self)

    @property
    def _estimates(self) -> QuerySet[Estimate]:
        found = Estimate.objects.filter(score__epoch=self.epoch)
        return found if self.tells_hidden else found.filter(score__submission__in=self.told)

    @property
    def figures(self) -> int:
        """How many published figures of scores it states."""
        return self._estimates.count()

    def scores(self) -> Rows:
        """Yield the published figures."""
        numbers = {one.submission_id: one.number for one in self.pool.batches}
        names = ("estimator", "weighting", "part", "standard", "level")
        rows = self._estimates.values_list(
            "score__submission_id",
            *(f"score__{name}" for name in names),
            "measure",
            "estimate",
            "low",
            "high",
            "score__labels",
        )
        yield from sorted(((numbers[row[0]], *row[1:]) for row in rows), key=lambda row: row[:7])

    def ranks(self) -> Rows:
        """Yield the ranks on the leaderboard of the release, of the systems of the epoch."""
        numbers = {one.submission_id: one.number for one in self.pool.batches}
        rows = []
        for table in self._release_tables():
            choice = [table[name] for name in ("estimator", "weighting", "part", "standard", "level")]
            rows.append((0, *choice, table["ranked"], table["apart"]))
            rows += [
                (numbers[row["system"]], *choice, row["rank"], None)
                for row in table["rows"]
                if row["system"] in numbers and row["rank"] is not None
            ]
        yield from sorted(rows, key=lambda row: row[:6])

    def subset_scores(self) -> Rows:
        """Yield the published figures of subsets."""
        numbers = {one.submission_id: one.number for one in self.pool.batches}
        names = ("division", "order", "part", "standard", "measure", "estimate", "low", "high")
        found = SubsetScore.objects.filter(epoch=self.epoch)
        if not self.tells_hidden:
            found = found.filter(submission__in=self.told)
        rows = found.values_list("submission_id", *names, "labels", "true")
        yield from sorted(((numbers[row[0]], *row[1:]) for row in rows), key=lambda row: row[:6])

    def agreement(self) -> Rows:
        """Yield how far those who answered agree."""
        rows = KindAgreement.objects.filter(corpus=self.epoch.corpus).values_list(
            "kind", "aspect", "questions", "kappa", "kappa_low", "kappa_high"
        )
        yield from sorted(rows, key=lambda row: row[:2])

    def _subsets_of_predictions(self) -> Mapping[str, Sequence[Sequence[Any]]]:
        """Return for each division the subset of each prediction, system by system."""
        return {
            f"{SUBSET}{one.name}": [[None if at < 0 else at for at in own.tolist()] for own in one.of_units]
            for one in self.divided
            if one.of_units is not None
        }

    def _placed(self, rows: Iterable[tuple[int, Any]]) -> dict[int, Any]:
        """Return by the position of each unit in the pool what is said of it."""
        some = list(rows)
        positions = self.pool.positions(np.array([unit for unit, _ in some], dtype=np.int64))
        return dict(zip(positions.tolist(), (said for _, said in some), strict=True))

    def _some_questions(self) -> Iterator[Collection[int]]:
        every = list(self.questions)
        for first in range(0, len(every), CHUNK):
            yield every[first : first + CHUNK]
