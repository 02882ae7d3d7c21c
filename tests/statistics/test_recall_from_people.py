"""Recall from documents that simulated people annotate, with mistakes: do the intervals hold their aim?

They aim at the recall that the same people would find had they annotated every document. How far that is from
the recall against gold is another matter, annotation noise, and is printed beside.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from annotations import pairs
from annotations.aggregation import tokens
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.texts import jsonlines
from annotations.texts.passages import Passage
from annotations.texts.records import AnnotationRecord, read_annotation
from annotations.texts.segmentation import segment
from crowd.interfaces.entities import simulated as simulated_documents
from crowd.interfaces.relation import simulated as simulated_relations
from evaluation.kbp.matching import ClaimColumns, TrueRelation, match
from evaluation.kbp.words import Words
from kbpo_estimators.document_samples import SimpleRandom, draw_documents
from kbpo_estimators.intervals import interval
from kbpo_estimators.recall import document_recall
from kbpo_formats.spans import Span
from tests import knowledgenet
from tests.ontologies import TAC

pytestmark = [pytest.mark.slow, knowledgenet.needs_knowledgenet]

SEEDS = range(20)
SAMPLED = 100  # documents
PEOPLE = 3
MISSED = 0.1  # of mentions; of the others 5% are cut or extended, and 5% have another type
WRONG = 0.1  # of the answers about relations


@dataclass(frozen=True)
class Text:
    """A document, with what experts find in it."""

    asked: EntitiesQuestion
    sentences: list[list[Span]]
    gold: AnnotationRecord


@cache
def texts() -> list[Text]:
    folder = knowledgenet.FOLDER
    gold = {
        record.doc_id: record
        for record in (
            read_annotation(value, where="", ontology=TAC)
            for _, value in jsonlines.read(folder / "gold.jsonl.gz")
        )
    }
    corpus = {value["doc_id"]: value["text"] for _, value in jsonlines.read(folder / "corpus.jsonl.gz")}
    found = []
    doc_ids = knowledgenet.pool().documents
    for doc_id, sentences in zip(doc_ids, segment([corpus[one] for one in doc_ids]), strict=True):
        words = [
            [Span(*both) for both in zip(one.token_starts, one.token_ends, strict=True)] for one in sentences
        ]
        found.append(Text(EntitiesQuestion(Passage(corpus[doc_id], words), TAC), words, gold[doc_id]))
    return found


TYPES = [one.name for one in TAC.mention_types]


def annotate(text: Text, rng: Random) -> list[TrueRelation]:
    """Have people mark a document's mentions, then say how the mentions of each sentence are related."""
    assert text.asked.passage is not None
    marked = [
        text.asked.mentions(
            simulated_documents.answer(
                text.asked,
                simulated_documents.with_errors(text.gold.mentions, text.asked.passage, TYPES, MISSED, rng),
            )
        )
        for _ in range(PEOPLE)
    ]
    mentions = tokens.settle(text.asked.passage.tokens, marked).records
    return [
        relation
        for pair in pairs.pairs(mentions, text.sentences, TAC)
        for relation in judge(text.gold, pair, rng)
    ]


def judge(gold: AnnotationRecord, pair: tuple[Mention, Mention], rng: Random) -> list[TrueRelation]:
    """Have people answer a question about a pair; return what most of them say."""
    question = RelationQuestion.about(*pair, TAC)
    right = question.answer(simulated_relations.true_offers(question, gold))
    votes: dict[Any, int] = defaultdict(int)
    for _ in range(PEOPLE):
        is_wrong = rng.random() < WRONG
        for offer in question.ticked(
            simulated_relations.wrong_answer(question, right, rng) if is_wrong else right
        ):
            votes[offer] += 1
    spans = [mention.span for mention in question.mentions]
    return [
        TrueRelation(gold.doc_id, offer.predicate, spans[offer.subject], spans[1 - offer.subject])
        for offer, number in votes.items()
        if 2 * number > PEOPLE
    ]


@dataclass(frozen=True)
class Outcome:
    """Of each seed and system: recall against what people find in all documents, and estimated from some."""

    true: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    data = knowledgenet.pool()
    place = {doc_id: number for number, doc_id in enumerate(data.documents)}
    claims = sorted({claim for system in data.systems for claim in system.claims})
    row = {claim: number for number, claim in enumerate(claims)}
    of_system = np.zeros((len(data.systems), len(claims)), dtype=bool)
    for number, system in enumerate(data.systems):
        of_system[number, [row[claim] for claim in system.claims]] = True
    runs = []
    for seed in SEEDS:
        rng = Random(seed)
        relations = [relation for text in texts() for relation in annotate(text, rng)]
        at = np.array([place[relation.doc_id] for relation in relations])
        matched = match(ClaimColumns.of(claims), relations, Words.of(data.texts), TAC)
        drawn = [place[doc_id] for doc_id in draw_documents(data.documents, SAMPLED, seed)]
        total = np.bincount(at, minlength=len(place))
        for mine in of_system:
            found = np.bincount(at[matched.found_by(mine)], minlength=len(place))
            end = interval(document_recall(total[drawn], found[drawn], SimpleRandom(len(place))))
            assert end is not None
            runs.append((found.sum() / total.sum(), end.estimate, end.low, end.high))
    columns = np.moveaxis(np.array(runs).reshape(len(SEEDS), len(data.systems), 4), 2, 0)
    result = Outcome(*columns)
    gold = np.array([data.recall(number) for number in range(len(data.systems))])
    error = result.estimate - result.true
    print(
        f"\n{SAMPLED} of {len(place)} documents, {PEOPLE} people, {len(SEEDS)} seeds: "
        f"95% intervals hold what the people find in all documents {holds(result):.3f}, "
        f"mean error {error.mean():+.4f}, median half-width {np.median(result.high - result.low) / 2:.4f}; "
        f"that lies {(result.true - gold).mean():+.4f} from the recall against gold "
        f"(by system {', '.join(f'{one:+.3f}' for one in (result.true - gold).mean(axis=0))})"
    )
    return result


def holds(outcome: Outcome) -> float:
    return float(np.mean((outcome.low <= outcome.true) & (outcome.true <= outcome.high)))


def test_intervals_hold_what_the_same_people_find_in_all_documents(outcome: Outcome) -> None:
    assert holds(outcome) >= 0.9


def test_the_estimates_are_right_on_average(outcome: Outcome) -> None:
    by_seed = (outcome.estimate - outcome.true).mean(axis=1)
    assert abs(by_seed.mean()) <= 3 * by_seed.std(ddof=1) / np.sqrt(by_seed.size)
