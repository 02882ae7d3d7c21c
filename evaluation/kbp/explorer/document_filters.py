"""What the relations on a document's page can be narrowed down to, with how many there are of each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.kbp.explorer import document_claims
from evaluation.kbp.explorer.document_claims import Claims
from evaluation.kbp.explorer.statements import Relation
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span


@dataclass(frozen=True, slots=True)
class Choice:
    """Which relations of a document are wanted.

    Attributes
    ----------
    relation : Relation or None
        One alone, with everything that is known of it.
    mention : Span or None
        Those of a mention.
    predicate : str
        Those of a predicate; empty for all.
    system : int or None
        The row id of a system: those that it found or claims.
    missed : bool
        Those true ones that no system found; of a system, those that it did not find.
    page, claims : str
        The pages of true relations and of claims.
    """

    relation: Relation | None = None
    mention: Span | None = None
    predicate: str = ""
    system: int | None = None
    missed: bool = False
    page: str = "1"
    claims: str = "1"

    def admits(self, relation: Relation) -> bool:
        """Say whether a relation is wanted, whatever found it."""
        if self.relation is not None:
            return relation == self.relation
        return self.is_about(relation) and self.predicate in ("", relation.predicate)

    def is_about(self, relation: Relation) -> bool:
        """Say whether a relation is about the wanted mention."""
        return self.mention is None or self.mention in (relation.subject, relation.object)

    @property
    def is_part(self) -> bool:
        """Whether it leaves relations out, other than by pages."""
        return self != Choice(page=self.page, claims=self.claims)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Relations of a document.

    Attributes
    ----------
    true : list of Relation
        What people found.
    claimed : list of Relation
        What systems claim.
    """

    true: list[Relation]
    claimed: list[Relation]


class Option(NamedTuple):
    """A value of a filter.

    Attributes
    ----------
    value : str
        As it stands in an address.
    name : str
        For people.
    counts : str
        How many relations there are of it, in words.
    is_chosen : bool
    """

    value: str
    name: str
    counts: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Filters:
    """The values of both filters: each counted under what else is chosen.

    Attributes
    ----------
    predicates, systems : list of Option
    """

    predicates: list[Option]
    systems: list[Option]


def read_filters(
    claims: Claims,
    true: Sequence[Relation],
    candidates: Candidates,
    finders: Mapping[Relation, Sequence[Relation]],
    choice: Choice,
    ontology: Ontology,
) -> Filters:
    """Read what relations can be narrowed down to.

    Parameters
    ----------
    claims : Claims
    true : sequence of Relation
        All that people found and the viewer may see.
    candidates : Candidates
        Those that are wanted by who found or claims them.
    finders : mapping of Relation to sequence of Relation
        The claims that find each true one.
    choice : Choice
    ontology : Ontology
    """
    found = Counter(one.predicate for one in candidates.true if choice.is_about(one))
    claimed = Counter(one.predicate for one in candidates.claimed if choice.is_about(one))
    predicates = [
        Option(
            one.name,
            one.label,
            _in_words(found[one.name], claimed[one.name], choice, is_marked=bool(true)),
            one.name == choice.predicate,
        )
        for one in ontology.relations
        if found[one.name] or claimed[one.name] or one.name == choice.predicate
    ]
    wanted = [one for one in true if choice.admits(one)]
    counts: Mapping[int, int]
    if choice.missed:
        finds = document_claims.count_found(claims, [finders[one] for one in wanted])
        counts = {pk: len(wanted) - finds.get(pk, 0) for pk in claims.systems}
    else:
        counts = document_claims.count_claims(claims, [one for one in claims.instances if choice.admits(one)])
    systems = [
        Option(
            str(pk),
            f"{system.name} ({system.team})",
            f"{counts.get(pk, 0):,} {'missed' if choice.missed else 'claimed'}",
            pk == choice.system,
        )
        for pk, system in claims.systems.items()
        if counts.get(pk) or pk == choice.system
    ]
    return Filters(predicates, systems)


def _in_words(found: int, claimed: int, choice: Choice, *, is_marked: bool) -> str:
    if choice.missed:
        return f"{found:,} missed"
    return f"{found:,} found, {claimed:,} claimed" if is_marked else f"{claimed:,} claimed"
