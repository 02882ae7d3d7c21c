"""How it all works, in short words, with one file of the demo walked through."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from annotations.ontologies import plain_ontology_of
from evaluation.registry import TASKS
from evaluation.submissions.progress import HEADINGS
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.ontology import MentionType, Ontology, Relation

DOCUMENT = "quill-profile"
TEXT = (
    "Ada Quill was born in Brackwater on 4 May 1979, in a house from which, at high water, one could fish."
    " She graduated from the Hollin Bay Maritime Academy and spent nine years as a ship's officer"
)


@dataclass(frozen=True, slots=True)
class Step:
    """Some lines of a file, and what they say."""

    lines: str
    words: str


#: From the file of needle, one of the demo's example systems: a submission in small, complete.
STEPS = (
    Step("needle\n", "The first line is the name of the run, one word."),
    Step(
        ":E0080\ttype\tPER\n:E0002\ttype\tGPE\n:E0037\ttype\tORG\n",
        "Each entity has a name, which only this file knows, and one of the ontology's types.",
    ),
    Step(
        ':E0080\tcanonical_mention\t"Ada Quill"\tquill-profile:0-8\n'
        ':E0080\tmention\t"Ada Quill"\tquill-profile:0-8\n'
        ':E0080\tnominal_mention\t"She"\tquill-profile:102-104\n'
        ':E0002\tcanonical_mention\t"Brackwater"\tquill-profile:22-31\n'
        ':E0002\tmention\t"Brackwater"\tquill-profile:22-31\n'
        ':E0037\tcanonical_mention\t"Hollin Bay Maritime Academy"\tquill-profile:125-151\n'
        ':E0037\tmention\t"Hollin Bay Maritime Academy"\tquill-profile:125-151\n',
        "Where each entity is mentioned: the string, the document's id, the first and the last character."
        " Counting begins at 0, and both ends belong to the mention. In each document one mention is the"
        " canonical one: the name by which the entity is best known there.",
    ),
    Step(
        ":E0080\tper:city_of_birth\t:E0002\tquill-profile:0-8,quill-profile:22-31\t0.9000\n",
        "A relation: Ada Quill was born in Brackwater. Then the places that say so, each holding a mention of"
        " one of the two, and how sure the system is, more than 0 and at most 1.",
    ),
    Step(
        ":E0080\tper:schools_attended\t:E0037\tquill-profile:102-104,quill-profile:125-151\t0.7000\n",
        "The places decide what is judged: here it is said of “She”, and an annotator sees that “She” marked."
        " Another line with other places would be another claim.",
    ),
    Step(
        ':E0080\tper:date_of_birth\t"1979-05-04"\tquill-profile:36-45,quill-profile:0-8\t0.9000\n',
        "What is no entity in the ontology, as a date or a title here, is a string. The string's own place"
        " comes first; a date is written as year, month and day, whatever the text has.",
    ),
)
EXAMPLE = "".join(step.lines for step in STEPS)

MEANINGS = {
    "uploaded": "The file is here and waits for its reader, for seconds.",
    "refused": "The file has errors. Nothing was judged, no quota used; mend the lines and hand it in again.",
    "accepted": "It was read. Its page says what judging would take; you say whether it is to begin.",
    "judging": "A sample of its claims was drawn and is being judged. The page says how far it is.",
    "scored": "Its scores are there. They become sharper as later systems bring more judged claims.",
    "failed": "We could not go on. The page says why; try again there, and any quota taken is given back.",
    "cancelled": "You took it back before anything was sampled. It cost nothing.",
    "withdrawn": "You took it back after its sample was drawn. It is hidden; what was judged stays judged.",
}


@dataclass(frozen=True, slots=True)
class ShownRelation:
    """A relation, the claim that it makes of A and B, and the other names by which files may state it."""

    relation: Relation
    words: str
    others: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShownOntology:
    """An ontology that corpora have.

    Attributes
    ----------
    ontology : Ontology
    anchor : str
        Its name on the page.
    corpora : sequence of Corpus
    types : sequence of MentionType
        Those that people mark.
    others : sequence of str
        Types that may stand in files too.
    relations : sequence of ShownRelation
    unscored : sequence of str
        Predicates that are read and not scored.
    """

    ontology: Ontology
    anchor: str
    corpora: Sequence[Corpus]
    types: Sequence[MentionType]
    others: Sequence[str]
    relations: Sequence[ShownRelation]
    unscored: Sequence[str]


def show_ontology(ontology: Ontology, corpora: Sequence[Corpus] = ()) -> ShownOntology:
    """Prepare an ontology for the page."""
    names: dict[str, list[str]] = {one.name: [] for one in ontology.relations}
    for predicate in ontology.predicates:
        for name in dict.fromkeys(stored for _, stored in predicate.stored_as):
            if predicate.name != name:
                names[name].append(predicate.name)
    return ShownOntology(
        ontology=ontology,
        anchor=f"{ontology.name}-{ontology.version}",
        corpora=corpora,
        types=ontology.mention_types,
        others=[one.name for one in ontology.entity_types if not one.is_asked],
        relations=[
            ShownRelation(one, one.statement.format(subject="A", object="B"), names[one.name])
            for one in ontology.relations
        ],
        unscored=[one.name for one in ontology.predicates if not one.stored_as],
    )


def read_ontologies() -> list[ShownOntology]:
    """Read the ontologies that corpora have, in the order of these; without any, that of a new corpus."""
    tasks = [task.name for task in TASKS.values() if task.has_ontology]
    found: dict[str, list[Corpus]] = {}
    for corpus in Corpus.objects.filter(task__in=tasks).order_by("created_at", "pk"):
        found.setdefault(str(corpus.ontology_id), []).append(corpus)
    if not found:
        return [show_ontology(read_builtin(DEFAULT))]
    return [show_ontology(plain_ontology_of(corpora[0]), corpora) for corpora in found.values()]


@require_safe
def help(request: HttpRequest) -> HttpResponse:
    """Show the help page."""
    context = {
        "document": DOCUMENT,
        "text": TEXT,
        "steps": STEPS,
        "states": [(HEADINGS[state], words) for state, words in MEANINGS.items()],
        "ontologies": read_ontologies(),
    }
    return render(request, "evaluation/help.html", context)
