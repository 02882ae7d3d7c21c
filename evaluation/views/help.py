"""How it all works, in short words, with one file of the demo walked through."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.data import files as corpus_files
from annotations.models import Corpus
from annotations.ontologies import plain_ontology_of
from annotations.roles import Person
from evaluation.registry import TASKS
from evaluation.starting import KIT
from evaluation.submissions.progress import HEADINGS
from evaluation.task import Task
from evaluation.views import walk
from evaluation.views.data import Listed, list_files
from kbpo.core.revalidating import public_page
from kbpo_formats import schemas
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.ontology import MentionType, Ontology, Relation

MEANINGS = {
    "uploaded": "The file is here and waits for its reader, for seconds.",
    "refused": "The file has errors. Nothing was judged, no quota used; correct it and submit it again.",
    "accepted": "It was read. Its page says what judging would take; you say whether it is to begin.",
    "judging": "A sample of it was drawn and is being judged. The page says how far it is.",
    "scored": "Its scores are there. They become sharper as later systems bring more that is judged.",
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


@dataclass(frozen=True, slots=True)
class Steps:
    """What a newcomer to a task begins with.

    Attributes
    ----------
    task : Task
    corpus : Corpus or None
        The first whose texts everybody may read; None without one.
    files : sequence of Listed
        Of it, to be downloaded now: texts, an example of a file, a small system.
    examples : sequence of str
        Names of the files of this page that are of the task's form.
    """

    task: Task
    corpus: Corpus | None
    files: Sequence[Listed]
    examples: Sequence[str]


def read_steps(person: Person) -> list[Steps]:
    """Read what newcomers begin with, task by task."""
    first: dict[str, Corpus] = {}
    for corpus in Corpus.objects.filter(texts=Corpus.Texts.PUBLIC).order_by("created_at", "pk"):
        first.setdefault(corpus.task, corpus)
    found = []
    for task in TASKS.values():
        one = first.get(task.name)
        wanted = {corpus_files.TEXTS, KIT, *(sample.name for sample in task.samples.values())}
        files = (
            [file for file in list_files(one, person) if file.is_open and file.name in wanted] if one else []
        )
        found.append(Steps(task, one, files, _examples(task)))
    return found


def _examples(task: Task) -> Sequence[str]:
    """Return the names of the page's files that are of a task's form."""
    if task.has_prompt:
        return ("outputs.jsonl", "metrics.tsv")
    return ("classes.jsonl",) if task.has_classes else ("corpus.jsonl", "claims.jsonl")


@require_safe
@public_page
def help(request: HttpRequest) -> HttpResponse:
    """Show the help page."""
    context = {
        "newcomers": read_steps(request.user),
        "document": walk.DOCUMENT,
        "text": walk.TEXT,
        "steps": walk.CLAIMS,
        "tac_steps": walk.TAC,
        "class_line": walk.CLASSES,
        "output_line": walk.OUTPUTS,
        "metric_lines": walk.METRICS,
        "states": [(HEADINGS[state], words) for state, words in MEANINGS.items()],
        "ontologies": read_ontologies(),
    }
    return render(request, "evaluation/help.html", context)


@require_safe
@public_page
def example(request: HttpRequest, name: str) -> HttpResponse:
    """Send a file of the help page, to be kept."""
    found = walk.FILES.get(name)
    if found is None:
        raise Http404("no such example")
    return _download(name, found, "text/plain; charset=utf-8")


@require_safe
@public_page
def schema(request: HttpRequest, task: str) -> HttpResponse:
    """Send the JSON Schema of a line of a task's files."""
    if task not in schemas.TASKS:
        raise Http404("no such task")
    return _download(f"{task}.json", schemas.schema_text(task), "application/schema+json")


def _download(name: str, text: str, content_type: str) -> HttpResponse:
    disposition = f'attachment; filename="{name}"'
    return HttpResponse(text, content_type, headers={"Content-Disposition": disposition})
