"""An epoch of many systems in a database: made up, of the shape of a real one, and sampled by the service.

Documents are of some 2,500 characters, in which each of seven entities is mentioned twice; names are in one,
four, twenty or a hundred documents. An instance has a popularity; a system takes those that it likes best, by
what everybody, its team and itself like. Instances are judged by three workers each who err now and then.
"""

import json
import os
import random
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from django.db import connection
from django.utils import timezone

from annotations import conflicts, questions
from annotations.models import AnnotatedMention, AnnotatedRelation, Corpus, Document, DocumentAnnotation
from evaluation.design import audits, epochs, sampling
from evaluation.kbp import claims
from evaluation.kbp.name_keys import digest
from evaluation.kbp.recall import annotated, exhaustive
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Instance, Prediction, Submission, Unit
from kbpo.accounts.models import Team, User
from kbpo.core.database.bulk import copy_rows
from kbpo_estimators import coordinated
from kbpo_estimators.weighting import subject_relation
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin

DOCUMENTS, EXHAUSTIVE = 15_000, 300
CANDIDATES = {20_000: 300_000, 100_000: 2_000_000}
"""Instances to choose from, by those that a system has."""
TEAMS_OF = 4  # systems of a team
WORKERS = 30
AUDITED = 0.1  # of the questions
MEASURED = 10  # systems, the last to come
STEP = 100  # characters from one mention to the next
TYPES = ("PER", "PER", "PER", "ORG", "ORG", "GPE", "DATE")
OCCURS = (1, 4, 20, 100, 1, 20, 1)  # documents that share an entity
SYLLABLES = ("ka", "ri", "to", "ven", "del", "mo", "sha", "lin", "ber", "ost", "an", "gu", "ha", "ey")
SLOTS = tuple(entity for entity in range(len(TYPES)) for _ in range(2))
COMBINATIONS = [
    (predicate, one, other)
    for predicate, relation in read_builtin(DEFAULT).relations_by_name.items()
    for one, first in enumerate(SLOTS)
    for other, second in enumerate(SLOTS)
    if first != second
    and relation.admits(TYPES[first], TYPES[second])
    and (one < other or not relation.is_symmetric)
]
random.Random(0).shuffle(COMBINATIONS)


