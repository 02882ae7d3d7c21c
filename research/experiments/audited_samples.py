"""Samples of the ten systems on KnowledgeNet, judged by a crowd and audited in part."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.aggregation.crowds import Crowd
from annotations.aggregation.dawid_skene import dawid_skene
from kbpo_estimators import coordinated, weighting
from kbpo_estimators.document_samples import SimpleRandom, draw_documents
from kbpo_estimators.f1 import harmonic
from kbpo_estimators.intervals import Interval, difference_interval, f1_interval, interval
from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.corrected import corrected
from kbpo_estimators.judging.drawing import (
    audit_probabilities,
    doubts,
    doubts_in_predictions,
    drawn,
)
from kbpo_estimators.judging.products import JudgedEntries, Products
from kbpo_estimators.labelled import ShareOfPool, both, share_of_pool
from kbpo_estimators.many import difference_precisions
from kbpo_estimators.pooled import Predicted, SampleEntries, learn
from kbpo_estimators.recall import RecallEstimate, document_recall
from kbpo_estimators.reduced import Reduced, reduce_systems
from research.experiments.arrivals import World, present
from research.experiments.correction import calibrate, noise_adjusted_precisions
from research.experiments.coverage import EXHAUSTIVE
from research.experiments.mentions import Mentions
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from tests.oracles.differences import precision_difference
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.readers.knowledgenet import KnowledgeNet

WORKERS, VOTES = 30, 3
WEIGHTING = weighting.DEFAULT
MODEL = "right"
BENT = (1.5, 1.0, 0.5)
"""What the error is multiplied with where one, two, three or more teams claim a thing."""
MOST_ERROR = 0.48
PAIR, MENTION = "pair", "mention"
"""The kinds of question: what holds between two spans, and whether a canonical mention is right."""
RECALLS = ("documents", "claims", "both")
"""From annotated documents, from judged claims, from both."""
CLAIMS, LARGEST, RELATIONS = ("claims", "largest", "relations")
"""What ρ follows: the doubt in whole claims, which is the service's rule; that in the most doubtful claim at
each instance; that in relations alone, as it was (version 1)."""


@dataclass(frozen=True)
class Part:
    """What of a claim must be right.

    Attributes
    ----------
    name : {"relation", "all", "linking"}
    linked : float or None
        The share of the canonical mentions that are right; None where systems give none.
    """

    name: str = "relation"
    linked: float | None = None

    def __str__(self) -> str:
        return self.name if self.linked is None else f"{self.name}, {self.linked:.0%} of mentions right"


RELATION = Part()


@dataclass(frozen=True, eq=False)
class Labels:
    """What is said of a world's questions, or what is true.

    Attributes
    ----------
    relations : float[N]
        Over the pool's instances.
    mentions : float[M]
        Over the questions about canonical mentions.
    """

    relations: FloatArray
    mentions: FloatArray


@dataclass(frozen=True, eq=False)
class Votes:
    """What a crowd says about Q questions of a kind: who was asked, and who erred, [Q, VOTES]."""

    workers: IntArray
    errs: BoolArray

    @property
    def split(self) -> BoolArray:
        """Return where the first two differ."""
        return np.asarray(self.errs[:, 0] != self.errs[:, 1])

    @property
    def asked(self) -> BoolArray:
        """The third only where the first two differ."""
        asked = np.ones(self.errs.shape, dtype=bool)
        asked[:, 2:] = self.split[:, None]
        return asked

    @property
    def wrong(self) -> BoolArray:
        """Return where most err."""
        return np.asarray(self.errs.sum(axis=1) * 2 > VOTES)


@dataclass(frozen=True, eq=False)
class Judged:
    """What a crowd says of all questions, and its votes."""

    labels: Labels
    pairs: Votes
    mentions: Votes


@dataclass(frozen=True, eq=False)
class Asked:
    """What does not depend on the seed: the systems, what is asked about each claim, the truth.

    Attributes
    ----------
    truths : Labels
        What judges would say who never err.
    truth : dict of measure to float[systems], or of differences to float[pairs]
    """

    world: World
    part: Part
    teams: IntArray
    question: IntArray
    question_keys: list[str]
    mentions: Mentions
    truths: Labels
    truth: dict[str, FloatArray]

    @classmethod
    def of(cls, data: KnowledgeNet, part: Part) -> "Asked":
        """Return what is asked for a part."""
        world = World(data)
        pairs: dict[int, str] = {}
        for system, members in zip(data.systems, data.members, strict=True):
            for position, claim in zip(members.tolist(), system.claims, strict=True):
                spans = sorted(f"{span.start}-{span.end}" for span in (claim.subject, claim.object))
                pairs[position] = "|".join([claim.doc_id, *spans])
        keys = [pairs[number] for number in range(world.size)]
        index = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        mentions = Mentions.none(data) if part.linked is None else Mentions.made(data, part.linked)
        asked = cls(
            world,
            part,
            data.teams(),
            np.array([index[key] for key in keys]),
            list(index),
            mentions,
            Labels(world.correct, mentions.correct),
            {},
        )
        precision = np.array(
            [
                one.weights[WEIGHTING] @ asked.right(number, asked.truths)
                for number, one in enumerate(world.systems)
            ]
        )
        gaps = np.array([one - other for one, other in itertools.combinations(precision, 2)])
        asked.truth.update({"precision": precision, "difference": gaps})
        if asked.has_recall:
            recall = np.array(
                [data.matching.found_by(asked.counts(number)).mean() for number in range(len(data.systems))]
            )
            f1 = np.array([harmonic(p, r) for p, r in zip(precision, recall, strict=True)])
            asked.truth.update({"recall": recall, "f1": f1})
        return asked

    @property
    def has_recall(self) -> bool:
        """Say whether the part has a recall: linking has none."""
        return self.part.name != "linking"

    def linked(self, system: int, labels: Labels) -> FloatArray:
        """Return whether a system's canonical mentions, if the part needs any, are right by some labels."""
        if self.part.name == RELATION.name:
            return np.ones(self.mentions.questions[system].shape[1])
        own = self.mentions.questions[system]
        return np.asarray(np.where(own >= 0, np.append(labels.mentions, 1.0)[own], 1.0).prod(axis=0))

    def right(self, system: int, labels: Labels) -> FloatArray:
        """Return f of a system by some labels, over its instances."""
        linked = self.linked(system, labels)
        if self.part.name == "linking":
            return linked
        return np.asarray(labels.relations[self.world.systems[system].rows] * linked)

    def counts(self, system: int) -> BoolArray:
        """Say which instances of the pool a system has with canonical mentions that are right."""
        mine = np.zeros(self.world.size, dtype=bool)
        mine[self.world.systems[system].rows] = self.linked(system, self.truths) == 1
        return mine


