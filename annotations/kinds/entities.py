"""The question for every mention of a document, and its answer: made, read and validated here.

An answer lists mentions, each of one entity, and entities, each with its canonical mention and its link::

    {"version": 1,
     "mentions": [{"start": 0, "end": 9, "type": "PER", "entity": 1}, …],
     "entities": [{"id": 1, "canonical": {"start": 0, "end": 9}, "link": {"page": "Ada Quill"}}, …]}

Mentions begin and end with words. Two of them are apart, or one lies inside the other and their types differ.
All mentions of an entity are of one type. Links are those of `annotations.kinds.links`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, ClassVar, NamedTuple

from django.db.models import F, QuerySet, prefetch_related_objects

from annotations import annotating, ontologies, selectors
from annotations.aggregation import tokens
from annotations.aggregation.majority import Verdict
from annotations.aggregation.tokens import Outcome
from annotations.kinds.agreement import Agreement, Aspect, those_measured
from annotations.kinds.fields import VERSION
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.kinds.links import link_text, read_link
from annotations.models import Question, Response, kind_names
from annotations.texts.passages import Passage
from annotations.texts.records import MentionRecord, shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import MentionType, Ontology
from kbpo_formats.spans import Span

NAME = kind_names.ENTITIES
READ_AT_ONCE = 100
"""Documents whose answers are in memory at a time."""
_ENTITY_FIELDS = {"id", "canonical", "link"}


class _Mention(NamedTuple):
    span: Span
    type: MentionType
    entity: object


class Marks(NamedTuple):
    """What one answer marks in a whole document: nothing, perhaps.

    Attributes
    ----------
    question, worker : int
        Row ids.
    is_expert, is_valid : bool
    mentions : tuple of MentionRecord
    """

    question: int
    worker: int
    is_expert: bool
    is_valid: bool
    mentions: tuple[MentionRecord, ...]


@dataclass(frozen=True, slots=True)
class EntitiesQuestion:
    """Every mention of a document, with its type, its entity, and the entity's canonical mention and link.

    Attributes
    ----------
    passage : Passage or None
        The document; None where no answer is read.
    ontology : Ontology or None
        Its corpus', which has the types of mentions; None where no answer is read.
    """

    kind: ClassVar[str] = NAME

    passage: Passage | None = None
    ontology: Ontology | None = field(default=None, compare=False, repr=False)

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        return f"entities|{VERSION}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it is about: none in particular."""
        return ()

    @property
    def claims(self) -> tuple[str, ...]:
        """Return none: what the answers amount to is an annotation of the document."""
        return ()

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {"version": VERSION}

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer and return its normal form.

        In the normal form mentions stand in the order of the text, and entities have the numbers from 1 on
        in the order of their first mentions.

        Parameters
        ----------
        answer : object
            As the head of this module says. Without a mention there is nothing in the document.

        Raises
        ------
        InvalidInput
            If it is of another form; names the mention's words and place.
        """
        passage = self._passage()
        mentions, entities = _lists(answer)
        found = sorted(
            (_read_mention(item, passage, self._ontology()) for item in mentions), key=lambda one: one.span
        )
        _check_nesting(found, passage)
        listed = _by_id(entities)
        members: dict[object, list[_Mention]] = defaultdict(list)
        for mention in found:
            if mention.entity not in listed:
                raise InvalidInput(f"{passage.place(mention.span)} is of no entity; say who or what it is")
            members[mention.entity].append(mention)
        if unused := [id_ for id_ in listed if id_ not in members]:
            raise InvalidInput(f"the entity {shown(unused[0])} has no mention; take it away")
        return _written(
            [_read_entity(listed[id_], mentions_of, passage) for id_, mentions_of in members.items()], members
        )

    def mentions(self, answer: Mapping[str, Any]) -> tuple[MentionRecord, ...]:
        """Return what a stored answer marks, in the order of the text."""
        language = self._passage().language
        entities = {
            entity["id"]: (Span(**entity["canonical"]), link_text(entity["link"], language))
            for entity in answer["entities"]
        }
        return tuple(
            MentionRecord(Span(item["start"], item["end"]), item["type"], *entities[item["entity"]])
            for item in answer["mentions"]
        )

    def answer(self, mentions: Sequence[MentionRecord], links: Mapping[Span, object]) -> dict[str, Any]:
        """Return the JSON of an answer that marks certain mentions.

        Parameters
        ----------
        mentions : sequence of MentionRecord
            Those with the same canonical mention are of one entity; what they are linked to does not count.
        links : mapping of Span to object
            The link of each canonical mention; none where it has no page.

        Raises
        ------
        InvalidInput
            As `read_answer`.
        """
        canonical = sorted({mention.canonical for mention in mentions})
        ids = {span: number for number, span in enumerate(canonical, 1)}
        return self.read_answer(
            {
                "mentions": [
                    {**mention.span._asdict(), "type": mention.type, "entity": ids[mention.canonical]}
                    for mention in mentions
                ],
                "entities": [
                    {"id": ids[span], "canonical": span._asdict(), "link": links.get(span, {"none": True})}
                    for span in canonical
                ],
            }
        )

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return nothing: there are no claims."""
        return {}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether stored answers mark the same mentions, of the same entities, with the same links."""
        return len({self.mentions(answer) for answer in answers}) <= 1

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return no verdicts, and settle the question all the same: every word has a majority, or no type."""
        return {}

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Refuse: an answer about a whole document is never all right or all wrong."""
        raise InvalidInput("what is said of a whole document is not right or wrong as a whole")

    def published(self, claim: str) -> dict[str, Any]:
        """Refuse: there are no labels."""
        raise InvalidInput("a question about a whole document has no labels")

    def outcome(self, answers: Sequence[StoredAnswer]) -> Outcome:
        """Settle the mentions of stored answers, with all votes, ties and disagreements."""
        return tokens.settle(self._passage().tokens, [self.mentions(answer) for answer in answers])

    def _ontology(self) -> Ontology:
        assert self.ontology is not None, "an answer is read against its corpus' ontology"
        return self.ontology

    def _passage(self) -> Passage:
        assert self.passage is not None, "an answer is read against its document"
        return self.passage


def _lists(answer: object) -> tuple[list[object], list[object]]:
    if not isinstance(answer, Mapping):
        raise InvalidInput(f"an answer must be a JSON object, not {shown(answer)}")
    if answer.get("version", VERSION) != VERSION:
        raise InvalidInput(f"the answer is of version {shown(answer['version'])}, not {VERSION}")
    if unknown := [key for key in answer if key not in {"version", "mentions", "entities"}]:
        raise InvalidInput(f"an answer has no field {shown(unknown[0])}; it has mentions and entities")
    mentions, entities = answer.get("mentions"), answer.get("entities")
    for name, listed in (("mentions", mentions), ("entities", entities)):
        if not isinstance(listed, list):
            raise InvalidInput(f"{name} is {shown(listed)}; it must be a list")
    return mentions, entities  # type: ignore[return-value]  # both are lists


def _read_mention(item: object, passage: Passage, ontology: Ontology) -> _Mention:
    match item:
        case {"start": int(start), "end": int(end), "type": mention_type, "entity": entity, **rest} if (
            not rest and not isinstance(start, bool) and not isinstance(end, bool)
        ):
            span = Span(start, end)
        case _:
            raise InvalidInput(f"the mention {shown(item)} must have start, end, type and entity alone")
    if not 0 <= start < end <= len(passage.text):
        raise InvalidInput(
            f"the mention {span} does not lie within the text's {len(passage.text)} characters"
        )
    if start not in passage.first_of or end not in passage.last_of:
        whole = passage.whole_words(span)
        right = f"; “{passage.words(whole)}” ({whole}) does" if whole else ""
        raise InvalidInput(f"the mention {passage.place(span)} does not begin and end with words{right}")
    types = ontology.mention_types_by_name
    if not isinstance(mention_type, str) or mention_type not in types:
        raise InvalidInput(
            f"the mention {passage.place(span)} is of type {shown(mention_type)}, not {', '.join(types)}"
        )
    return _Mention(span, types[mention_type], _id(entity))


def _check_nesting(mentions: Sequence[_Mention], passage: Passage) -> None:
    """Refuse mentions that share words, unless one lies inside the other and their types differ."""
    around: list[_Mention] = []
    for mention in sorted(mentions, key=lambda one: (one.span.start, -one.span.end)):
        while around and around[-1].span.end <= mention.span.start:
            around.pop()
        for outer in around:
            both = f"{passage.place(mention.span)} and {passage.place(outer.span)}"
            if mention.span == outer.span:
                raise InvalidInput(f"{passage.place(mention.span)} is marked twice; give it one type")
            if not outer.span.contains(mention.span):
                raise InvalidInput(f"{both} overlap; one must lie inside the other, or they must be apart")
            if outer.type == mention.type:
                raise InvalidInput(
                    f"{both} are both of type {mention.type.word}; mentions of one type do not overlap"
                )
        around.append(mention)


def _by_id(entities: Sequence[object]) -> dict[object, Mapping[str, Any]]:
    listed: dict[object, Mapping[str, Any]] = {}
    for item in entities:
        if not isinstance(item, Mapping) or not {"id", "canonical"} <= item.keys() <= _ENTITY_FIELDS:
            raise InvalidInput(f"the entity {shown(item)} must have id, canonical and link alone")
        if _id(item["id"]) in listed:
            raise InvalidInput(f"the entity {shown(item['id'])} is there twice")
        listed[item["id"]] = item
    return listed


def _id(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidInput(f"an entity's id is {shown(value)}; it must be a number or a string")
    return value


def _read_entity(
    entity: Mapping[str, Any], members: Sequence[_Mention], passage: Passage
) -> tuple[Span, dict[str, object]]:
    """Return an entity's canonical mention and its link."""
    first = members[0]
    for other in members:
        if other.type != first.type:
            raise InvalidInput(
                f"{passage.place(first.span)} and {passage.place(other.span)} are one entity, but one is of "
                f"type {first.type.word} and the other of type {other.type.word}"
            )
    spans = {(mention.span.start, mention.span.end): mention.span for mention in members}
    match entity["canonical"]:
        case {"start": int(start), "end": int(end), **rest} if not rest and (start, end) in spans:
            canonical = spans[start, end]
        case _:
            raise InvalidInput(
                f"the canonical mention of {passage.place(first.span)} is {shown(entity['canonical'])}, "
                "which is none of that entity's mentions"
            )
    return canonical, _read_link(entity.get("link"), first.type, canonical, passage)


