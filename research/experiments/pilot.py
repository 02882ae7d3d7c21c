"""The paper's pilot: three systems of one team on 15,000 documents, and how sure such a pilot is.

Its scores are taken for the truth of a made-up corpus: patterns (P), with a supervised extractor (P+L), and
with a neural one (P+L+N), each of which claims what the one before does and more. 500 claims of each are
judged, and 100 documents annotated in full; the coordinated design has as many distinct labels as those draws
come to. The three are one team's and give no confidences, so the pooled model has nothing to learn from.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse

from kbpo_estimators import coordinated, iid
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import harmonic
from kbpo_estimators.labelled import PLANNED_DENSITY, both, share_of_pool
from kbpo_estimators.recall import document_recall
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from tests.oracles.labelled import labelled_recall, planned_alpha
from tests.oracles.precision import difference_precision

SYSTEMS = ("P", "P+L", "P+L+N")
MEASURES = ("precision", "recall", "F1")
PAPER = np.array([[0.747, 0.058, 0.108], [0.547, 0.076, 0.133], [0.340, 0.098, 0.152]])
"""By on-demand evaluation."""
PAPER_TAC = np.array([[0.476, 0.110, 0.179], [0.355, 0.184, 0.242], [0.263, 0.270, 0.266]])
"""The same systems in the official evaluation of 2016."""
DOCUMENTS, EXHAUSTIVE, LABELS = 15_000, 100, 500
METHODS = ("simple", "joint", "coordinated")
SHAPE = 1.5
"""Of the gamma distribution of how many relations a document has: a few have very many."""
TOGETHER = 0.2
"""Relations of a document are found or missed together: what makes one easy is to this share common to all.
Variances of recall are then about twice those of independent relations, which α is planned for too."""
LABEL_PRICE, DOCUMENT_PRICE = 0.15, 15.0
"""Dollars, as the paper paid: three votes on a claim, three people on a document."""
TIGHTER = 1.385
"""How many labels the target of one system is worth, as a share of 500: then as many are asked for."""
Z95 = 1.96


@dataclass(frozen=True, eq=False)
class Corpus:
    """What is true, and what the systems say.

    Attributes
    ----------
    true : int[documents]
        Relations.
    document : int[N]
        Of each claim.
    correct : bool[N]
    members : list of int[n_i]
        The claims of each system; those of one are among those of the next.
    """

    true: IntArray
    document: IntArray
    correct: BoolArray
    members: list[IntArray]

    @property
    def truth(self) -> FloatArray:
        """Return precision, recall and F1 of each system, float[3, 3]."""
        right = np.array([self.correct[own].sum() for own in self.members])
        precision = right / np.array([own.size for own in self.members])
        recall = right / self.true.sum()
        return np.column_stack([precision, recall, 2 * precision * recall / (precision + recall)])


def make(rng: np.random.Generator, documents: int = DOCUMENTS) -> Corpus:
    """Make a corpus in which the systems' precision and recall are those of the paper."""
    size = rng.gamma(SHAPE, PLANNED_DENSITY / SHAPE, documents)
    true = rng.poisson(size)
    relations = np.repeat(np.arange(documents), true)
    ease = np.sqrt(TOGETHER) * rng.standard_normal(documents)[relations]
    ease += np.sqrt(1 - TOGETHER) * rng.standard_normal(relations.size)
    right = np.rint(PAPER[:, 1] * relations.size).astype(np.int64)
    wrong = np.rint(right * (1 / PAPER[:, 0] - 1)).astype(np.int64)
    found = np.argsort(-ease, kind="stable")[: right[-1]]
    found = rng.permutation(found)
    claimed = rng.choice(documents, wrong[-1], p=size / size.sum())
    document = np.concatenate([relations[found], claimed])
    correct = np.arange(document.size) < right[-1]
    members = [
        np.concatenate([np.arange(first), right[-1] + np.arange(second)])
        for first, second in zip(right, wrong, strict=True)
    ]
    return Corpus(true, document, correct, members)


