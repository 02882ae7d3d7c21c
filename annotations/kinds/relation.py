"""Which relations hold between two mentions.

A question holds a pair of mentions with their types, and what is offered of it; its answer ticks some of the
offers, or says that none holds, and may link the mentions. Every offer is a claim of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from django.db.models import QuerySet

from annotations.aggregation import majority
from annotations.aggregation.majority import Verdict
from annotations.kinds.agreement import Agreement, on_whole_answers
from annotations.kinds.fields import VERSION, read_fields, read_span
from annotations.kinds.kind import Kind, StoredAnswer
from annotations.kinds.links import read_links
from annotations.models import Question, kind_names
from annotations.texts.passages import Passage
from annotations.texts.records import RelationRecord, shown
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import MentionType, Ontology
from kbpo_formats.spans import Span

NAME = kind_names.RELATION


class Mention(NamedTuple):
    """A mention in a question. Mentions sort by start, end and type, which is their order in a pair."""

    span: Span
    type: str


class Offer(NamedTuple):
    """What a worker may tick: a relation, and which mention of the pair is its subject (0 or 1)."""

    predicate: str
    subject: int

    @property
    def claim(self) -> str:
        """Return the name of the claim that it holds, such as ``per:spouse|0``."""
        return f"{self.predicate}|{self.subject}"

    @classmethod
    def of_claim(cls, claim: str) -> "Offer":
        """Return the offer that a claim's name stands for."""
        predicate, _, subject = claim.rpartition("|")
        return cls(predicate, int(subject))


@dataclass(frozen=True, slots=True)
class RelationQuestion:
    """Which relations hold between two mentions.

    Attributes
    ----------
    mentions : (Mention, Mention)
        In their order in the text.
    offered : tuple of Offer
        In the ontology's order; never empty.
    ontology : Ontology or None
        What its types and relations are those of; None where no answer is read.
    """

    kind: ClassVar[str] = NAME

    mentions: tuple[Mention, Mention]
    offered: tuple[Offer, ...]
    ontology: Ontology | None = field(default=None, compare=False, repr=False)

    @classmethod
    def about(cls, one: Mention, other: Mention, ontology: Ontology) -> "RelationQuestion":
        """Make the question about two mentions, in whichever order they are given, under an ontology.

        Raises
        ------
        InvalidInput
            If a type is unknown, or their types admit no relation.
        """
        first, second = sorted((one, other))
        offered = tuple(
            Offer(option.relation.name, option.subject)
            for option in ontology.options(first.type, second.type)
        )
        if not offered:
            raise InvalidInput(f"no relation is admitted between {first.type} and {second.type}")
        return cls((first, second), offered, ontology)

    @property
    def key(self) -> str:
        """Return what tells it from every other question about its document."""
        first, second = self.mentions
        return f"relation|{VERSION}|{first.span}|{first.type}|{second.span}|{second.type}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Return every span that it shows."""
        return tuple(mention.span for mention in self.mentions)

    @property
    def types(self) -> tuple[MentionType, ...]:
        """Return the types of its mentions."""
        assert self.ontology is not None, "types have a meaning under an ontology"
        return tuple(self.ontology.find_type(mention.type) for mention in self.mentions)

    def is_symmetric(self, offer: Offer) -> bool:
        """Say whether the relation of an offer is the same from either end."""
        assert self.ontology is not None, "relations have a meaning under an ontology"
        return self.ontology.find_relation(offer.predicate).is_symmetric

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the name of each offer, in their order."""
        return tuple(offer.claim for offer in self.offered)

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
            ``"links"`` it says what the mentions are, by their index (`annotations.kinds.links`).

        Raises
        ------
        InvalidInput
            If it is of another form, says both or neither, or ticks what was not offered, or twice.
        """
        fields = read_fields(answer, {"relations", "none", "links"})
        listed, none = fields.get("relations", []), fields.get("none", False)
        if not isinstance(listed, list):
            raise InvalidInput(f"relations is {shown(listed)}; it must be a list")
        if not isinstance(none, bool):
            raise InvalidInput(f"none is {shown(none)}; it must be true or false")
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
            found["links"] = read_links(fields["links"], dict(enumerate(self.types)))
        return found

    def ticked(self, answer: Mapping[str, Any]) -> tuple[Offer, ...]:
        """Return what a stored answer ticks."""
        return tuple(Offer(item["predicate"], item["subject"]) for item in answer["relations"])

    def values(self, answer: StoredAnswer) -> dict[str, float]:
        """Return what a stored answer says of each offer: 1 that it holds, 0 that it does not."""
        ticked = self.ticked(answer)
        return {offer.claim: float(offer in ticked) for offer in self.offered}

    def agree(self, answers: Sequence[StoredAnswer]) -> bool:
        """Say whether stored answers all tick the same: what they link the mentions to is not settled."""
        return len({frozenset(self.ticked(answer)) for answer in answers}) <= 1

    def settle(self, answers: Sequence[StoredAnswer]) -> Mapping[str, Verdict] | None:
        """Return the verdict of the majority on each offer; None while the votes settle nothing."""
        verdicts = majority.relations(self.offered, [self.ticked(answer) for answer in answers])
        if verdicts is None:
            return None
        return {offer.claim: verdict for offer, verdict in verdicts.items()}

    def is_right(self, answer: StoredAnswer, labels: Mapping[str, float]) -> bool:
        """Say whether a stored answer ticks all that was found to hold, and nothing else."""
        true = {claim for claim, value in labels.items() if value == 1}
        return {offer.claim for offer in self.ticked(answer)} == true

    def relation(self, claim: str) -> RelationRecord:
        """Return what a claim says: the relation, and the spans of its subject and its object."""
        predicate, subject = Offer.of_claim(claim)
        return RelationRecord(predicate, self.mentions[subject].span, self.mentions[1 - subject].span)

    def published(self, claim: str) -> dict[str, Any]:
        """Return the columns of a claim in the files of released labels."""
        relation = self.relation(claim)
        return {
            "predicate": relation.predicate,
            "subject_start": relation.subject.start,
            "subject_end": relation.subject.end,
            "object_start": relation.object.start,
            "object_end": relation.object.end,
        }

    def _offer(self, item: object) -> Offer:
        match item:
            case {"predicate": str(predicate), "subject": int(subject), **rest} if (
                not rest and not isinstance(subject, bool) and (predicate, subject) in self.offered
            ):
                return Offer(predicate, subject)
        offered = ", ".join(f"{offer.predicate} (subject {offer.subject})" for offer in self.offered)
        raise InvalidInput(f"{shown(item)} was not offered; offered were {offered}")


