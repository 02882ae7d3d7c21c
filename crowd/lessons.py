"""Which tutorial teaches a piece of work: its interface's, under its corpus' ontology."""

from annotations import ontologies
from annotations.models import Corpus
from crowd.interfaces.registry import INTERFACES, find_tutorial
from crowd.models import HitBatch, TutorialAttempt
from crowd.models.qualification import Skill
from crowd.tutorials.lesson import Tutorial
from kbpo_formats.ontologies import builtin


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
