"""The JSON of a question and of an answer: made, read and validated here alone.

A relation question holds a pair of mentions with their types, and what is offered of it; its answer ticks
some of the offers, or says that none holds, and may link the mentions. A canonical question holds a mention
and what a system calls its canonical mention; its answer says whether that is right. The question about a
whole document stands in `annotations.entities`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotations.entities import EntitiesQuestion, Passage
from annotations.links import read_links
from kbpo.core.errors import InvalidInput
from kbpo.core.ontology import RELATIONS, options
from kbpo.core.spans import Span

VERSION = 1  # of payloads, keys and answers; a change to what the types admit needs a new one


class Mention(NamedTuple):
    """A mention in a question. Mentions sort by start, end and type, which is their order in a pair."""

    span: Span
    type: str


class Offer(NamedTuple):
    """What a worker may tick: a relation, and which mention of the pair is its subject (0 or 1)."""

    predicate: str
    subject: int


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """Which relations hold between two mentions.

    Attributes
    ----------
    mentions : (Mention, Mention)
        In their order in the text.
    offered : tuple of Offer
        In the ontology's order; never empty.
    """

    mentions: tuple[Mention, Mention]
    offered: tuple[Offer, ...]

    @classmethod
    def about(cls, one: Mention, other: Mention) -> "RelationQuestion":
        """Make the question about two mentions, in whichever order they are given.

        Raises
        ------
        InvalidInput
            If a type is unknown, or their types admit no relation.
        """
        first, second = sorted((one, other))
        offered = tuple(
            Offer(option.relation.name, option.subject) for option in options(first.type, second.type)
        )
        if not offered:
            raise InvalidInput(f"no relation is admitted between {first.type} and {second.type}")
        return cls((first, second), offered)

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        first, second = self.mentions
        return f"relation|{VERSION}|{first.span}|{first.type}|{second.span}|{second.type}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""
        return tuple(mention.span for mention in self.mentions)

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {
            "version": VERSION,
            "mentions": [{**mention.span._asdict(), "type": mention.type} for mention in self.mentions],
            "options": [offer._asdict() for offer in self.offered],
        }

    def answer(self, ticked: Sequence[Offer]) -> dict[str, Any]:
        """Return the JSON of an answer: what is ticked, in the offered order; nothing ticked: none holds."""
        chosen = [offer._asdict() for offer in self.offered if offer in ticked]
        return {"version": VERSION, "relations": chosen, "none": not chosen}

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer and return its normal form.

        Parameters
        ----------
        answer : object
            ``{"relations": [{"predicate", "subject"}, …]}``, or ``{"none": true}`` where none holds. With
            ``"links"`` it says what the mentions are, by their index (`annotations.links`).

        Raises
        ------
        InvalidInput
            If it is of another form, says both or neither, or ticks what was not offered, or twice.
        """
        fields = _fields(answer, {"relations", "none", "links"})
        listed, none = fields.get("relations", []), fields.get("none", False)
        if not isinstance(listed, list):
            raise InvalidInput(f"relations is {_shown(listed)}; it must be a list")
        if not isinstance(none, bool):
            raise InvalidInput(f"none is {_shown(none)}; it must be true or false")
        if none and listed:
            raise InvalidInput('an answer ticks relations or says "none of these", not both')
        if not none and not listed:
            raise InvalidInput('an answer must tick a relation or say "none of these"')
        ticked: list[Offer] = []
        for item in listed:
            offer = self._offer(item)
            if offer in ticked:
                raise InvalidInput(f"{offer.predicate} (subject {offer.subject}) is ticked twice")
            ticked.append(offer)
        found = self.answer(ticked)
        if "links" in fields:
            types = {index: mention.type for index, mention in enumerate(self.mentions)}
            found["links"] = read_links(fields["links"], types)
        return found

    def ticked(self, answer: Mapping[str, Any]) -> tuple[Offer, ...]:
        """Return what a stored answer ticks."""
        return tuple(Offer(item["predicate"], item["subject"]) for item in answer["relations"])

    def _offer(self, item: object) -> Offer:
        match item:
            case {"predicate": str(predicate), "subject": int(subject), **rest} if (
                not rest and not isinstance(subject, bool) and (predicate, subject) in self.offered
            ):
                return Offer(predicate, subject)
        offered = ", ".join(f"{offer.predicate} (subject {offer.subject})" for offer in self.offered)
        raise InvalidInput(f"{_shown(item)} was not offered; offered were {offered}")


