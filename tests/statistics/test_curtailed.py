"""Two votes and a third where they differ, beside three votes: the same labels, the same measures of people.

Seeds and sizes were fixed before anything was looked at, and every world is shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from django.utils import timezone

from annotations import agreements
from annotations.aggregation.agreement import Kappa, fleiss_kappa
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Question, Response
from annotations.policies.policy import Ask, Expert, Limits, Settle, Votes
from annotations.policies.registry import POLICIES
from crowd.models import WorkerMeasure
from crowd.quality import measures
from kbpo.core.database.analysing import analyse
from kbpo_formats.spans import Span
from tests.factories import CorpusFactory, DocumentFactory, UserFactory
from tests.ontologies import TAC

QUESTIONS = 10_000
ERROR = 0.1
LIMITS = Limits(most_votes=5, least_posterior=0.5)
RELATION = RelationQuestion.about(Mention(Span(0, 3), "PER"), Mention(Span(4, 9), "ORG"), TAC)
CANONICAL = CanonicalQuestion(Span(0, 3), Span(4, 9))
Content = RelationQuestion | CanonicalQuestion
Labels = Mapping[str, float] | None


def judge(policy: str, asked: Content, answers: list[dict]) -> tuple[Labels, int]:
    """Return what answers, in the order in which they come, are settled to, and how many were asked for."""
    found = POLICIES[policy]
    number = found.first_votes
    while True:
        given = answers[:number]
        verdicts = asked.settle(given)
        votes = Votes(
            number=number,
            asked=number,
            agree=asked.agree(given),
            verdicts=None if verdicts is None else verdicts.values(),
        )
        match found.decide(votes, LIMITS):
            case Settle():
                return {claim: verdict.value for claim, verdict in verdicts.items()}, number
            case Ask(more):
                number += more
            case Expert():
                return None, number


# How people err


def whole(rng: np.random.Generator, truth: frozenset) -> frozenset:
    """One answer in ten is another: a single relation, or none."""
    if rng.random() >= ERROR:
        return truth
    others = [frozenset(), *(frozenset([offer]) for offer in RELATION.offered)]
    others = [one for one in others if one != truth]
    return others[rng.integers(len(others))]


def each(rng: np.random.Generator, truth: frozenset) -> frozenset:
    """Each relation is ticked or left by mistake one time in ten."""
    wrong = frozenset(offer for offer in RELATION.offered if rng.random() < ERROR)
    return truth ^ wrong


def worlds(err: Callable, seed: int) -> list[list[dict]]:
    """Questions of several relations, of which none, one or two hold, with five answers each."""
    rng = np.random.default_rng(seed)
    asked = []
    for _ in range(QUESTIONS):
        order = rng.permutation(len(RELATION.offered))
        truth = frozenset(RELATION.offered[place] for place in order[: rng.integers(3)])
        asked.append([RELATION.answer([*err(rng, truth)]) for _ in range(5)])
    return asked


@pytest.mark.parametrize("err", [whole, each])
def test_labels_are_those_of_three_votes_on_every_claim_of_every_question(err):
    assert len(RELATION.offered) >= 3
    numbers = dict.fromkeys(POLICIES, 0)
    for answers in worlds(err, seed=1):
        found = {name: judge(name, RELATION, answers) for name in POLICIES}
        assert found["curtailed"][0] == found["fixed"][0]
        if found["fixed"][1] == 3:
            ticked = [RELATION.values(answer) for answer in answers[:3]]
            of_three = {claim: float(sum(one[claim] for one in ticked) >= 2) for claim in RELATION.claims}
            assert found["curtailed"][0] == of_three
        for name, (_, number) in found.items():
            numbers[name] += number
    shown = ", ".join(f"{name} {number / QUESTIONS:.3f}" for name, number in numbers.items())
    print(f"\n{len(RELATION.offered)} relations a question, errors of {err.__name__}: votes {shown}")
    assert numbers["curtailed"] < numbers["fixed"]


def test_a_question_with_one_claim_takes_some_two_votes_and_a_fifth():
    rng = np.random.default_rng(2)
    number = 0
    for _ in range(QUESTIONS):
        truth = rng.random() < 0.5
        answers = [CANONICAL.answer(bool(truth ^ (rng.random() < ERROR))) for _ in range(5)]
        number += judge("curtailed", CANONICAL, answers)[1]
    print(f"\none claim a question: {number / QUESTIONS:.3f} votes")
    assert 2.15 <= number / QUESTIONS <= 2.22


def test_with_several_claims_what_three_leave_open_comes_on_top_as_under_fixed():
    """Some .04 votes, for three different answers: the policy expects as many votes as two answers differ."""
    numbers = dict.fromkeys(POLICIES, 0)
    for answers in worlds(whole, seed=3):
        for name in POLICIES:
            numbers[name] += judge(name, RELATION, answers)[1]
    votes = {name: number / QUESTIONS for name, number in numbers.items()}
    expected = {name: policy.expected_votes(ERROR) for name, policy in POLICIES.items()}
    print(f"\n{len(RELATION.offered)} relations a question: votes {votes}, expected {expected}")
    on_top = votes["fixed"] - expected["fixed"]
    assert votes["curtailed"] == pytest.approx(expected["curtailed"] + on_top, abs=0.015)


# What is measured of people

WORKERS, ASKED, SEEDS = 30, 1_500, range(2)
CROWDS = {
    "all 10%": lambda rng: np.full(WORKERS, 0.10),
    "2 to 20%": lambda rng: rng.uniform(0.02, 0.20, WORKERS),
    "a fifth guess": lambda rng: np.where(np.arange(WORKERS) < WORKERS // 5, 0.5, 0.06),
}
SAID = [RELATION.answer([offer]) for offer in RELATION.offered[:3]] + [RELATION.answer([])]


@dataclass(frozen=True)
class World:
    """What the same people, saying the same, are measured to be under each policy."""

    kappas: dict[str, Kappa]
    naive: Kappa
    rates: dict[str, np.ndarray]
    numbers: dict[str, np.ndarray]


@pytest.fixture
def found(db) -> dict[str, World]:
    return {f"{name}, {seed}": measure(name, seed) for name in CROWDS for seed in SEEDS}


def measure(crowd: str, seed: int) -> World:
    """Judge the same questions under both policies, by people of whom each pair has the same errors."""
    rng = np.random.default_rng([seed, list(CROWDS).index(crowd)])
    errors = CROWDS[crowd](rng)
    truth = np.where(rng.random(ASKED) < 0.5, len(SAID) - 1, rng.integers(len(SAID), size=ASKED))
    workers = np.argsort(rng.random((ASKED, WORKERS)), axis=1)[:, :3]
    wrong = (truth[:, None] + rng.integers(1, len(SAID), size=workers.shape)) % len(SAID)
    said = np.where(rng.random(workers.shape) < errors[workers], wrong, truth[:, None])
    differ = said[:, 0] != said[:, 1]
    kappas, people = {}, {}
    for policy in ("fixed", "curtailed"):
        corpus = CorpusFactory.create(policy=policy)
        people[policy] = UserFactory.create_batch(WORKERS)
        document = DocumentFactory.create(corpus=corpus)
        questions = Question.objects.bulk_create(
            Question(
                document=document,
                kind=RELATION.kind,
                key=f"{number}",
                payload=RELATION.payload(),
                votes_needed=3,
                state="settled",
                settled_at=timezone.now(),
            )
            for number in range(ASKED)
        )
        Response.objects.bulk_create(
            Response(
                question=questions[number],
                worker=people[policy][workers[number, turn]],
                answer=SAID[said[number, turn]],
            )
            for turn in range(3)
            for number in range(ASKED)
            if policy == "fixed" or turn < 2 or differ[number]
        )
        analyse({Question: ASKED, Response: 3 * ASKED})
        kappa = agreements.measure(corpus)[0].kappa
        assert kappa is not None
        kappas[policy] = kappa
    WorkerMeasure.objects.all().delete()
    measures.measure_work(now=timezone.now())
    rows = {
        row.worker_id: (row.agreed, row.compared) for row in WorkerMeasure.objects.filter(kind=RELATION.kind)
    }
    counts = {
        policy: np.array([rows[one.pk] for one in some], dtype=float) for policy, some in people.items()
    }
    every = np.ones(said.shape, dtype=bool)
    every[:, 2] = differ
    table = np.array([((said == one) & every).sum(axis=1) for one in range(len(SAID))]).T
    naive = fleiss_kappa(table)
    assert naive is not None
    return World(
        kappas,
        naive,
        {policy: both[:, 0] / both[:, 1] for policy, both in counts.items()},
        {policy: both[:, 1] for policy, both in counts.items()},
    )


@pytest.mark.slow
def test_agreement_is_that_of_three_votes(found):
    off = []
    for name, world in found.items():
        fixed, curtailed = world.kappas["fixed"].estimate, world.kappas["curtailed"].estimate
        error = world.kappas["curtailed"].variance ** 0.5
        off.append((curtailed - fixed) / error)
        print(
            f"\n{name}: κ {fixed:.4f} of three votes, {curtailed:.4f} of the first two, off by {off[-1]:+.2f}"
            f" standard errors; of all votes that there are {world.naive.estimate:.4f}"
        )
        assert (world.naive.estimate - fixed) / error > 3  # where two agree, nobody is left to differ
    assert abs(np.mean(off)) < 0.75
    assert np.abs(off).max() < 3
    assert np.mean(np.abs(off) < 1) > 0.5


@pytest.mark.slow
def test_workers_agreement_with_the_others_is_that_of_three_votes(found):
    every = []
    for name, world in found.items():
        rates, numbers = world.rates, world.numbers["curtailed"]
        pooled = np.clip(rates["fixed"], 0.02, 0.98)
        off = (rates["curtailed"] - rates["fixed"]) / np.sqrt(pooled * (1 - pooled) / numbers)
        every.append(off)
        print(
            f"\n{name}: workers agree in {rates['fixed'].mean():.4f} under three votes, in"
            f" {rates['curtailed'].mean():.4f} curtailed; off by {off.mean():+.2f} standard errors on"
            f" average, {np.mean(np.abs(off) < 1):.0%} by less than one"
        )
    assert abs(np.mean(every)) < 0.25
    assert np.mean(np.abs(every) < 1) > 0.6
