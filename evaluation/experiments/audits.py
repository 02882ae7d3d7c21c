"""What an audit of labels leaves of the judges' errors: ten systems on KnowledgeNet, judged by three crowds.

Each seed draws a sample, as the service does, and documents, has a crowd judge the sample, audits a share of
the questions, and holds the corrected 95% intervals against the truth, beside those that take the votes for
the truth and those of judges who never err; all with the pooled model of the labels at hand. Once with errors
that are alike on all claims, once with errors that go with how many teams make the claim.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from annotations.aggregation.correction import calibrate
from annotations.aggregation.crowds import CROWDS, Crowd
from annotations.aggregation.dawid_skene import dawid_skene
from evaluation.estimators import coordinated, weighting
from evaluation.estimators.differences import precision_difference
from evaluation.estimators.document_samples import SimpleRandom, draw_documents
from evaluation.estimators.f1 import harmonic
from evaluation.estimators.intervals import Interval, difference_interval, f1_interval, interval
from evaluation.estimators.judging.audited import Audit, AuditedLabels
from evaluation.estimators.judging.corrected import corrected
from evaluation.estimators.judging.drawing import audit_probabilities, doubts, drawn
from evaluation.estimators.judging.products import JudgedEntries
from evaluation.estimators.labelled import ShareOfPool, both, labelled_recall, planned_alpha, share_of_pool
from evaluation.estimators.many import difference_precisions, noise_adjusted_precisions
from evaluation.estimators.pooled import Predicted, SampleEntries, learn
from evaluation.estimators.recall import RecallEstimate, document_recall
from evaluation.estimators.reduced import Reduced, reduce_systems
from evaluation.experiments import figures, knowledgenet
from evaluation.experiments.arrivals import World, present
from evaluation.experiments.coverage import EXHAUSTIVE, Held
from evaluation.experiments.knowledgenet import KnowledgeNet
from evaluation.experiments.outcome import Compared, Options, Outcome
from evaluation.experiments.pool import BoolArray
from evaluation.experiments.runs import FloatArray, IntArray

WORKERS, VOTES = 30, 3
SHARES = (0.10, 0.20)
WEIGHTING = weighting.DEFAULT
MODEL = "right"
BENT = (1.5, 1.0, 0.5)
"""What the error is multiplied with where one, two, three or more teams claim a thing."""
MOST_ERROR = 0.48
PAIR = "pair"
"""The one kind of question here: what holds between two spans."""
RECALLS = ("documents", "claims", "both")
"""From annotated documents, from judged claims, from both."""
MEASURES = (
    "precision",
    *(f"{measure} from {source}" for measure in ("recall", "f1") for source in RECALLS),
    "difference of precisions",
)
WAYS = ("exact", "votes", "corrected")
"""Judges who never err; votes that are taken for the truth; labels that are audited, and corrected."""
ADJUSTED = "adjusted"
"""Labels corrected by Dawid and Skene's model of the votes, without an audit (precision only)."""


@dataclass(frozen=True)
class Case:
    """One crowd, one audit.

    Attributes
    ----------
    crowd : str
    bent : bool
        Whether errors go with how many teams claim a thing.
    share : float
        Of the questions, that is audited.
    """

    crowd: str
    bent: bool
    share: float

    def __str__(self) -> str:
        return f"{self.crowd}{', by teams' if self.bent else ''}, audit {self.share:.0%}"


CASES = tuple(Case(crowd, bent, share) for crowd in CROWDS for bent in (False, True) for share in SHARES)


@dataclass(frozen=True, eq=False)
class Found:
    """What one case came to.

    Attributes
    ----------
    held : dict of (way, measure) to Held, [seeds, systems or pairs of them]
        Of `WAYS` and `MEASURES`, and the precision that is ``adjusted``.
    wrong : float[seeds]
        The share of the sample's labels that are wrong.
    errors : int[seeds]
        Wrong labels that the audit found.
    """

    held: dict[tuple[str, str], Held]
    wrong: FloatArray
    errors: IntArray

    def width(self, measure: str, way: str = "corrected") -> float:
        """Return the median width relative to that with judges who never err."""
        return self.held[way, measure].half_width / self.held["exact", measure].half_width

    def bias(self, measure: str, way: str = "corrected") -> FloatArray:
        """Return each system's mean error."""
        one = self.held[way, measure]
        return np.asarray((one.estimate - one.truth).mean(axis=0))

    def by_system(self, measure: str, way: str = "corrected") -> FloatArray:
        """Return each system's share of intervals that hold the truth."""
        one = self.held[way, measure]
        return np.asarray(((one.low <= one.truth) & (one.truth <= one.high)).mean(axis=0))