def _read_link(
    link: object, mention_type: MentionType, canonical: Span, passage: Passage
) -> dict[str, object]:
    place = passage.place(canonical)
    if mention_type.link is None:
        if link not in (None, {"none": True}):
            raise InvalidInput(f"{place} is of type {mention_type.word}; such mentions are not linked")
        return {"none": True}
    if link is None:
        raise InvalidInput(
            f"say which date {place} is, or that it cannot be told"
            if mention_type.link == "date"
            else f"say which Wikipedia page {place} has, or that it has none"
        )
    try:
        return read_link(link, mention_type)
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None


def _written(
    entities: Sequence[tuple[Span, dict[str, object]]], members: Mapping[object, Sequence[_Mention]]
) -> dict[str, Any]:
    """Return the normal form: entities and their members come in the order of their first mentions."""
    numbers = {id_: number for number, id_ in enumerate(members, 1)}
    mentions = sorted(chain.from_iterable(members.values()), key=lambda one: one.span)
    return {
        "version": VERSION,
        "mentions": [
            {**mention.span._asdict(), "type": mention.type.name, "entity": numbers[mention.entity]}
            for mention in mentions
        ],
        "entities": [
            {"id": number, "canonical": canonical._asdict(), "link": link}
            for number, (canonical, link) in enumerate(entities, 1)
        ],
    }


