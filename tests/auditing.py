"""Audits of an epoch's labels, drawn and answered at once, as rows that the service would have stored."""

from collections.abc import Callable

import numpy as np
from django.db import connection
from django.utils import timezone

from annotations.models import Label, Question
from evaluation.models import Audit, Epoch, SampledClaim, SampledUnit
from kbpo_estimators.judging.drawing import audit_probabilities, doubts, drawn

Answer = Callable[[Question, str, float], float]
"""From a question, one of its claims and what the votes say of it to what the audit says."""


def agree(question: Question, claim: str, value: float) -> float:
    """Say what the votes say."""
    return value


def audit_epoch(epoch: Epoch, share: float, answer: Answer = agree) -> int:
    """Draw audits among the questions of an epoch's sample, and answer those; return how many were drawn."""
    sampled = SampledUnit.objects.filter(epoch=epoch).select_related("question")
    questions = {one.question_id: one.question for one in sampled.order_by("question__key")}
    labels = {(one.question_id, one.claim): one for one in Label.objects.filter(question__in=list(questions))}
    doubt = dict.fromkeys(questions, 0.0)
    for unit in sampled:
        label = labels[unit.question_id, unit.claim]
        against = label.votes - label.votes_for if label.value else label.votes_for
        is_voted = label.source == Label.Source.MAJORITY
        found = doubts([label.value], [label.votes * is_voted], [against * is_voted], [0.5])[0]
        doubt[unit.question_id] = max(doubt[unit.question_id], float(found))
    rho = np.ones(len(questions)) if share == 1 else audit_probabilities(list(doubt.values()), share)
    chosen = drawn(bytes.fromhex(epoch.secret), [one.key for one in questions.values()], rho)
    chosen |= rho == 1
    batch = epoch.batches.order_by("number").last()
    Audit.objects.bulk_create(
        Audit(epoch=epoch, batch=batch, question_id=pk, probability=p, doubt=doubt[pk], is_drawn=is_drawn)
        for pk, p, is_drawn in zip(questions, rho.tolist(), chosen.tolist(), strict=True)
    )
    asked = {pk: one for (pk, one), is_drawn in zip(questions.items(), chosen, strict=True) if is_drawn}
    units = [one.unit_id for one in sampled if one.question_id in asked]
    of_mentions = SampledClaim.objects.filter(submission__batch__epoch=epoch, instance_id__in=units)
    for claim in of_mentions.select_related("subject_question", "object_question"):
        for question in (claim.subject_question, claim.object_question):
            if question is not None:
                asked[question.pk] = question
    _answer(list(asked.values()), answer)
    Epoch.objects.filter(pk=epoch.pk).update(scores_due=True)
    return int(chosen.sum())


def _answer(questions: list[Question], answer: Answer) -> None:
    again = Question.objects.bulk_create(
        Question(
            document_id=one.document_id,
            kind=one.kind,
            key=f"audit|{one.key}",
            payload=one.payload,
            state=Question.State.SETTLED,
            votes_needed=1,
            settled_at=timezone.now(),
            audits=one,
        )
        for one in questions
    )
    asked = {one.pk: (one, audit) for one, audit in zip(questions, again, strict=True)}
    Label.objects.bulk_create(
        Label(
            question=asked[label.question_id][1],
            claim=label.claim,
            value=answer(asked[label.question_id][0], label.claim, label.value),
            votes_for=1,
            votes=1,
            source=Label.Source.EXPERT,
        )
        for label in Label.objects.filter(question__in=asked)
    )
    connection.check_constraints()
