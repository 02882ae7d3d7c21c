"""The one table of types and relations.

Everything else asks this module: the reader of TAC files, the questions that people are asked, the
interfaces that ask them, and the filters of the pages.

The official predicates are those of TAC KBP Cold Start (the same in 2015, 2016 and 2017). The service
stores each claim in one direction and under one name: `Predicate.stored_as` and `Predicate.turn` say how.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

MentionType = Literal["PER", "ORG", "GPE", "DATE", "TITLE"]
Turn = Literal["no", "swap", "symmetric"]

MENTION_TYPES: tuple[MentionType, ...] = ("PER", "ORG", "GPE", "DATE", "TITLE")
ENTITY_TYPES = ("PER", "ORG", "GPE", "FAC", "LOC")
TYPE_NAMES: Mapping[str, str] = MappingProxyType(
    {"PER": "person", "ORG": "organization", "GPE": "place", "DATE": "date", "TITLE": "title"}
)

# predicate, single-valued (1/0), object types, inverse, stored as ("-": not scored), turn
_OFFICIAL = """
gpe:births_in_city                   0  PER          city_of_birth                    per:place_of_birth            1
gpe:births_in_country                0  PER          country_of_birth                 per:place_of_birth            1
gpe:births_in_stateorprovince        0  PER          stateorprovince_of_birth         per:place_of_birth            1
gpe:deaths_in_city                   0  PER          city_of_death                    per:place_of_death            1
gpe:deaths_in_country                0  PER          country_of_death                 per:place_of_death            1
gpe:deaths_in_stateorprovince        0  PER          stateorprovince_of_death         per:place_of_death            1
gpe:employees_or_members             0  PER          employee_or_member_of            per:employee_or_member_of     1
gpe:headquarters_in_city             0  ORG          city_of_headquarters             org:place_of_headquarters     1
gpe:headquarters_in_country          0  ORG          country_of_headquarters          org:place_of_headquarters     1
gpe:headquarters_in_stateorprovince  0  ORG          stateorprovince_of_headquarters  org:place_of_headquarters     1
gpe:holds_shares_in                  0  ORG          shareholders                     gpe:holds_shares_in           0
gpe:member_of                        0  ORG          members                          gpe:member_of                 0
gpe:organizations_founded            0  ORG          founded_by                       gpe:organizations_founded     0
gpe:residents_of_city                0  PER          cities_of_residence              per:place_of_residence        1
gpe:residents_of_country             0  PER          countries_of_residence           per:place_of_residence        1
gpe:residents_of_stateorprovince     0  PER          statesorprovinces_of_residence   per:place_of_residence        1
gpe:subsidiaries                     0  ORG          parents                          org:parents                   1
org:alternate_names                  0  STRING       none                             -                             -
org:city_of_headquarters             1  GPE          headquarters_in_city             org:place_of_headquarters     0
org:country_of_headquarters          1  GPE          headquarters_in_country          org:place_of_headquarters     0
org:date_dissolved                   1  STRING       none                             org:date_dissolved            0
org:date_founded                     1  STRING       none                             org:date_founded              0
org:employees_or_members             0  PER          employee_or_member_of            per:employee_or_member_of     1
org:founded_by                       0  PER,ORG,GPE  organizations_founded            {type}:organizations_founded  1
org:holds_shares_in                  0  ORG          shareholders                     org:holds_shares_in           0
org:member_of                        0  ORG          members                          org:member_of                 0
org:members                          0  ORG,GPE      member_of                        {type}:member_of              1
org:number_of_employees_members      1  STRING       none                             -                             -
org:organizations_founded            0  ORG          founded_by                       org:organizations_founded     0
org:parents                          0  ORG,GPE      subsidiaries                     org:parents                   0
org:political_religious_affiliation  0  STRING       none                             -                             -
org:shareholders                     0  PER,ORG,GPE  holds_shares_in                  {type}:holds_shares_in        1
org:stateorprovince_of_headquarters  1  GPE          headquarters_in_stateorprovince  org:place_of_headquarters     0
org:students                         0  PER          schools_attended                 per:schools_attended          1
org:subsidiaries                     0  ORG          parents                          org:parents                   1
org:top_members_employees            0  PER          top_member_employee_of           per:employee_or_member_of     1
org:website                          1  STRING       none                             -                             -
per:age                              1  STRING       none                             -                             -
per:alternate_names                  0  STRING       none                             -                             -
per:cause_of_death                   1  STRING       none                             -                             -
per:charges                          0  STRING       none                             -                             -
per:children                         0  PER          parents                          per:parents                   1
per:cities_of_residence              0  GPE          residents_of_city                per:place_of_residence        0
per:city_of_birth                    1  GPE          births_in_city                   per:place_of_birth            0
per:city_of_death                    1  GPE          deaths_in_city                   per:place_of_death            0
per:countries_of_residence           0  GPE          residents_of_country             per:place_of_residence        0
per:country_of_birth                 1  GPE          births_in_country                per:place_of_birth            0
per:country_of_death                 1  GPE          deaths_in_country                per:place_of_death            0
per:date_of_birth                    1  STRING       none                             per:date_of_birth             0
per:date_of_death                    1  STRING       none                             per:date_of_death             0
per:employee_or_member_of            0  ORG,GPE      employees_or_members             per:employee_or_member_of     0
per:holds_shares_in                  0  ORG          shareholders                     per:holds_shares_in           0
per:organizations_founded            0  ORG          founded_by                       per:organizations_founded     0
per:origin                           0  STRING       none                             -                             -
per:other_family                     0  PER          other_family                     per:other_family              symmetric
per:parents                          0  PER          children                         per:parents                   0
per:religion                         1  STRING       none                             -                             -
per:schools_attended                 0  ORG          students                         per:schools_attended          0
per:siblings                         0  PER          siblings                         per:siblings                  symmetric
per:spouse                           0  PER          spouse                           per:spouse                    symmetric
per:stateorprovince_of_birth         1  GPE          births_in_stateorprovince        per:place_of_birth            0
per:stateorprovince_of_death         1  GPE          deaths_in_stateorprovince        per:place_of_death            0
per:statesorprovinces_of_residence   0  GPE          residents_of_stateorprovince     per:place_of_residence        0
per:title                            0  STRING       none                             per:title                     0
per:top_member_employee_of           0  ORG          top_members_employees            per:employee_or_member_of     0
"""

# reason, subject types, alias, official name (without the subject type's prefix)
_ALIASES = """
    deprecated  ORG      dissolved                        date_dissolved
    deprecated  PER      employee_of                      employee_or_member_of
    deprecated  ORG,GPE  employees                        employees_or_members
    deprecated  ORG      founded                          date_founded
    deprecated  PER      member_of                        employee_or_member_of
    deprecated  ORG,GPE  membership                       employees_or_members
    deprecated  ORG      number_of_employees/members      number_of_employees_members
    deprecated  ORG      political/religious_affiliation  political_religious_affiliation
    deprecated  PER      stateorprovinces_of_residence    statesorprovinces_of_residence
    deprecated  ORG      top_members/employees            top_members_employees
    misspelled  PER      ages                             age
    misspelled  ANY      canonical_mentions               canonical_mention
    misspelled  PER      city_of_residence                cities_of_residence
    misspelled  PER      country_of_residence             countries_of_residence
    misspelled  ANY      mentions                         mention
    misspelled  PER      spouses                          spouse
    misspelled  PER      stateorprovince_of_residence     statesorprovinces_of_residence
    misspelled  PER      titles                           title