def outcome(question: Question) -> Outcome:
    """Settle a document's mentions again from the valid votes, or from an expert's answer alone.

    Raises
    ------
    InvalidInput
        If the question is of another kind.
    """
    if question.kind != NAME:
        raise InvalidInput(f"{question} is not about the mentions of a whole document")
    passages = selectors.read_passages([question.document])
    votes = list(Response.objects.filter(question=question, is_valid=True).order_by("pk"))
    votes = [vote for vote in votes if vote.is_expert][:1] or votes
    return KIND.read(question.payload, passages[question.document_id]).outcome(
        [vote.answer for vote in votes]
    )


def read_published_marks(questions: Collection[int]) -> Iterator[Marks]:
    """Yield what answers to questions marked before these were published; of questions of other kinds, none.

    Parameters
    ----------
    questions : collection of int
        Row ids.
    """
    every = list(
        Question.objects.filter(pk__in=questions, kind=NAME).select_related("document").order_by("pk")
    )
    for first in range(0, len(every), READ_AT_ONCE):
        asked = _read_asked(every[first : first + READ_AT_ONCE])
        answers = Response.objects.filter(
            question__in=asked, answered_at__lte=F("question__published_at")
        ).order_by("pk")
        columns = "question_id", "worker_id", "is_expert", "is_valid", "answer"
        for pk, worker, is_expert, is_valid, answer in answers.values_list(*columns):
            yield Marks(pk, worker, is_expert, is_valid, asked[pk].mentions(answer))


