"""Three people who make mistakes find together what no single one of them finds."""

from random import Random
from statistics import mean

from annotations.aggregation import tokens
from annotations.kinds.entities import EntitiesQuestion
from annotations.texts import jsonlines
from annotations.texts.passages import Passage
from annotations.texts.records import read_annotation
from annotations.texts.segmentation import segment
from crowd.interfaces.entities import simulated as simulated_documents
from kbpo_formats.spans import Span
from tests.knowledgenet import FOLDER, needs_knowledgenet
from tests.ontologies import TAC

SEEDS = range(20)
DOCUMENTS = 200
ERROR = 0.1  # of mentions are missed; of the others 5% are cut or extended, and 5% have another type


@needs_knowledgenet
def test_token_majority_recovers_at_least_as_many_spans_as_the_best_of_three() -> None:
    gold = [
        read_annotation(value, where="", ontology=TAC)
        for _, value in jsonlines.read(FOLDER / "gold.jsonl.gz")
    ]
    gold = [record for record in gold if record.mentions][:DOCUMENTS]
    texts = {value["doc_id"]: value["text"] for _, value in jsonlines.read(FOLDER / "corpus.jsonl.gz")}
    segmented = segment([texts[record.doc_id] for record in gold])
    documents = []
    for record, sentences in zip(gold, segmented, strict=True):
        words = [
            [Span(*both) for both in zip(one.token_starts, one.token_ends, strict=True)] for one in sentences
        ]
        asked = EntitiesQuestion(Passage(texts[record.doc_id], words), TAC)
        expert = asked.mentions(simulated_documents.answer(asked, record.mentions))
        documents.append((asked, expert))
    types = [one.name for one in TAC.mention_types]
    majority, best, single = [], [], []
    for seed in SEEDS:
        rng = Random(seed)
        found = [0, 0, 0, 0]
        total = 0
        for asked, expert in documents:
            assert asked.passage is not None
            true = {(one.span, one.type) for one in expert}
            total += len(true)
            votes = []
            for person in range(3):
                made = simulated_documents.with_errors(expert, asked.passage, types, ERROR, rng)
                votes.append(asked.mentions(simulated_documents.answer(asked, made)))
                found[person] += len(true & {(one.span, one.type) for one in votes[-1]})
            settled = tokens.settle(asked.passage.tokens, votes).records
            found[3] += len(true & {(one.span, one.type) for one in settled})
        *people, together = (number / total for number in found)
        majority.append(together)
        best.append(max(people))
        single.append(mean(people))
    print(
        f"\n{DOCUMENTS} documents, {len(SEEDS)} seeds: spans recovered by the majority {mean(majority):.3f}, "
        f"by the best of three {mean(best):.3f}, by one {mean(single):.3f}"
    )
    assert mean(majority) >= mean(best)