"""


@dataclass(frozen=True, slots=True)
class Predicate:
    """An official predicate of the task.

    Attributes
    ----------
    name : str
        With the subject type's prefix, as in ``per:children``.
    subject_type : str
        The type of the subject entity.
    object_types : tuple of str
        The types that the object may have; ``("STRING",)`` for a string.
    single_valued : bool
        Whether the task allows one fill only.
    inverse : str or None
        The inverse's name without a prefix: its subject is this one's object, whose type gives the prefix.
    stored_as : str or None
        The relation that a claim is stored as; None where it is not scored. ``{type}`` stands for the
        object's type in lower case.
    turn : {"no", "swap", "symmetric"}
        Whether subject and object change places when stored; ``symmetric``: the mention that starts first
        is the subject.
    """

    name: str
    subject_type: str
    object_types: tuple[str, ...]
    single_valued: bool
    inverse: str | None
    stored_as: str | None
    turn: Turn

    @property
    def takes_string(self) -> bool:
        """Say whether the object is a string rather than an entity."""
        return self.object_types == ("STRING",)

    def relation_for(self, object_type: str) -> "Relation | None":
        """Return the relation that a claim with an object of `object_type` is stored as, if it is scored."""
        if self.stored_as is None:
            return None
        return RELATIONS[self.stored_as.replace("{type}", object_type.lower())]


@dataclass(frozen=True, slots=True)
class Alias:
    """A deprecated or misspelled predicate name and the official one."""

    reason: Literal["deprecated", "misspelled"]
    subject_types: tuple[str, ...]
    alias: str
    name: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation as it is stored, asked and scored.

    Attributes
    ----------
    name : str
        As in ``per:parents``.
    subject_type : str
    object_types : tuple of str
    symmetric : bool
    label : str
        For lists and filters.
    statement : str
        The claim in plain words, with ``{subject}`` and ``{object}``.
    """

    name: str
    subject_type: MentionType
    object_types: tuple[MentionType, ...]
    label: str
    statement: str
    symmetric: bool = False

    def admits(self, subject_type: str, object_type: str) -> bool:
        """Say whether mentions of these types can stand in this relation."""
        return subject_type == self.subject_type and object_type in self.object_types


