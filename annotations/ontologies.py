"""Ontologies: loaded, found, and as a corpus has them, with guidelines of its own."""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.apps import apps as present
from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotations.models import Corpus, CorpusGuidelines, Document, OntologyVersion
from kbpo.accounts.models import User
from kbpo.core import acts
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.ontologies import builtin
from kbpo_formats.ontologies.normal import (
    compute_digest,
    read_examples,
    read_normal,
    write_examples,
    write_normal,
)
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.ontologies.reading import MOST_BYTES, Guidelines, read_guidelines, read_ontology

#: Of an ontology without such examples, for whoever loads it and for the desk.
UNTAUGHT = (
    "has no examples to be practised, so there is no tutorial, and nobody can be let in to its paid work:"
    " give a corpus some of its own (load_guidelines), or load a version that has some. Annotators and"
    " experts of the site can answer without."
)


@dataclass(frozen=True, slots=True)
class LoadedOntology:
    """What loading a file did: the version, what it says, and whether it was not there before."""

    stored: OntologyVersion
    ontology: Ontology
    is_new: bool


@transaction.atomic
def load_ontology(*, path: Path | str, by: User | None = None) -> LoadedOntology:
    """Load a version of an ontology, once.

    Parameters
    ----------
    path : path-like
        TOML; docs/ontologies/README.md describes it.
    by : User, optional
        Who loads it; somebody at the command line if left out.

    Raises
    ------
    InvalidInput
        If the file cannot be read or is refused (`Faulty`: with every fault, and its line).
    Conflict
        If that version is there already and says something else.
    """
    ontology = read_ontology(_read_file(path), where=str(path))
    is_new = not OntologyVersion.objects.filter(pk=ontology.reference).exists()
    # Somebody else may be loading it: wait for them, and compare.
    _store([ontology], OntologyVersion)
    stored = OntologyVersion.objects.get(pk=ontology.reference)
    if stored.digest != compute_digest(ontology):
        raise Conflict(
            f"{ontology.reference} is there already and says something else (its digest is"
            f" {stored.digest[:12]}…, this one's {compute_digest(ontology)[:12]}…); give it another version"
        )
    if is_new:
        after = {"digest": stored.digest}
        acts.record(acts.What.ONTOLOGY_LOADED, by=by, about=stored, after=after)
    return LoadedOntology(stored, ontology, is_new)


def find_version(reference: str) -> OntologyVersion:
    """Return the version of an ontology that is named: ``tac-kbp@1``, or ``tac-kbp`` for the newest.

    Raises
    ------
    InvalidInput
        If there is none; the message lists those there are.
    """
    found = [one for one in OntologyVersion.objects.defer("content") if is_named(one.reference, reference)]
    if not found:
        known = ", ".join(OntologyVersion.objects.values_list("reference", flat=True))
        raise InvalidInput(f"unknown ontology {reference!r:.80}; known are {known}")
    return max(found, key=lambda one: one.version)


def is_named(reference: str, given: str) -> bool:
    """Say whether what somebody gives, with a version or without, names an ontology.

    Examples
    --------
    >>> is_named("tac-kbp@2", "tac-kbp"), is_named("tac-kbp@2", "tac-kbp@1")
    (True, False)
    """
    return given in (reference, reference.partition("@")[0])


def ontology_of(corpus: Corpus) -> Ontology:
    """Return a corpus' ontology, with its own guidelines and examples where it has some."""
    return ontology_under(corpus, newest_of(corpus))


def of_documents(documents: Collection[int]) -> dict[int, Ontology]:
    """Return the ontology of each document's corpus, by the documents' ids, without a corpus' own guidelines.

    Whoever reads answers and claims needs its types and relations alone, which no corpus can change.
    """
    rows = Document.objects.filter(pk__in=documents).values_list(
        "pk", "corpus__ontology", "corpus__ontology__digest"
    )
    return {pk: _read(reference, digest) for pk, reference, digest in rows}


def newest_of(corpus: Corpus) -> CorpusGuidelines | None:
    """Return a corpus' own guidelines; None where it has the ontology's."""
    return CorpusGuidelines.objects.filter(corpus=corpus).order_by("-version").first()