def check_claim(predicate: str, subject_type: str, object_type: str, ontology: Ontology) -> None:
    """Refuse a claim that no question under an ontology can settle.

    Raises
    ------
    InvalidInput
        If the predicate is unknown or does not admit the two types.
    """
    relation = ontology.relations_by_name.get(predicate)
    if relation is None:
        known = ", ".join(ontology.relations_by_name)
        raise InvalidInput(f"unknown predicate {shown(predicate)}; known are {known}")
    if not relation.admits(subject_type, object_type):
        raise InvalidInput(
            f"{predicate} does not admit {shown(subject_type)} and {shown(object_type)}; its subject is "
            f"{relation.subject_type} and its object {' or '.join(relation.object_types)}"
        )


def claim_sql(predicate: str, subject: str) -> str:
    """Return SQL for the name of a claim, from expressions for its predicate and its subject (0 or 1)."""
    return f"(({predicate}) || '|' || ({subject}))"


def _parse(
    payload: Mapping[str, Any], passage: Passage | None, ontology: Ontology | None
) -> RelationQuestion:
    first, second = (Mention(read_span(item), item["type"]) for item in payload["mentions"])
    offered = tuple(Offer(item["predicate"], item["subject"]) for item in payload["options"])
    return RelationQuestion((first, second), offered, ontology)


_CATEGORY = "(answer -> 'relations')::text"  # what they link the mentions to tells no votes apart


def _agreement(questions: QuerySet[Question], first: int | None, level: float) -> list[Agreement]:
    return [on_whole_answers(questions, first, level, kind=NAME, category=_CATEGORY)]


KIND = Kind(
    name=NAME,
    label="which relations hold between two mentions",
    parse=_parse,
    reads_passage=False,
    reads_ontology=True,
    usual_error=majority.ERROR,
    affirms="EXISTS (SELECT FROM jsonb_array_elements(response.answer -> 'relations') AS ticked WHERE "
    + claim_sql("ticked ->> 'predicate'", "ticked ->> 'subject'")
    + " = label.claim)",
    category=_CATEGORY,
    agreement=_agreement,
    can_be_gold=True,
    reopens=False,
    settled=None,
    columns=("predicate", "subject_start", "subject_end", "object_start", "object_end"),
)