RELATIONS: Mapping[str, Relation] = MappingProxyType(
    {
        relation.name: relation
        for relation in (
            Relation(
                "per:date_of_birth", "PER", ("DATE",), "date of birth", "{subject} was born on {object}"
            ),
            Relation(
                "per:place_of_birth", "PER", ("GPE",), "place of birth", "{subject} was born in {object}"
            ),
            Relation("per:date_of_death", "PER", ("DATE",), "date of death", "{subject} died on {object}"),
            Relation("per:place_of_death", "PER", ("GPE",), "place of death", "{subject} died in {object}"),
            Relation(
                "per:place_of_residence",
                "PER",
                ("GPE",),
                "residence",
                "{subject} lives or has lived in {object}",
            ),
            Relation("per:parents", "PER", ("PER",), "parents", "{object} is a parent of {subject}"),
            Relation(
                "per:siblings",
                "PER",
                ("PER",),
                "siblings",
                "{subject} and {object} are brothers or sisters",
                symmetric=True,
            ),
            Relation(
                "per:spouse",
                "PER",
                ("PER",),
                "spouse",
                "{subject} and {object} are or were married",
                symmetric=True,
            ),
            Relation(
                "per:other_family",
                "PER",
                ("PER",),
                "other family",
                "{subject} and {object} are family in another way",
                symmetric=True,
            ),
            Relation(
                "per:employee_or_member_of",
                "PER",
                ("ORG", "GPE"),
                "employer or membership",
                "{subject} works or worked for {object}, or is or was a member",
            ),
            Relation(
                "per:schools_attended", "PER", ("ORG",), "schools", "{subject} attended the school {object}"
            ),
            Relation("per:title", "PER", ("TITLE",), "title", "{subject} holds or held the title {object}"),
            Relation(
                "per:organizations_founded",
                "PER",
                ("ORG",),
                "organizations founded",
                "{subject} founded {object}",
            ),
            Relation(
                "per:holds_shares_in",
                "PER",
                ("ORG",),
                "shares held",
                "{subject} holds or held shares in {object}",
            ),
            Relation(
                "org:date_founded", "ORG", ("DATE",), "date founded", "{subject} was founded on {object}"
            ),
            Relation(
                "org:date_dissolved",
                "ORG",
                ("DATE",),
                "date dissolved",
                "{subject} was dissolved on {object}",
            ),
            Relation(
                "org:place_of_headquarters",
                "ORG",
                ("GPE",),
                "headquarters",
                "{subject} has or had its headquarters in {object}",
            ),
            Relation(
                "org:parents",
                "ORG",
                ("ORG", "GPE"),
                "parent organization",
                "{subject} is or was a subsidiary or part of {object}",
            ),
            Relation(
                "org:member_of",
                "ORG",
                ("ORG",),
                "membership",
                "{subject} is or was a member of {object}, and independent of it",
            ),
            Relation(
                "org:organizations_founded",
                "ORG",
                ("ORG",),
                "organizations founded",
                "{subject} founded {object}",
            ),
            Relation(
                "org:holds_shares_in",
                "ORG",
                ("ORG",),
                "shares held",
                "{subject} holds or held shares in {object}",
            ),
            Relation(
                "gpe:organizations_founded",
                "GPE",
                ("ORG",),
                "organizations founded",
                "{subject} founded {object}",
            ),
            Relation(
                "gpe:holds_shares_in",
                "GPE",
                ("ORG",),
                "shares held",
                "{subject} holds or held shares in {object}",
            ),
            Relation(
                "gpe:member_of", "GPE", ("ORG",), "membership", "{subject} is or was a member of {object}"
            ),
        )
    }
)


def _read_predicates() -> dict[str, Predicate]:
    predicates = {}
    for line in _OFFICIAL.strip().splitlines():
        name, single, objects, inverse, stored, turn = line.split()
        predicates[name] = Predicate(
            name=name,
            subject_type=name.split(":")[0].upper(),
            object_types=tuple(objects.split(",")),
            single_valued=single == "1",
            inverse=None if inverse == "none" else inverse,
            stored_as=None if stored == "-" else stored,
            turn={"0": "no", "1": "swap", "-": "no", "symmetric": "symmetric"}[turn],  # type: ignore[arg-type]
        )
    return predicates


def _read_aliases() -> tuple[Alias, ...]:
    aliases = []
    for line in _ALIASES.strip().splitlines():
        reason, subjects, alias, name = line.split()
        types = ENTITY_TYPES if subjects == "ANY" else tuple(subjects.split(","))
        aliases.append(Alias(reason, types, alias, name))  # type: ignore[arg-type]
    return tuple(aliases)


PREDICATES: Mapping[str, Predicate] = MappingProxyType(_read_predicates())
ALIASES: tuple[Alias, ...] = _read_aliases()


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may hold between the two mentions of a pair.

    Attributes
    ----------
    relation : Relation
    subject : int
        Which mention of the pair is the subject: 0 or 1. Always 0 for a symmetric relation.
    """

    relation: Relation
    subject: int


@cache
def options(first_type: str, second_type: str) -> tuple[Option, ...]:
    """List what may hold between two mentions of these types, in either direction.

    Parameters
    ----------
    first_type, second_type : str
        The types of the mention that starts first and of the other.

    Returns
    -------
    tuple of Option
        In the ontology's order; empty where the types admit no relation.
    """
    found = []
    for relation in RELATIONS.values():
        if relation.admits(first_type, second_type):
            found.append(Option(relation, 0))
        if relation.admits(second_type, first_type) and not relation.symmetric:
            found.append(Option(relation, 1))
    return tuple(found)