def _read_asked(questions: Collection[Question]) -> dict[int, EntitiesQuestion]:
    """Read questions, by row id, so that answers to them can be read: their documents are loaded."""
    passages = selectors.read_passages([one.document for one in questions]) if questions else {}
    types = ontologies.of_documents(passages) if questions else {}
    return {
        one.pk: KIND.read(one.payload, passages[one.document_id], types[one.document_id]) for one in questions
    }


def _parse(
    payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None
) -> EntitiesQuestion:
    return EntitiesQuestion(passage, ontology)


def _store(question: Question, asked: EntitiesQuestion, answers: Sequence[StoredAnswer]) -> None:
    annotating.store_mentions(document=question.document, mentions=asked.outcome(answers).records)


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    measured = list(those_measured(questions, first).order_by("pk"))
    prefetch_related_objects(measured, "document")  # of none, no query for texts
    asked = _read_asked(measured)
    votes: dict[int, list[tuple[MentionRecord, ...]]] = defaultdict(list)
    answers = Response.objects.filter(question__in=asked, is_valid=True, is_expert=False).order_by("pk")
    for question_id, answer in answers.values_list("question_id", "answer"):
        votes[question_id].append(asked[question_id].mentions(answer))
    documents = []
    for question_id, given in votes.items():
        passage, ontology = asked[question_id].passage, asked[question_id].ontology
        if len(given) >= 2 and passage is not None and ontology is not None:
            unlinked = [one.name for one in ontology.mention_types if one.link is None]
            documents.append(tokens.ratings(passage.tokens, given[:first], unlinked))
    found = tokens.agreement(documents, level=level)
    return [
        Agreement(NAME, len(documents), kappa, aspect)
        for aspect, kappa in (
            (Aspect.SPANS, found.spans),
            (Aspect.CANONICAL, found.canonical),
            (Aspect.LINKS, found.links),
        )
    ]


KIND = Kind(
    name=NAME,
    label="every mention of a document",
    parse=_parse,
    reads_passage=True,
    reads_ontology=True,
    usual_error=1.0,  # two who mark a whole document hardly ever mark all of it alike
    affirms=None,
    category=None,
    agreement=_agreement,
    can_be_gold=False,
    reopens=True,
    settled=_store,
)