def run(options: Options) -> Outcome:
    """Judge and audit the ten systems; nothing without the folder of KnowledgeNet."""
    if options.knowledgenet is None:
        return Outcome("Audits of labels", "Needs the ten systems on KnowledgeNet.", [], lambda _: None)
    seeds = range(options.count(300, 10))
    found = simulate(knowledgenet.read(Path(options.knowledgenet)), seeds, progress=options.progress)
    numbers = {str(case): _numbers(one) for case, one in found.items()}
    compared = [
        Compared(f"{case}: precision, {what}", "", numbers[str(case)]["precision"]["corrected"][what])
        for case in found
        for what in ("coverage", "worst system", "width")
    ]
    return Outcome(
        title="Audits of labels",
        says=f"95% intervals of ten systems on KnowledgeNet, {len(seeds)} seeds: how many hold the truth, for"
        " the worst system too, and how wide they are beside those of judges who never err.",
        compared=compared,
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def simulate(
    data: KnowledgeNet,
    seeds: range,
    cases: tuple[Case, ...] = CASES,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[Case, Found]:
    """Sample, judge, audit and score the ten systems, once for each seed and case.

    Parameters
    ----------
    data : KnowledgeNet
    seeds : range
        Each decides the order of arrival, the secret, the documents, and who errs where.
    cases : tuple of Case
    progress : callable
        Takes a line about how far it is.
    """
    world = _Questions.of(data)
    ends: dict[tuple[Case, str, str], list[list[tuple[float, float, float]]]] = {}
    wrong: dict[Case, list[float]] = {case: [] for case in cases}
    errors: dict[Case, list[int]] = {case: [] for case in cases}
    for seed in seeds:
        progress(f"KnowledgeNet, seed {seed} of {seeds.stop}")
        sample = _Sample.of(world, seed)
        correct = world.world.correct
        exact = sample.scores(correct, sample.learnt(correct), None)
        crowds: dict[tuple[str, bool], tuple[_Judged, Predicted, dict[str, list[Interval]]]] = {}
        for case in cases:
            if (case.crowd, case.bent) not in crowds:
                judged = sample.judged(CROWDS[case.crowd], bent=case.bent)
                model = sample.learnt(judged.labels)
                by_votes = sample.scores(judged.labels, model, None)
                crowds[case.crowd, case.bent] = judged, model, by_votes
            judged, model, by_votes = crowds[case.crowd, case.bent]
            audit = sample.audit(judged, model, case.share)
            of_ways = (exact, by_votes, sample.scores(judged.labels, model, audit))
            for way, rows in zip(WAYS, of_ways, strict=True):
                for measure in MEASURES:
                    ends.setdefault((case, way, measure), []).append(_ends(rows[measure]))
            ends.setdefault((case, ADJUSTED, "precision"), []).append(_ends(sample.adjusted(judged, model)))
            wrong[case].append(float((judged.labels != correct)[sample.rows].mean()))
            errors[case].append(int(audit.rates[PAIR].wrong.sum()))
    held: dict[Case, dict[tuple[str, str], Held]] = {case: {} for case in cases}
    for (case, way, measure), found in ends.items():
        estimate, low, high = np.moveaxis(np.array(found), 2, 0)
        held[case][way, measure] = Held(estimate, low, high, world.truth[measure.split()[0]])
    return {case: Found(held[case], np.array(wrong[case]), np.array(errors[case])) for case in cases}


@dataclass(frozen=True, eq=False)
class _Judged:
    """What a crowd says: labels float[N]; of Q questions, who was asked, and who erred, [Q, VOTES]."""

    labels: FloatArray
    workers: IntArray
    errs: BoolArray

    @property
    def split(self) -> BoolArray:
        return np.asarray(self.errs[:, 0] != self.errs[:, 1])

    @property
    def asked(self) -> BoolArray:
        """The third only where the first two differ."""
        asked = np.ones(self.errs.shape, dtype=bool)
        asked[:, 2:] = self.split[:, None]
        return asked


@dataclass(frozen=True, eq=False)
class _Questions:
    """What does not depend on the seed: the systems, which question asks of each claim, the truth."""

    world: World
    teams: IntArray
    question: IntArray
    question_keys: list[str]
    truth: dict[str, FloatArray]

    @classmethod
    def of(cls, data: KnowledgeNet) -> "_Questions":
        world = World(data)
        pairs: dict[int, str] = {}
        for system, members in zip(data.systems, data.members, strict=True):
            for position, claim in zip(members.tolist(), system.claims, strict=True):
                spans = sorted(f"{span.start}-{span.end}" for span in (claim.subject, claim.object))
                pairs[position] = "|".join([claim.doc_id, *spans])
        keys = [pairs[number] for number in range(world.size)]
        index = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        precision = world.truth[WEIGHTING]
        recall = np.array([data.recall(number) for number in range(len(data.systems))])
        f1 = np.array([harmonic(p, r) for p, r in zip(precision, recall, strict=True)])
        gaps = np.array([one - other for one, other in itertools.combinations(precision, 2)])
        truth = {"precision": precision, "recall": recall, "f1": f1, "difference": gaps}
        question = np.array([index[key] for key in keys])
        return cls(world, data.teams(), question, list(index), truth)


@dataclass(frozen=True, eq=False)
class _Sample:
    """One seed: the sample of claims, and the exhaustive documents."""

    questions: _Questions
    seed: int
    secret: bytes
    pi: FloatArray
    sampled: BoolArray
    rows: IntArray
    folds: IntArray
    inside: BoolArray
    alphas: list[float]

    @property
    def world(self) -> World:
        return self.questions.world

    @classmethod
    def of(cls, questions: _Questions, seed: int) -> "_Sample":
        world, data = questions.world, questions.world.data
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
            alphas.append(
                planned_alpha(questions.teams, mine, grown.flat_pi, EXHAUSTIVE, len(data.documents))
            )
        rows = np.flatnonzero(sampled)
        return cls(questions, seed, secret, grown.pi, sampled, rows, folds, inside, alphas)

    def learnt(self, labels: FloatArray) -> Predicted:
        """Return what these labels of the sample say of each claim: the pooled model."""
        systems = self.world.systems
        entries = SampleEntries.of(systems, self.sampled)
        f = {MODEL: labels[self.rows][entries.positions]}
        return learn(systems, self.world.data.features(), self.sampled, self.folds, entries, f)[MODEL]

    def reduced(self, model: Predicted) -> Reduced:
        """Reduce the systems to what their estimates need."""
        systems = [
            (one.rows, {WEIGHTING: one.weights[WEIGHTING]}, one.confidence) for one in self.world.systems
        ]
        models = {MODEL: model}
        found = reduce_systems(systems, len(systems), self.pi, self.sampled, self.folds, models=models)
        return found[WEIGHTING]

    def judged(self, crowd: Crowd, *, bent: bool) -> _Judged:
        """Have three workers judge each question, the third only where the first two differ."""
        world, asked = self.world, self.questions
        rng = np.random.default_rng([self.seed, *crowd.name.encode(), bent])
        questions = len(asked.question_keys)
        errors = crowd.errors(WORKERS)
        workers = np.argsort(rng.random((questions, WORKERS)), axis=1)[:, :VOTES]
        hard = rng.random(questions) < crowd.hard
        chance = errors[workers] + crowd.more * hard[:, None]
        if bent:
            teams = np.zeros(questions, dtype=np.int64)
            np.maximum.at(teams, asked.question, asked.teams)
            factor = np.array(BENT)[np.minimum(teams, len(BENT)) - 1]
            chance = np.minimum(chance * factor[:, None], MOST_ERROR)
        errs = rng.random(chance.shape) < chance
        wrong = errs.sum(axis=1) * 2 > VOTES
        labels = np.where(wrong[asked.question], 1.0 - world.correct, world.correct)
        return _Judged(labels, workers, errs)

    def audit(self, judged: _Judged, model: Predicted, share: float) -> Audit:
        """Audit a share of the sample's questions."""
        questions, rows = self.questions, self.rows
        question = questions.question[rows]
        f = judged.labels[rows]
        votes = judged.asked.sum(axis=1)[question]
        doubt = doubts(f, votes, judged.split[question].astype(np.int64), model.of_pool[rows])
        asked, place = np.unique(question, return_inverse=True)
        of_question = np.zeros(asked.size)
        np.maximum.at(of_question, place, doubt)
        rho = audit_probabilities(of_question, share)
        audited = drawn(self.secret, [questions.question_keys[number] for number in asked], rho)[place]
        answers = np.where(audited, self.world.correct[rows], np.nan)
        labels = AuditedLabels(np.arange(rows.size), f, answers, doubt)
        return Audit(self.pi[rows], place, rho[place], audited, {PAIR: labels})

    def scores(self, labels: FloatArray, model: Predicted, audit: Audit | None) -> dict[str, list[Interval]]:
        """Score every system, and every pair, from labels of the sample, corrected if there is an audit."""
        reduced, f = self.reduced(model), labels[self.rows]
        precisions = difference_precisions(reduced, f[reduced.positions], model=MODEL)
        owns = np.split(reduced.positions, reduced.indptr[1:-1])
        shares: list[ShareOfPool | None] = []
        for own in owns:
            mine = np.zeros(f.size)
            mine[own] = f[own]
            shares.append(share_of_pool(reduced.pi, f, mine))
        pools = [reduced.pool(number) for number in range(reduced.systems)]
        if audit is not None:
            entries = JudgedEntries(reduced.indptr, reduced.positions, (PAIR,), reduced.positions[None, :])
            right = corrected(audit, entries, {WEIGHTING: reduced.p}, {WEIGHTING: precisions}, shares)
            precisions, pools, shares = right.precisions[WEIGHTING], right.pools, right.shares
        recalls = [self._recalls(number, share) for number, share in enumerate(shares)]
        own_intervals = [_known(interval(one)) for one in precisions]
        found = {"precision": own_intervals}
        for source in RECALLS:
            found[f"recall from {source}"] = [_known(interval(one[source])) for one in recalls]
            found[f"f1 from {source}"] = [
                _known(f1_interval(precision, recall[source], pool=pool))
                for precision, recall, pool in zip(precisions, recalls, pools, strict=True)
            ]
        return found | {
            "difference of precisions": [
                difference_interval(
                    precision_difference(precisions[i], pools[i], precisions[j], pools[j]),
                    own_intervals[i],
                    own_intervals[j],
                )
                for i, j in itertools.combinations(range(len(precisions)), 2)
            ],
        }

    def adjusted(self, judged: _Judged, model: Predicted) -> list[Interval]:
        """Score every system's precision from labels corrected by a model of the votes."""
        question = self.questions.question[self.rows]
        reduced = self.reduced(model)
        asked = judged.asked[question]
        votes = judged.errs[question] ^ (self.world.correct[self.rows] == 1)[:, None]
        fit = dawid_skene(np.nonzero(asked)[0], judged.workers[question][asked], votes[asked])
        posterior, nobody = fit.posteriors[:, 1], np.full(question.size, -1)
        calibration = calibrate(posterior, nobody)
        if calibration is None:
            raise AssertionError("votes of these crowds always tell something")
        labels = calibration.correct(posterior, nobody)[reduced.positions]
        return [_known(interval(one)) for one in noise_adjusted_precisions(reduced, labels)]

    def _recalls(self, number: int, share: ShareOfPool | None) -> dict[str, RecallEstimate | None]:
        data, inside = self.world.data, self.inside
        sample = SimpleRandom(len(data.documents))
        mine = np.zeros(self.pi.size, dtype=bool)
        mine[data.members[number]] = True
        correct = data.matching.correct
        true = data.by_document(np.ones(data.true_document.size, bool), data.true_document)[inside]
        found = data.by_document(data.matching.found_by(mine), data.true_document)[inside]
        of_pool = data.by_document(correct, data.claim_document)[inside]
        own = data.by_document(mine & correct, data.claim_document)[inside]
        from_documents = document_recall(true, found, sample)
        from_labels = labelled_recall(share, true, of_pool, own, found, sample)
        from_both = both(from_documents, from_labels, self.alphas[number])
        return dict(zip(RECALLS, (from_documents, from_labels, from_both), strict=True))


def _ends(found: Iterable[Interval]) -> list[tuple[float, float, float]]:
    return [(one.estimate, one.low, one.high) for one in found]


def _known(found: Interval | None) -> Interval:
    if found is None:
        raise AssertionError("a score of these worlds is always estimable")
    return found


def _numbers(found: Found) -> dict[str, Any]:
    numbers: dict[str, Any] = {measure: {} for measure in MEASURES}
    for way, measure in found.held:
        numbers[measure][way] = {
            "coverage": found.held[way, measure].coverage,
            "worst system": float(found.by_system(measure, way).min()),
            "width": found.width(measure, way),
            "worst bias": float(np.abs(found.bias(measure, way)).max()),
        }
    return numbers | {"wrong labels": float(found.wrong.mean()), "errors found": float(found.errors.mean())}


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    marks = dict(zip(WAYS, ("coordinated", "simple", "joint"), strict=True))

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 0.3 * len(numbers) + 1)
        axes = figure.subplots()
        place = np.arange(len(numbers))[::-1]
        axes.axvline(0.95, color=figures.COLOURS["grey"], linewidth=0.8)
        for way, mark in marks.items():
            coverage = [one["precision"][way]["coverage"] for one in numbers.values()]
            axes.plot(coverage, place, label=way, **figures.MARKS[mark])
        axes.set_yticks(place, list(numbers))
        axes.set_xlabel("share of 95% intervals of precision that hold the truth")
        axes.legend(loc="lower left")

    return draw
