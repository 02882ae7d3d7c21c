"""The kinds of question there are. To add one: its module, its line here, and its type in `Asked`."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet

from annotations import ontologies, selectors
from annotations.kinds import canonical, choice, correctness, entities, quality, relation
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.choice import ChoiceQuestion
from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.kind import Kind
from annotations.kinds.quality import QualityQuestion
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question
from annotations.texts.passages import Passage
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology

#: In the order in which their numbers are shown.
KINDS: Mapping[str, Kind[Any]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            relation.KIND,
            canonical.KIND,
            entities.KIND,
            choice.KIND,
            quality.KIND,
            correctness.KIND,
        )
    }
)

#: What may be asked. Whoever must tell kinds apart does so exhaustively, and mypy names what is left out.
Asked = (
    RelationQuestion
    | CanonicalQuestion
    | EntitiesQuestion
    | ChoiceQuestion
    | QualityQuestion
    | CorrectnessQuestion
)


def find_kind(name: str) -> Kind[Any]:
    """Return the kind of a name.

    Raises
    ------
    InvalidInput
        If there is none; the message lists those there are.
    """
    kind = KINDS.get(name)
    if kind is None:
        raise InvalidInput(f"unknown kind of question {name!r:.80}; known are {', '.join(KINDS)}")
    return kind


def published_columns() -> tuple[str, ...]:
    """Return the columns of all kinds in the files of released labels, each once (`Kind.columns`)."""
    return tuple(dict.fromkeys(column for kind in KINDS.values() for column in kind.columns))


def check_kinds(questions: QuerySet[Question]) -> None:
    """Refuse questions of which one is of an unknown kind.

    Raises
    ------
    InvalidInput
        Naming the kind.
    """
    for name in questions.order_by().values_list("kind", flat=True).distinct():
        find_kind(name)


def read_question(
    kind: str,
    payload: Mapping[str, Any],
    passage: Passage | None = None,
    ontology: Ontology | None = None,
) -> Asked:
    """Read a stored question.

    Parameters
    ----------
    kind : str
        The name of its kind.
    payload : mapping
    passage : Passage, optional
        Its document, where answers are to be read and the kind reads them against it.
    ontology : Ontology, optional
        Its corpus', likewise.

    Raises
    ------
    InvalidInput
        If it is of an unknown kind, or of another form or version.
    """
    question: Asked = find_kind(kind).read(payload, passage, ontology)
    return question


def read_asked(questions: Collection[Question], ontology: Ontology | None = None) -> dict[int, Asked]:
    """Read stored questions by their ids, each so that answers to it can be read too.

    Parameters
    ----------
    questions : collection of Question
        With their documents.
    ontology : Ontology, optional
        Of the corpus that all of them are of; looked for if left out.

    Raises
    ------
    InvalidInput
        If one is of an unknown kind, or of another form or version.
    """
    whole = {one.document for one in questions if find_kind(one.kind).reads_passage}
    passages = selectors.read_passages(whole) if whole else {}
    typed = {one.document_id for one in questions if find_kind(one.kind).reads_ontology}
    types = ontologies.of_documents(typed) if typed and ontology is None else dict.fromkeys(typed, ontology)
    return {
        one.pk: read_question(
            one.kind,
            one.payload,
            passages[one.document_id] if find_kind(one.kind).reads_passage else None,
            types[one.document_id] if find_kind(one.kind).reads_ontology else None,
        )
        for one in questions
    }


def read_claim_question(
    kind: str, payload: Mapping[str, Any], ontology: Ontology | None = None
) -> RelationQuestion | CanonicalQuestion:
    """Read a stored question of those that one HIT asks together: about a pair, or a canonical mention.

    With the ontology of its corpus what its types and relations are can be asked, and answers be read.

    Raises
    ------
    InvalidInput
        As `read_question`, and if it is about a whole document.
    """
    match read_question(kind, payload, ontology=ontology):
        case RelationQuestion() | CanonicalQuestion() as question:
            return question
        case EntitiesQuestion() | ChoiceQuestion() | QualityQuestion() | CorrectnessQuestion():
            raise InvalidInput("a question about a whole document has an interface of its own")