def evaluate(corpus: Corpus, rng: np.random.Generator) -> tuple[dict[str, FloatArray], int]:
    """Evaluate the three systems once.

    Returns
    -------
    estimates : dict of method to float[systems, measures]
    labels : int
        Distinct claims judged by the coordinated design.
    """
    drawn = rng.choice(corpus.true.size, EXHAUSTIVE, replace=False)
    sample = SimpleRandom(corpus.true.size)
    true = corpus.true[drawn]

    def inside(rows: IntArray) -> IntArray:
        right = rows[corpus.correct[rows]]
        return np.bincount(corpus.document[right], minlength=corpus.true.size)[drawn]

    found = [inside(own) for own in corpus.members]
    pool = found[-1]
    alone = [document_recall(true, one, sample) for one in found]
    simple, joint = _from_draws(corpus, rng)
    shares, theta = joint[1], pool.sum() / true.sum()
    recalls = np.array([0.0 if one is None else one.estimate for one in alone])
    estimates = {
        "simple": _with_f1(simple, recalls),
        "joint": _with_f1(joint[0], theta * shares),
    }
    precision, recall, labels = _coordinated(corpus, rng, true, found, alone, sample)
    estimates["coordinated"] = _with_f1(precision, recall)
    return estimates, labels


def _from_draws(corpus: Corpus, rng: np.random.Generator) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    sizes = np.array([own.size for own in corpus.members])
    rows = np.repeat(np.arange(sizes.size), sizes)
    P = sparse.csr_array((1 / sizes[rows], (rows, np.concatenate(corpus.members))))
    drawn = [own[rng.integers(0, own.size, LABELS)] for own in corpus.members]
    samples = [(one, corpus.correct[one].astype(float)) for one in drawn]
    shares = iid.shares_of_pool(P, samples)
    if shares is None:
        raise AssertionError("a third and more of what is drawn is correct")
    return np.array([one.estimate for one in iid.simple_estimates(samples)]), (
        np.array([one.estimate for one in iid.joint_estimates(P, samples)]),
        np.array([share.estimate for share in shares]),
    )


def _coordinated(
    corpus: Corpus,
    rng: np.random.Generator,
    true: IntArray,
    found: list[IntArray],
    alone: list[Any],
    sample: SimpleRandom,
) -> tuple[FloatArray, FloatArray, int]:
    pi, squares = np.zeros(corpus.correct.size), np.zeros(corpus.correct.size)
    target = coordinated.LABEL_VARIANCE / (LABELS * TIGHTER)
    for own in corpus.members:
        p = np.full(own.size, 1 / own.size)
        floor = coordinated.floor_labels(target, coordinated.QUADRATIC_FLOOR) / own.size
        grown = coordinated.quadratic_sum(pi[own], squares[own], p, target, floor=floor)
        pi[own], squares[own] = grown.pi, grown.squares
    sampled = rng.random(pi.size) < pi
    folds = rng.integers(0, coordinated.FOLDS, pi.size)
    f, teams = corpus.correct.astype(float), np.ones(pi.size, dtype=np.int64)
    precision, recall = [], []
    for own, one, by_documents in zip(corpus.members, found, alone, strict=True):
        p = np.full(own.size, 1 / own.size)
        precision.append(difference_precision(p, pi[own], sampled[own], f[own], folds[own]).estimate)
        mine = np.zeros(pi.size, dtype=bool)
        mine[own] = True
        share = share_of_pool(pi[sampled], f[sampled], (f * mine)[sampled])
        product = labelled_recall(share, true, found[-1], one, one, sample)
        alpha = planned_alpha(teams, mine, pi, EXHAUSTIVE, corpus.true.size)
        mixed = both(by_documents, product, alpha)
        recall.append(0.0 if mixed is None else mixed.estimate)
    return np.array(precision), np.array(recall), int(sampled.sum())


def _with_f1(precision: FloatArray, recall: FloatArray) -> FloatArray:
    f1 = [harmonic(float(p), float(r)) for p, r in zip(precision, recall, strict=True)]
    return np.column_stack([precision, recall, f1])


