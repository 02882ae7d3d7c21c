"""Reads that several callers share."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet, prefetch_related_objects

from annotations import payloads
from annotations.aggregation import tokens
from annotations.aggregation.agreement import Kappa, fleiss_kappa
from annotations.entities import EntitiesQuestion, Passage
from annotations.languages import DEFAULT
from annotations.models import Corpus, Document, KindAgreement, Question, Response, Sentence
from annotations.payloads import Asked
from annotations.records import MentionRecord
from kbpo.core.columns import array_literal, read_columns
from kbpo.core.errors import InvalidInput
from kbpo.core.spans import Span

Aspect = KindAgreement.Aspect


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far workers agree on one kind of question.

    Attributes
    ----------
    kind : Question.Kind
    questions : int
        Those with at least two valid votes, on which κ rests.
    kappa : Kappa or None
        Fleiss' κ with its interval; None where it is not estimable.
    aspect : KindAgreement.Aspect
        Of what an answer says.
    """

    kind: Question.Kind
    questions: int
    kappa: Kappa | None
    aspect: KindAgreement.Aspect = Aspect.WHOLE


def corpus_by_tag(tag: str) -> Corpus:
    """Find a corpus.

    Raises
    ------
    InvalidInput
        If there is none of that tag; the message lists those there are.
    """
    corpus = None if "\0" in tag else Corpus.objects.filter(tag=tag).first()
    if corpus is None:
        tags = ", ".join(Corpus.objects.values_list("tag", flat=True)) or "none is loaded"
        raise InvalidInput(f"there is no corpus {tag!r}; there are: {tags}", where="--corpus")
    return corpus


def read_passages(documents: Collection[Document]) -> dict[int, Passage]:
    """Read the words of documents, by their ids."""
    sentences: dict[int, list[list[Span]]] = {document.pk: [] for document in documents}
    languages: dict[int, str] = {}
    rows = Sentence.objects.filter(document__in=sentences).order_by("document", "index")
    columns = ("document", "token_starts", "token_ends", "document__corpus__language")
    for document_id, starts, ends, language in rows.values_list(*columns):
        sentences[document_id].append([Span(*both) for both in zip(starts, ends, strict=True)])
        languages[document_id] = language
    return {
        document.pk: Passage(document.text, sentences[document.pk], languages.get(document.pk, DEFAULT))
        for document in documents
    }


def read_asked(questions: Collection[Question]) -> dict[int, Asked]:
    """Read stored questions by their ids, each so that answers to it can be read too.

    Raises
    ------
    InvalidInput
        If one is of another form or version.
    """
    whole = [one for one in questions if one.kind == Question.Kind.ENTITIES]
    passages = read_passages([one.document for one in whole]) if whole else {}
    return {
        one.pk: payloads.read_question(
            one.kind, one.payload, passages.get(one.document_id) if one in whole else None
        )
        for one in questions
    }


def marked_by(question: Question, asked: EntitiesQuestion) -> list[tuple[MentionRecord, ...]]:
    """List what each valid voter marked in a document: an expert's answer alone, if there is one."""
    votes = list(Response.objects.filter(question=question, is_valid=True).order_by("pk"))
    votes = [vote for vote in votes if vote.is_expert][:1] or votes
    return [asked.mentions(vote.answer) for vote in votes]


def agreement(corpus: Corpus, *, level: float = 0.95) -> list[Agreement]:
    """Measure how far workers agree in a corpus, for each kind of question.

    Over the valid votes of those who are no experts, on the questions that the votes have settled or sent to
    an expert: those still open would count too little disagreement or too much. The category of a vote is the
    whole answer: the relations ticked, with their directions, or none; right or wrong. Answers about a whole
    document are compared word by word, as `annotations.aggregation.tokens.ratings` says, in three aspects.

    Parameters
    ----------
    corpus : Corpus
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    list of Agreement
        One for each kind and aspect, in the order of `Question.Kind`.
    """
    asked = Question.objects.filter(document__corpus=corpus)
    pairs = [
        agreement_on(asked.filter(kind=kind), kind, level=level)
        for kind in (Question.Kind.RELATION, Question.Kind.CANONICAL)
    ]
    return [*pairs, *_token_agreement(asked.filter(kind=Question.Kind.ENTITIES), level)]


def agreement_on(questions: QuerySet[Question], kind: Question.Kind, *, level: float = 0.95) -> Agreement:
    """Measure how far workers agree on some questions of one kind, as `agreement` does.

    Parameters
    ----------
    questions : QuerySet of Question
        Of that kind; those still open are left out.
    kind : Question.Kind
        Of whole documents, how far their spans agree.
    level : float
    """
    if kind == Question.Kind.ENTITIES:
        return _token_agreement(questions, level)[0]
    closed = questions.exclude(state=Question.State.OPEN)
    asked = array_literal([pk for _, _, pk in sorted(closed.values_list("document_id", "key", "pk"))])
    answer = "answer ->> 'right'" if kind == Question.Kind.CANONICAL else "(answer -> 'relations')::text"
    votes = read_columns(
        "SELECT dense_rank() OVER (ORDER BY asked.place) - 1,"  # noqa: S608 - an expression of ours
        f' dense_rank() OVER (ORDER BY ({answer}) COLLATE "C") - 1'
        " FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked (id, place)"
        " JOIN annotations_response AS response ON response.question_id = asked.id"
        " WHERE response.is_valid AND NOT response.is_expert",
        [asked],
        {"question": "bigint", "category": "bigint"},
    )
    shape = (votes["question"].max(initial=-1) + 1, votes["category"].max(initial=-1) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (votes["question"], votes["category"]), 1)
    compared = int((counts.sum(axis=1) >= 2).sum())
    return Agreement(kind, compared, fleiss_kappa(counts, level=level))


def _token_agreement(questions: QuerySet[Question], level: float) -> list[Agreement]:
    kind = Question.Kind.ENTITIES
    closed = list(questions.exclude(state=Question.State.OPEN).order_by("pk"))
    prefetch_related_objects(closed, "document")  # of none, no query for texts
    asked = read_asked(closed)
    votes: dict[int, list[tuple[MentionRecord, ...]]] = defaultdict(list)
    answers = Response.objects.filter(question__in=asked, is_valid=True, is_expert=False).order_by("pk")
    for question_id, answer in answers.values_list("question_id", "answer"):
        question = asked[question_id]
        assert isinstance(question, EntitiesQuestion)
        votes[question_id].append(question.mentions(answer))
    documents = []
    for question_id, given in votes.items():
        passage = asked[question_id].passage  # type: ignore[union-attr]  # of an EntitiesQuestion
        if len(given) >= 2 and passage is not None:
            documents.append(tokens.ratings(passage.tokens, given))
    found = tokens.agreement(documents, level=level)
    return [
        Agreement(kind, len(documents), kappa, aspect)
        for aspect, kappa in (
            (Aspect.SPANS, found.spans),
            (Aspect.CANONICAL, found.canonical),
            (Aspect.LINKS, found.links),
        )
    ]
