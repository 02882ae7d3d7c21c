"""Which tutorial teaches a piece of work: its interface's, under its corpus' ontology and guidelines."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotations import ontologies
from annotations.models import Corpus
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import INTERFACES, find_tutorial
from crowd.models import HitBatch, TutorialAttempt, WorkerQualification
from crowd.models.qualification import Skill
from crowd.tutorials.lesson import Tutorial
from kbpo_formats.ontologies import builtin


@dataclass(frozen=True, slots=True)
class OwnTutorial:
    """A tutorial beside those of the built-in ontology, and a corpus for which it is taken."""

    corpus: Corpus
    interface: Interface


def own_tutorials(asked: Iterable[tuple[Corpus, Iterable[Interface]]]) -> list[OwnTutorial]:
    """List the tutorials that corpora have of their own: one for each ontology and guidelines, or for all.

    Parameters
    ----------
    asked : iterable of (Corpus, iterable of Interface)
        Corpora, and the interfaces by which people are asked of them.
    """
    found: dict[object, OwnTutorial] = {}
    for corpus, interfaces in sorted(asked, key=lambda one: one[0].name):
        own = ontologies.newest_of(corpus)
        for interface in interfaces:
            teaching = interface.teaching
            if teaching is None or (
                teaching.by_ontology and own is None and corpus.ontology_id == builtin.DEFAULT
            ):
                continue
            under = (corpus.ontology_id, own) if teaching.by_ontology else None
            found.setdefault((interface.name, under), OwnTutorial(corpus, interface))
    return list(found.values())


def why_untaught(kind: str, corpus: Corpus) -> str:
    """Say why nobody can learn an interface for a corpus; empty: there is something to practise."""
    teaching = INTERFACES[kind].teaching if kind in INTERFACES else None
    if teaching is None or not teaching.by_ontology:
        return ""
    ontology = ontologies.ontology_of(corpus)
    return "" if ontology.has_practice else f"{ontology} {ontologies.UNTAUGHT}"


def why_for_nobody(kind: str, corpus: Corpus, *, provider: str) -> str:
    """Say why nobody may do a corpus' work: nobody has learned it, and nobody can; empty: somebody may."""
    why = why_untaught(kind, corpus)
    learned = WorkerQualification.objects.filter(provider=provider, kind=kind, ontology=corpus.ontology_id)
    return why if why and not learned.exists() else ""


def skill_of(batch: HitBatch) -> Skill:
    """Return what a worker must have learned to do a batch's work, or learns by it if it is a tutorial."""
    teaching = INTERFACES[batch.kind].teaching if batch.kind in INTERFACES else None
    by_ontology = teaching is not None and teaching.by_ontology
    return Skill(batch.kind, batch.corpus.ontology_id if by_ontology else None)


def lesson_of(kind: str, corpus: Corpus) -> Tutorial:
    """Return the tutorial of an interface as it is taught for a corpus now; errors as `find_teaching`."""
    return find_tutorial(kind, ontologies.ontology_of(corpus))


def lesson_of_attempt(attempt: TutorialAttempt) -> Tutorial:
    """Return the tutorial that somebody takes: with the examples with which they began."""
    reference = attempt.ontology_id or builtin.DEFAULT
    return find_tutorial(attempt.kind, ontologies.find_under(reference, attempt.guidelines))