def name(entity: int, document: int) -> str:
    number = document // OCCURS[entity]
    word = "".join(SYLLABLES[(number // len(SYLLABLES) ** place) % len(SYLLABLES)] for place in range(4))
    return f"{word.title()} {SYLLABLES[entity].title()}{TYPES[entity].lower()}"


def span(slot: int, document: int) -> tuple[int, int]:
    start = slot * STEP
    return start, start + len(name(SLOTS[slot], document))


def write_corpus(rng: random.Random) -> Corpus:
    """Make the corpus, its documents, and those that are annotated in full."""
    corpus = Corpus.objects.create(
        tag="benchmark", name="Benchmark", weekly_quota=32_000, policy="fixed", audit_share=AUDITED
    )
    prose = " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(20_000))

    def text(document: int) -> str:
        parts = []
        for entity in SLOTS:
            start = rng.randrange(len(prose) - STEP)
            parts.append(f"{name(entity, document)} {prose[start : start + STEP]}"[: STEP - 1] + " ")
        start = rng.randrange(len(prose) - 1_100)
        return "".join(parts) + prose[start : start + 1_100]

    Document.objects.bulk_create(
        (
            Document(corpus=corpus, doc_id=f"DOC_{number:07}", text=text(number), digest=f"{number:064x}")
            for number in range(DOCUMENTS)
        ),
        batch_size=1_000,
    )
    epochs.open_epoch(corpus=corpus, task=KBP)
    return corpus


def annotate(corpus: Corpus, rng: random.Random) -> None:
    """Annotate documents in full: some nine true relations each, and draw them as the exhaustive sample."""
    ids = list(corpus.documents.order_by("pk").values_list("pk", flat=True))
    for number in rng.sample(range(DOCUMENTS), EXHAUSTIVE):
        annotation = DocumentAnnotation.objects.create(
            document_id=ids[number], digest="0" * 64, completed_at=timezone.now()
        )
        AnnotatedMention.objects.bulk_create(
            AnnotatedMention(
                annotation=annotation,
                start=span(slot, number)[0],
                end=span(slot, number)[1],
                type=TYPES[entity],
                canonical_start=span(slot - slot % 2, number)[0],
                canonical_end=span(slot - slot % 2, number)[1],
            )
            for slot, entity in enumerate(SLOTS)
        )
        count = min(len(COMBINATIONS), max(1, round(rng.gauss(9.2, 4))))
        places = rng.sample(range(min(len(COMBINATIONS), 40)), min(count, 40))
        AnnotatedRelation.objects.bulk_create(
            AnnotatedRelation(
                annotation=annotation,
                predicate=predicate,
                subject_start=span(one, number)[0],
                subject_end=span(one, number)[1],
                object_start=span(other, number)[0],
                object_end=span(other, number)[1],
            )
            for predicate, one, other in (
                COMBINATIONS[(place + number * 37) % len(COMBINATIONS)] for place in places
            )
        )
    exhaustive.draw_documents(corpus=corpus, seed=None)


KEPT: dict[str, Any] = {}
"""What sampling finds again and again: keys of claims, random numbers, and true relations."""


@contextmanager
def quickly() -> Iterator[None]:
    """Sample as the service does, but find nothing twice and look at no reference of what is stored.

    So systems come together of which it is not measured how long that takes; the rows are the same.
    """
    if not KEPT:
        true = annotated.read_true_relations
        found: dict[tuple[int, ...], Any] = {}

        def read_once(annotation_ids: Collection[int], texts: Mapping[str, str]) -> Any:
            key = tuple(annotation_ids)
            if key not in found:
                found[key] = true(annotation_ids, texts)
            return found[key]

        words = coordinated._first_words
        by_prefix: dict[str, dict[str, int]] = {}

        def words_once(secret: bytes, keys: Sequence[str], prefix: str = "") -> Any:
            known = by_prefix.setdefault(prefix, {})
            missing = [key for key in keys if key not in known]
            known.update(zip(missing, words(secret, missing, prefix).tolist(), strict=True))
            return np.fromiter(map(known.__getitem__, keys), np.uint64, len(keys))

        KEPT.update(key=cache(claims.instance_key), words=words_once, true=read_once)
    with (
        unchecked(),
        patch.object(claims, "instance_key", KEPT["key"]),
        patch.object(coordinated, "_first_words", KEPT["words"]),
        patch.object(annotated, "read_true_relations", KEPT["true"]),
    ):
        yield


@contextmanager
def unchecked() -> Iterator[None]:
    """Load rows that are right without a look at each that they refer to; making them is not measured."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = DEFAULT")


class Universe:
    """The instances that systems choose from; each document has as many, each another combination."""

    def __init__(self, corpus: Corpus, own: int, seed: int = 0, candidates: int | None = None) -> None:
        self.corpus, self.own = corpus, own
        self.rng = np.random.default_rng(seed)
        self.per_document = (candidates or CANDIDATES[own]) // DOCUMENTS
        assert self.per_document <= len(COMBINATIONS)
        self.size = self.per_document * DOCUMENTS
        self.document = np.arange(self.size) // self.per_document
        self.combination = (np.arange(self.size) % self.per_document + self.document * 37) % len(COMBINATIONS)
        self.liked = self.rng.normal(size=self.size)
        self.of_team = np.zeros(self.size)
        self.ids = list(corpus.documents.order_by("pk").values_list("pk", flat=True))
        self.spans = [[span(slot, number) for slot in range(len(SLOTS))] for number in range(DOCUMENTS)]
        self.names = [
            [f":{name(entity, number)}" for entity in range(len(TYPES))] for number in range(DOCUMENTS)
        ]

    def write(self) -> None:
        """Store all instances, with row ids from 1."""

        def rows() -> Iterator[tuple[object, ...]]:
            for row, (document, place) in enumerate(
                zip(self.document.tolist(), self.combination.tolist(), strict=True), start=1
            ):
                predicate, one, other = COMBINATIONS[place]
                spans = self.spans[document]
                named = (digest(self.names[document][SLOTS[slot]]) for slot in (one, other))
                yield row, self.ids[document], predicate, *spans[one], *spans[other], *named

        with unchecked():
            copy_rows(Unit, ("id", "corpus_id"), ((row, self.corpus.pk) for row in range(1, self.size + 1)))
            copy_rows(
                Instance,
                (
                    *("id", "document_id", "predicate"),
                    *("subject_start", "subject_end", "object_start", "object_end"),
                    *("subject_name", "object_name"),
                ),
                rows(),
            )

    def submit_file(self, number: int, team: Team) -> Submission:
        """Store the next system, accepted and with the go-ahead."""
        if number % TEAMS_OF == 0:
            self.of_team = self.rng.normal(size=self.size)
        liking = 1.2 * self.liked + 0.8 * self.of_team + 0.6 * self.rng.normal(size=self.size)
        chosen = np.argpartition(liking, self.size - self.own)[-self.own :]
        p_correct = 1 / (1 + np.exp(-self.liked[chosen]))
        confidence = np.clip(self.rng.normal(p_correct, 0.2), 0.01, 1).round(4)
        wrong = self.rng.random((self.own, 2)) < 0.1
        conflicts.add_competitor(corpus=self.corpus, team=team)
        submission = Submission.objects.create(
            corpus=self.corpus,
            team=team,
            name=f"system {number}",
            state=Submission.State.ACCEPTED,
            go_ahead=True,
            quota_taken_at=timezone.now() - timedelta(days=1),
            digest=f"{number:064x}",
        )
        with unchecked():
            copy_rows(
                Prediction,
                (
                    *("submission_id", "instance_id", "confidence", "subject_type", "object_type"),
                    *("subject_entity", "object_entity", "subject_canonical_start", "subject_canonical_end"),
                    *("object_canonical_start", "object_canonical_end", "probability", "line"),
                ),
                self._predictions(submission, chosen, confidence, wrong),
            )
        return submission

    def _predictions(
        self, submission: Submission, chosen: np.ndarray, confidence: np.ndarray, wrong: np.ndarray
    ) -> Iterator[tuple[object, ...]]:
        rows = []
        for instance in chosen.tolist():
            document = int(self.document[instance])
            predicate, one, other = COMBINATIONS[self.combination[instance]]
            rows.append((instance, document, predicate, one, other))
        subjects = [self.names[document][SLOTS[one]] for _, document, _, one, _ in rows]
        objects = [self.names[document][SLOTS[other]] for _, document, _, _, other in rows]
        p = subject_relation(subjects, [row[2] for row in rows], objects).tolist()
        for place, (instance, document, _, one, other) in enumerate(rows):
            slots = [slot - slot % 2 for slot in (one, other)]
            named = [
                self.spans[document][(slot + 2) % 14 if is_wrong else slot]
                for slot, is_wrong in zip(slots, wrong[place].tolist(), strict=True)
            ]
            types = TYPES[SLOTS[one]], TYPES[SLOTS[other]]
            of_object = named[1] if types[1] != "DATE" else (None, None)
            yield (
                *(submission.pk, instance + 1, float(confidence[place]), *types),
                *(subjects[place], objects[place], *named[0], *of_object, p[place], place + 2),
            )


_TRUTH = """
CREATE TEMPORARY TABLE truth AS
SELECT question.id AS question_id,
    option ->> 'predicate' AS predicate, (option ->> 'subject')::int AS subject,
    abs(hashtext(question.id || '|' || (option ->> 'predicate') || (option ->> 'subject'))) % 1000
        < CASE WHEN sampled.question_id IS NULL THEN 30 ELSE 450 END AS value
FROM annotations_question AS question
CROSS JOIN jsonb_array_elements(question.payload -> 'options') AS option
LEFT JOIN (
    SELECT DISTINCT question_id, claim FROM evaluation_sampledunit
) AS sampled ON sampled.question_id = question.id
    AND sampled.claim = (option ->> 'predicate') || '|' || (option ->> 'subject')
WHERE question.kind = 'relation'
UNION ALL
SELECT question.id, '', 0, abs(hashtext(question.id || 'canonical')) % 1000 < 880
FROM annotations_question AS question WHERE question.kind = 'canonical';
CREATE TEMPORARY TABLE vote AS
SELECT truth.*, worker.id AS worker_id,
    value <> (abs(hashtext(truth.question_id || predicate || subject || 'w' || worker.id)) % 1000 < 60)
        AS held
FROM truth CROSS JOIN generate_series(0, 2) AS turn
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM accounts_user) AS worker
    ON worker.place = (truth.question_id * 7 + turn * 11) % {workers};
INSERT INTO annotations_response (question_id, worker_id, answer, is_expert, is_valid, answered_at)
SELECT question_id, worker_id, CASE WHEN min(predicate) = '' THEN
    jsonb_build_object('version', 1, 'right', bool_or(held))
ELSE jsonb_build_object('version', 1, 'none', NOT bool_or(held), 'relations', COALESCE(
    jsonb_agg(jsonb_build_object('predicate', predicate, 'subject', subject)) FILTER (WHERE held), '[]'))
END, false, true, now() FROM vote GROUP BY question_id, worker_id;
INSERT INTO annotations_label (question_id, claim, value, votes_for, votes, source)
SELECT question_id, CASE WHEN predicate = '' THEN 'right' ELSE predicate || '|' || subject END,
    (sum(held::int) >= 2)::int, sum(held::int), 3, 'majority'
FROM vote GROUP BY question_id, predicate, subject;
UPDATE annotations_question SET state = 'settled', settled_at = now();
DROP TABLE truth, vote;
"""


def judge() -> None:
    """Answer and settle every question."""
    for number in range(User.objects.count(), WORKERS):
        User.objects.create_user(f"worker{number}@example.org")
    with connection.cursor() as cursor:
        cursor.execute(_TRUTH.format(workers=WORKERS))


_AUDITS = """
INSERT INTO evaluation_audit (epoch_id, batch_id, question_id, probability, doubt, is_drawn)
SELECT sampled.epoch_id, min(sampled.batch_id), sampled.question_id, {share}, .05,
    abs(hashtext('audit' || sampled.question_id)) % 1000 < 1000 * {share}
FROM evaluation_sampledunit AS sampled GROUP BY sampled.epoch_id, sampled.question_id
"""
_ANSWERS = """
INSERT INTO annotations_label (question_id, claim, value, votes_for, votes, source)
SELECT again.id, label.claim,
    CASE WHEN abs(hashtext(again.id || label.claim)) % 1000 < 30 THEN 1 - label.value ELSE label.value END,
    0, 0, 'expert'
FROM annotations_question AS again JOIN annotations_label AS label ON label.question_id = again.audits_id;
UPDATE annotations_question SET state = 'settled', settled_at = now() WHERE audits_id IS NOT NULL;
"""


def audit() -> None:
    """Have experts answer a tenth of the questions again; the service would aim, here all are as likely."""
    epoch = Epoch.objects.get()
    with connection.cursor() as cursor:
        cursor.execute(_AUDITS.format(share=AUDITED))
        wanted = audits.wanted(epoch, epoch.batches.count(), KBP)
        questions.ask_audits(questions=wanted)
        cursor.execute(_ANSWERS)
    epoch.batches.update(audited_at=timezone.now())


def now() -> tuple[float, float, float]:
    """Return the clock, this process' CPU, and that of the Postgres process that serves it, in seconds."""
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = int(stat[11]) + int(stat[12])
    return time.perf_counter(), time.process_time(), ticks / os.sysconf("SC_CLK_TCK")


def build(systems: int, own: int) -> list[tuple[float, ...]]:
    """Make the whole epoch, up to scores that are due.

    Returns
    -------
    list of (float, float, float)
        For each system the seconds that sampling it took, as `now` counts them: those of the first, and of
        the last `MEASURED`, are the service's.
    """
    rng = random.Random(0)
    corpus = write_corpus(rng)
    annotate(corpus, rng)
    universe = Universe(corpus, own)
    universe.write()
    took = []
    for number in range(systems):
        team, _ = Team.objects.get_or_create(name=f"Team {number // TEAMS_OF}")
        submission = universe.submit_file(number, team)
        if number in (0, 10, 50):
            with connection.cursor() as cursor:  # as autovacuum does while weeks go by
                cursor.execute("ANALYZE")
        begun = now()
        with quickly() if 0 < number < systems - MEASURED else nullcontext():
            assert sampling.sample_submission(task=KBP, submission_id=submission.pk)
        took.append(tuple(after - before for after, before in zip(now(), begun, strict=True)))
        if number % 10 == 9:
            print(json.dumps({"systems": number + 1, "sampling": took[-1]}), flush=True)
    judge()
    audit()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return took