@dataclass(frozen=True, slots=True)
class CanonicalQuestion:
    """Whether `canonical` is the right canonical mention of the entity that `mention` names."""

    mention: Span
    canonical: Span

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        return f"canonical|{VERSION}|{self.mention}|{self.canonical}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""
        return self.mention, self.canonical

    def payload(self) -> dict[str, Any]:
        """Return its JSON."""
        return {
            "version": VERSION,
            "mention": self.mention._asdict(),
            "canonical": self.canonical._asdict(),
        }

    def answer(self, right: bool) -> dict[str, Any]:
        """Return the JSON of an answer."""
        return {"version": VERSION, "right": right}

    def read_answer(self, answer: object) -> dict[str, Any]:
        """Validate an answer, ``{"right": true or false}``, and return its normal form.

        Raises
        ------
        InvalidInput
            If it is of another form.
        """
        right = _fields(answer, {"right"}).get("right")
        if not isinstance(right, bool):
            raise InvalidInput(f"right is {_shown(right)}; it must be true or false")
        return self.answer(right)


Asked = RelationQuestion | CanonicalQuestion | EntitiesQuestion


def read_question(kind: str, payload: Mapping[str, Any], passage: Passage | None = None) -> Asked:
    """Read a stored question.

    Parameters
    ----------
    kind : {"relation", "canonical", "entities"}
    payload : mapping
        As made by the `payload` of the question's class.
    passage : Passage, optional
        Its document, where answers to a question about all of it are to be read.

    Raises
    ------
    InvalidInput
        If it is of another form or version.
    """
    question: Asked
    try:
        if payload["version"] != VERSION:
            raise InvalidInput(f"the question is of version {_shown(payload['version'])}, not {VERSION}")
        if kind == "relation":
            first, second = (Mention(_span(item), item["type"]) for item in payload["mentions"])
            offered = tuple(Offer(item["predicate"], item["subject"]) for item in payload["options"])
            question = RelationQuestion((first, second), offered)
        elif kind == "entities":
            question = EntitiesQuestion(passage)
        else:
            question = CanonicalQuestion(_span(payload["mention"]), _span(payload["canonical"]))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"the {kind} question is not of the known form: {error!r}") from error
    return question


def read_claim_question(kind: str, payload: Mapping[str, Any]) -> RelationQuestion | CanonicalQuestion:
    """Read a stored question about claims, as `read_question`, where none about a whole document can be."""
    question = read_question(kind, payload)
    assert not isinstance(question, EntitiesQuestion), (
        "a question about a document has an interface of its own"
    )
    return question


def check_spans(spans: Sequence[Span], text_length: int) -> None:
    """Refuse spans that are empty or lie outside a text of `text_length` characters.

    Raises
    ------
    InvalidInput
        Naming the first such span.
    """
    for span in spans:
        if not 0 <= span.start < span.end <= text_length:
            raise InvalidInput(f"the span {span} does not lie within the text's {text_length} characters")


def check_claim(predicate: str, subject_type: str, object_type: str) -> None:
    """Refuse a claim that no question can settle.

    Raises
    ------
    InvalidInput
        If the predicate is unknown or does not admit the two types.
    """
    relation = RELATIONS.get(predicate)
    if relation is None:
        raise InvalidInput(f"unknown predicate {_shown(predicate)}; known are {', '.join(RELATIONS)}")
    if not relation.admits(subject_type, object_type):
        raise InvalidInput(
            f"{predicate} does not admit {_shown(subject_type)} and {_shown(object_type)}; its subject is "
            f"{relation.subject_type} and its object {' or '.join(relation.object_types)}"
        )


def _fields(answer: object, allowed: set[str]) -> Mapping[str, Any]:
    if not isinstance(answer, Mapping):
        raise InvalidInput(f"an answer must be a JSON object, not {_shown(answer)}")
    if unknown := [key for key in answer if key not in allowed | {"version"}]:
        raise InvalidInput(
            f"an answer has no field {_shown(unknown[0])}; it has {', '.join(sorted(allowed))}"
        )
    if answer.get("version", VERSION) != VERSION:
        raise InvalidInput(f"the answer is of version {_shown(answer['version'])}, not {VERSION}")
    return answer


def _span(item: Mapping[str, int]) -> Span:
    return Span(item["start"], item["end"])


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