def run(options: Options) -> Outcome:
    """Hold the pilot again and again."""
    trials = options.count(1_000, 20)
    corpus = make(options.rng(31), 3_000 if options.quick else DOCUMENTS)
    found = [
        evaluate(corpus, options.rng(32, trial)) for trial in options.track("trial", range(trials), trials)
    ]
    estimates = {method: np.array([one[method] for one, _ in found]) for method in METHODS}
    labels = float(np.mean([count for _, count in found]))
    truth = corpus.truth
    numbers: dict[str, Any] = {
        "trials": trials,
        "labels": {"simple": LABELS * len(SYSTEMS), "joint": LABELS * len(SYSTEMS), "coordinated": labels},
        "official evaluation": PAPER_TAC.tolist(),
        "truth": truth.tolist(),
        **{
            method: {
                "mean": one.mean(axis=0).tolist(),
                "half_width": (Z95 * one.std(axis=0, ddof=1)).tolist(),
                "in the right order": _ordered(one),
            }
            for method, one in estimates.items()
        },
    }
    return Outcome(
        title="The pilot of three systems",
        says=f"A corpus in which the paper's scores of its three systems are the truth, evaluated {trials}"
        " times as it was: the mean estimate, and how far 95% of the estimates lie around it.",
        compared=list(_compared(numbers)),
        numbers=numbers,
        draw=_draw_figure(truth, estimates),
    )


def _ordered(estimates: FloatArray) -> dict[str, float]:
    """Return how often the systems come out in their true order, by measure: precision falls, others rise."""
    steps = np.diff(estimates, axis=1) * np.array([-1, 1, 1])
    return dict(zip(MEASURES, (steps > 0).all(axis=1).mean(axis=0).tolist(), strict=True))


def _compared(numbers: dict[str, Any]) -> Iterator[Compared]:
    for row, system in enumerate(SYSTEMS):
        for column, measure in enumerate(MEASURES):
            reported = f"{PAPER[row, column]:.3f}"
            yield Compared(
                f"{system}, {measure}, joint: mean", reported, numbers["joint"]["mean"][row][column]
            )
    for method in METHODS:
        for row, system in enumerate(SYSTEMS):
            for column, measure in enumerate(MEASURES):
                what = f"{system}, {measure}, {method}: 95% of estimates within ±"
                yield Compared(what, "", numbers[method]["half_width"][row][column])
    for method in METHODS:
        for measure in MEASURES:
            what = f"{method}: share of pilots with the three in their order by {measure}"
            yield Compared(what, "", numbers[method]["in the right order"][measure])
    yield Compared(
        "claims judged, coordinated (the paper drew 500 from each)", "1500", numbers["labels"]["coordinated"]
    )
    price = LABEL_PRICE * numbers["labels"]["coordinated"] + DOCUMENT_PRICE * EXHAUSTIVE
    yield Compared("dollars at the paper's prices, coordinated, with the documents", "", price)


def _draw_figure(truth: FloatArray, estimates: dict[str, FloatArray]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.0)
        for column, axes in enumerate(figure.subplots(1, len(MEASURES))):
            for place, (method, one) in enumerate(estimates.items()):
                at = np.arange(len(SYSTEMS)) + 0.2 * (place - 1)
                mean, reach = one[:, :, column].mean(axis=0), Z95 * one[:, :, column].std(axis=0, ddof=1)
                axes.plot(at, mean, **figures.MARKS[method], label=method)
                axes.vlines(at, mean - reach, mean + reach, color=figures.MARKS[method]["color"], linewidth=1)
            axes.plot(np.arange(len(SYSTEMS)), truth[:, column], "k_", markersize=16, label="as reported")
            axes.set_xticks(np.arange(len(SYSTEMS)), SYSTEMS)
            axes.set_ylabel(MEASURES[column])
            axes.set_ylim(bottom=0)
        axes.legend(loc="lower right")

    return draw