def plain_ontology_of(corpus: Corpus) -> Ontology:
    """Return a corpus' ontology without guidelines of its own: claims need types and relations alone."""
    return ontology_under(corpus, None)


def ontology_under(corpus: Corpus, own: CorpusGuidelines | None) -> Ontology:
    """Return a corpus' ontology as it was under guidelines of its own; None: without any."""
    return find_under(str(corpus.ontology_id), own)


def find_under(reference: str, own: CorpusGuidelines | None) -> Ontology:
    """Return a version of an ontology as it was under a corpus' own guidelines; None: without any."""
    ontology = _stored_ontology(reference)
    return ontology if own is None else _with_guidelines(ontology, own.content)


@transaction.atomic
def load_guidelines(*, path: Path | str, corpus: Corpus, by: User | None = None) -> CorpusGuidelines:
    """Give a corpus guidelines and examples of its own, instead of those that it had; the same do nothing.

    Parameters
    ----------
    path : path-like
        TOML; docs/ontologies/README.md describes it.
    corpus : Corpus
    by : User, optional
        Who gives them; somebody at the command line if left out.

    Raises
    ------
    InvalidInput
        If the file cannot be read or is refused (`Faulty`: with every fault, and its line).
    """
    data = _read_file(path)
    corpus = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    content = _write_guidelines(
        read_guidelines(data, _stored_ontology(str(corpus.ontology_id)), where=str(path))
    )
    newest = newest_of(corpus)
    if newest is not None and newest.content == content:
        return newest
    made = CorpusGuidelines.objects.create(
        corpus=corpus,
        version=1 if newest is None else newest.version + 1,
        digest=hashlib.sha256(content.encode()).hexdigest(),
        content=content,
        made_by=by,
    )
    after = {"version": made.version, "digest": made.digest}
    acts.record(acts.What.GUIDELINES_CHANGED, by=by, about=corpus, after=after)
    return made


def newest_guidelines(corpus: str) -> Subquery:
    """Return SQL for the id of a corpus' own guidelines, null for none; `corpus` is the way to it."""
    newest = CorpusGuidelines.objects.filter(corpus=OuterRef(corpus)).order_by("-version")
    return Subquery(newest.values("pk")[:1])


def store_builtin_after_migrating(apps: Any = present, **_: object) -> None:
    """Store the built-in ontologies where a database has them not: a new one, or one that was emptied."""
    try:
        model = apps.get_model("annotations", "OntologyVersion")
    except LookupError:  # migrated back to before there were any
        return
    _store(builtin.builtin_ontologies(), model)


def _store(ontologies: Iterable[Ontology], model: type[OntologyVersion]) -> None:
    model._default_manager.bulk_create(
        [
            model(
                reference=one.reference,
                name=one.name,
                version=one.version,
                digest=compute_digest(one),
                content=write_normal(one),
            )
            for one in ontologies
        ],
        ignore_conflicts=True,
    )


def _stored_ontology(reference: str) -> Ontology:
    if reference in builtin.DIGESTS:
        return builtin.read_builtin(reference)
    versions = OntologyVersion.objects.filter(pk=reference)
    return _read_version(versions.values_list("digest", flat=True).get())


def _read(reference: str, digest: str) -> Ontology:
    return builtin.read_builtin(reference) if reference in builtin.DIGESTS else _read_version(digest)


@lru_cache(maxsize=64)
def _read_version(digest: str) -> Ontology:
    return read_normal(OntologyVersion.objects.values_list("content", flat=True).get(digest=digest))


@lru_cache(maxsize=64)
def _with_guidelines(ontology: Ontology, content: str) -> Ontology:
    own = json.loads(content)
    of_types, of_relations = own["types"], own["relations"]
    return replace(
        ontology,
        types=tuple(replace(one, guideline=of_types.get(one.name, one.guideline)) for one in ontology.types),
        relations=tuple(
            replace(one, guideline=of_relations.get(one.name, one.guideline)) for one in ontology.relations
        ),
        examples=ontology.examples if own["examples"] is None else read_examples(own["examples"]),
    )


def _write_guidelines(own: Guidelines) -> str:
    examples = None if own.examples is None else write_examples(own.examples)
    value = {"types": own.of_types, "relations": own.of_relations, "examples": examples}
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _read_file(path: Path | str) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", where=str(path)) from error