@dataclass(frozen=True, eq=False)
class Sample:
    """One seed: the sample of claims, and the exhaustive documents."""

    asked: Asked
    seed: int
    secret: bytes
    pi: FloatArray
    sampled: BoolArray
    rows: IntArray
    folds: IntArray
    inside: BoolArray
    alphas: list[float]
    entries: SampleEntries

    @property
    def world(self) -> World:
        """Return the systems."""
        return self.asked.world

    @classmethod
    def of(cls, asked: Asked, seed: int) -> "Sample":
        """Draw it."""
        world, data = asked.world, asked.world.data
        secret = b"knowledgenet|%d" % seed
        chosen = set(draw_documents(data.documents, EXHAUSTIVE, seed))
        order = np.random.default_rng(seed).permutation(len(world.systems))
        grown = present(world, order, chosen, secret, WEIGHTING)
        sampled = coordinated.uniforms(secret, data.keys) < grown.pi
        folds = coordinated.folds(secret, data.keys)
        inside = np.array([document in chosen for document in data.documents])
        alphas = []
        for own in data.members:
            mine = np.zeros(sampled.size, dtype=bool)
            mine[own] = True
            alphas.append(planned_alpha(asked.teams, mine, grown.flat_pi, EXHAUSTIVE, len(data.documents)))
        rows = np.flatnonzero(sampled)
        entries = SampleEntries.of(world.systems, sampled)
        return cls(asked, seed, secret, grown.pi, sampled, rows, folds, inside, alphas, entries)

    def learnt(self, f: FloatArray) -> Predicted:
        """Return what labels of the entries say of each claim: the pooled model."""
        world = self.world
        features = world.data.features()
        return learn(world.systems, features, self.sampled, self.folds, self.entries, {MODEL: f})[MODEL]

    def learnt_of_relations(self, judged: Judged) -> Predicted:
        """Return the model of the relations alone, by which audits are planned."""
        return self.learnt(judged.labels.relations[self.rows][self.entries.positions])

    def reduced(self, model: Predicted) -> Reduced:
        """Reduce the systems to what their estimates need."""
        systems = [
            (one.rows, {WEIGHTING: one.weights[WEIGHTING]}, one.confidence) for one in self.world.systems
        ]
        models = {MODEL: model}
        found = reduce_systems(systems, len(systems), self.pi, self.sampled, self.folds, models=models)
        return found[WEIGHTING]

    def judged(self, crowd: Crowd, *, bent: bool) -> Judged:
        """Have three workers judge each question, the third only where the first two differ."""
        asked = self.asked
        teams = np.zeros(len(asked.question_keys), dtype=np.int64)
        np.maximum.at(teams, asked.question, asked.teams)
        seed = [self.seed, *crowd.name.encode(), bent]
        pairs = _votes(crowd, teams if bent else None, teams.size, np.random.default_rng(seed))
        mentions = asked.mentions
        of_mentions = _votes(
            crowd, mentions.teams if bent else None, mentions.teams.size, np.random.default_rng([*seed, 1])
        )
        labels = Labels(
            np.where(pairs.wrong[asked.question], 1.0 - asked.truths.relations, asked.truths.relations),
            np.where(of_mentions.wrong, 1.0 - mentions.correct, mentions.correct),
        )
        return Judged(labels, pairs, of_mentions)

    def wrong(self, judged: Judged) -> float:
        """Return the share of the systems' labels in the sample that are wrong."""
        return float((self.of_entries(judged.labels) != self.of_entries(self.asked.truths)).mean())

    def found_wrong(self, audit: Audit) -> int:
        """Count what the audit found wrong."""
        return int(Products.of(audit, self.judged_entries()).wrong.sum())

    def audit(self, judged: Judged, model: Predicted, share: float, aim: str = CLAIMS) -> Audit:
        """Audit a share of the sample's questions, and with each the canonical mentions of its claims."""
        asked, rows = self.asked, self.rows
        question = asked.question[rows]
        f = judged.labels.relations[rows]
        votes = judged.pairs.asked.sum(axis=1)[question]
        doubt = doubts(f, votes, judged.pairs.split[question].astype(np.int64), model.of_pool[rows])
        mentioned = self._mention_doubts(judged)
        numbers, place = np.unique(question, return_inverse=True)
        of_question = np.zeros(numbers.size)
        np.maximum.at(of_question, place, self._aimed(doubt, mentioned, aim))
        rho = audit_probabilities(of_question, share)
        audited = drawn(self.secret, [asked.question_keys[number] for number in numbers], rho)[place]
        answers = np.where(audited, asked.truths.relations[rows], np.nan)
        labels = {PAIR: AuditedLabels(np.arange(rows.size), f, answers, doubt)}
        if asked.part.linked is not None:
            labels[MENTION] = self._audited_mentions(judged, audited, mentioned)
        return Audit(self.pi[rows], place, rho[place], audited, labels)

    def _aimed(self, doubt: FloatArray, mentioned: FloatArray, aim: str) -> FloatArray:
        """Return the doubts that ρ follows, by instance of the sample."""
        if aim == RELATIONS or self.asked.part.linked is None:
            return doubt
        sides = self._sides()
        right = np.where(sides < 0, 1.0, 1.0 - mentioned[sides]).prod(axis=0)
        if aim == CLAIMS:
            return doubts_in_predictions(doubt, self.entries.positions, right)
        least = np.ones(doubt.size)
        np.minimum.at(least, self.entries.positions, right)
        return np.asarray(1.0 - (1.0 - doubt) * least)

    def _mention_doubts(self, judged: Judged) -> FloatArray:
        """Return the doubt in each label of a canonical mention at an instance."""
        _, question = self._mentioned()
        f = judged.labels.mentions[question]
        votes = judged.mentions.asked.sum(axis=1)[question]
        dissenting = judged.mentions.split[question].astype(np.int64)
        return doubts(f, votes, dissenting, np.full(f.size, f.mean() if f.size else 0.5))

    def _audited_mentions(self, judged: Judged, audited: BoolArray, doubt: FloatArray) -> AuditedLabels:
        """Return the labels of the canonical mentions at each instance."""
        instances, question = self._mentioned()
        answers = np.where(audited[instances], self.asked.truths.mentions[question], np.nan)
        return AuditedLabels(instances, judged.labels.mentions[question], answers, doubt)

    def _mentioned(self) -> tuple[IntArray, IntArray]:
        """Return the instance and the question of each label of a canonical mention."""
        size = self.asked.mentions.correct.size
        codes = self._codes()
        return np.divmod(np.unique(codes[codes >= 0]), size)

    def _codes(self) -> IntArray:
        size = self.asked.mentions.correct.size
        sides = np.concatenate(
            [own[:, at] for own, at in zip(self.asked.mentions.questions, self._own(), strict=True)], axis=1
        )
        return np.where(sides < 0, -1, self.entries.positions * size + sides)

    def _sides(self) -> IntArray:
        """Return which labels of canonical mentions each entry needs, −1 where none, int[2, E]."""
        codes = self._codes()
        return np.where(codes < 0, -1, np.searchsorted(np.unique(codes[codes >= 0]), codes))

    def judged_entries(self) -> JudgedEntries:
        """Return which labels each entry needs."""
        entries, part = self.entries, self.asked.part
        pairs = entries.positions[None, :]
        if part.name == RELATION.name:
            return JudgedEntries(entries.indptr, entries.positions, (PAIR,), pairs)
        sides = self._sides()
        if part.name == "linking":
            return JudgedEntries(entries.indptr, entries.positions, (MENTION,) * 2, sides)
        units = np.concatenate([pairs, sides])
        return JudgedEntries(entries.indptr, entries.positions, (PAIR, MENTION, MENTION), units)

    def _own(self) -> list[IntArray]:
        return np.split(self.entries.own, self.entries.indptr[1:-1])

    def of_entries(self, labels: Labels) -> FloatArray:
        """Return f of each system at each of its sampled instances."""
        return np.concatenate(
            [self.asked.right(number, labels)[own] for number, own in enumerate(self._own())]
        )

    def scores(self, labels: Labels, audit: Audit | None = None) -> dict[str, list[Interval]]:
        """Score every system, and every pair, from labels of the sample, corrected if there is an audit."""
        f = self.of_entries(labels)
        reduced = self.reduced(self.learnt(f))
        precisions = difference_precisions(reduced, f, model=MODEL)
        shares = self._shares(reduced, f)
        pools = [reduced.pool(number) for number in range(reduced.systems)]
        if audit is not None:
            right = corrected(
                audit, self.judged_entries(), {WEIGHTING: reduced.p}, {WEIGHTING: precisions}, shares
            )
            precisions, pools, shares = right.precisions[WEIGHTING], right.pools, right.shares
        own_intervals = [_known(interval(one)) for one in precisions]
        found = {
            "precision": own_intervals,
            "difference of precisions": [
                difference_interval(
                    precision_difference(precisions[i], pools[i], precisions[j], pools[j]),
                    own_intervals[i],
                    own_intervals[j],
                )
                for i, j in itertools.combinations(range(len(precisions)), 2)
            ],
        }
        if not self.asked.has_recall:
            return found
        recalls = self._recalls(shares)
        for source in RECALLS:
            found[f"recall from {source}"] = [_known(interval(one[source])) for one in recalls]
            found[f"f1 from {source}"] = [
                _known(f1_interval(precision, recall[source], pool=pool))
                for precision, recall, pool in zip(precisions, recalls, pools, strict=True)
            ]
        return found

    def adjusted(self, judged: Judged, model: Predicted) -> list[Interval]:
        """Score every system's precision from labels corrected by a model of the votes."""
        question = self.asked.question[self.rows]
        reduced = self.reduced(model)
        asked = judged.pairs.asked[question]
        votes = judged.pairs.errs[question] ^ (self.world.correct[self.rows] == 1)[:, None]
        fit = dawid_skene(np.nonzero(asked)[0], judged.pairs.workers[question][asked], votes[asked])
        posterior, nobody = fit.posteriors[:, 1], np.full(question.size, -1)
        calibration = calibrate(posterior, nobody)
        if calibration is None:
            raise AssertionError("votes of these crowds always tell something")
        labels = calibration.correct(posterior, nobody)[reduced.positions]
        return [_known(interval(one)) for one in noise_adjusted_precisions(reduced, labels)]

    def _shares(self, reduced: Reduced, f: FloatArray) -> list[ShareOfPool | None]:
        of_pool = np.zeros(reduced.pi.size)
        np.maximum.at(of_pool, reduced.positions, f)
        shares: list[ShareOfPool | None] = []
        ends = reduced.indptr[1:-1]
        for own, own_f in zip(np.split(reduced.positions, ends), np.split(f, ends), strict=True):
            mine = np.zeros(of_pool.size)
            mine[own] = own_f
            shares.append(share_of_pool(reduced.pi, of_pool, mine))
        return shares

    def _recalls(self, shares: list[ShareOfPool | None]) -> list[dict[str, RecallEstimate | None]]:
        data, inside = self.world.data, self.inside
        sample = SimpleRandom(len(data.documents))
        correct = data.matching.correct
        counted = [self.asked.counts(number) for number in range(len(shares))]

        def by_document(flags: BoolArray, document: IntArray) -> Any:
            return data.by_document(flags, document)[inside]

        true = by_document(np.ones(data.true_document.size, bool), data.true_document)
        of_pool = by_document(correct & np.any(counted, axis=0), data.claim_document)
        recalls = []
        for mine, share, alpha in zip(counted, shares, self.alphas, strict=True):
            found = by_document(data.matching.found_by(mine), data.true_document)
            own = by_document(mine & correct, data.claim_document)
            from_documents = document_recall(true, found, sample)
            from_labels = labelled_recall(share, true, of_pool, own, found, sample)
            from_both = both(from_documents, from_labels, alpha)
            recalls.append(dict(zip(RECALLS, (from_documents, from_labels, from_both), strict=True)))
        return recalls


def _votes(crowd: Crowd, teams: IntArray | None, questions: int, rng: np.random.Generator) -> Votes:
    """Draw them; errors go with the number of teams where these are given."""
    errors = crowd.errors(WORKERS)
    workers = np.argsort(rng.random((questions, WORKERS)), axis=1)[:, :VOTES]
    hard = rng.random(questions) < crowd.hard
    chance = errors[workers] + crowd.more * hard[:, None]
    if teams is not None:
        factor = np.array(BENT)[np.minimum(teams, len(BENT)) - 1]
        chance = np.minimum(chance * factor[:, None], MOST_ERROR)
    return Votes(workers, rng.random(chance.shape) < chance)


def _known(found: Interval | None) -> Interval:
    if found is None:
        raise AssertionError("a score of these worlds is always estimable")
    return found
