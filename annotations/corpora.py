"""Loading a corpus, and what experts say of its documents."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models.functions import Length
from django.utils import timezone
from psycopg.types.json import Jsonb

from annotations import ontologies, prompts
from annotations.models import (
    AnnotatedMention,
    AnnotatedRelation,
    Corpus,
    Document,
    DocumentAnnotation,
    Input,
    Sentence,
)
from annotations.models.corpus import DEFAULT_TASK
from annotations.policies.registry import DEFAULT as DEFAULT_POLICY
from annotations.policies.registry import find_policy
from annotations.texts import jsonlines
from annotations.texts.inputs import InputRecord, PromptRecord, read_input
from annotations.texts.languages import DEFAULT, read_language
from annotations.texts.records import AnnotationRecord, DocumentRecord, read_annotation, read_document
from annotations.texts.segmentation import segment
from kbpo.accounts.models import User
from kbpo.core import acts
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import copy_rows, reserve_ids
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_formats.ontologies.builtin import DEFAULT as DEFAULT_ONTOLOGY
from kbpo_formats.ontologies.faults import Fault, Faulty

BATCH = 200
AUDIT_SHARE = 0.1
"""Of a new corpus' settled questions, that are audited."""

MOST_FAULTS = 50
"""Of a file of inputs, that are said at once."""

Record = TypeVar("Record", DocumentRecord, AnnotationRecord, InputRecord)


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What loading a corpus file did."""

    corpus: Corpus
    created: int
    unchanged: int
    sentences: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a corpus as it is loaded. What is left empty stays as it is."""

    description: str = ""
    licence: str = ""
    source: str = ""
    texts: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationReport:
    """What loading an annotations file did. Mentions and relations are those of the created annotations."""

    corpus: Corpus
    created: int
    unchanged: int
    mentions: int
    relations: int


@dataclass(frozen=True, slots=True)
class _Line(Generic[Record]):
    where: str
    record: Record


@transaction.atomic
def load_corpus(
    *,
    path: Path | str,
    tag: str,
    name: str = "",
    task: str | None = None,
    design: str | None = None,
    language: str | None = None,
    policy: str | None = None,
    audit_share: float | None = None,
    ontology: str | None = None,
    prompt: PromptRecord | None = None,
    said: Said | None = None,
    limits: jsonlines.Limits | None = None,
    is_new: bool = False,
    by: User | None = None,
) -> LoadReport:
    """Load documents into a corpus, which is made if there is none with this tag; all of them or none.

    Memory holds a batch of documents and the ids of all. A file may bring new documents to a corpus that
    is there; a caller that knows that the corpus must not grow looks at `LoadReport.created`, within a
    transaction of its own. A document that is there never changes.

    Parameters
    ----------
    path : path-like
        JSON Lines, gzip or not: `doc_id`, `title`, `date`, `text`, and `suggestions` if there are any; of a
        corpus with a prompt, what `annotations.texts.inputs.read_input` reads.
    tag : str
        The corpus' short name.
    name : str
        Its full name; the tag if a new corpus is given none.
    task : str, optional
        What its systems do; the caller knows which tasks there are. `kbp` if a new corpus is given none.
    design : {"coordinated", "iid"}, optional
        How it is sampled; `coordinated` if a new corpus is given none.
    language : str, optional
        In which it is written, as a tag of BCP 47; English if a new corpus is given none.
    policy : str, optional
        When its questions have votes enough: the name of one in `annotations.policies.registry`, the default
        there if a new corpus is given none.
    audit_share : float, optional
        Of its settled questions, that others answer again to learn how often judges err, from 0 to 1; if a
        new corpus is given none, `AUDIT_SHARE` under `coordinated` and 0 under `iid`, which has no audits.
    ontology : str, optional
        What its claims are made of: the name of one that is loaded, with a version or without. Without, a new
        corpus is given the newest, and one that is there keeps its own; `tac-kbp@1` if a new corpus is given
        none.
    said : Said, optional
        Its description, the licence and the source of its texts, and who may read them.
    limits : Limits, optional
        Of the file.
    is_new : bool
        Whether the corpus must not be there yet.
    by : User, optional
        Who loads it; somebody at the command line if left out.

    Raises
    ------
    InvalidInput
        If the tag, the design, the language, the policy, the ontology or the share of audits is none, or a
        line holds no document; names the line. Of a file of inputs it is `Faulty`, with every line.
    Conflict
        If the corpus is there and must not be; or it has another name, task, design, language, policy,
        ontology or share of audits, or something else is said of it, or a document differs from the one
        that is there; names it.
    """
    corpus = _corpus(
        tag,
        name=name,
        said=said or Said(),
        audit_share=audit_share,
        is_new=is_new,
        task=task,
        design=design,
        language=language and read_language(language).tag,
        policy=policy and find_policy(policy).name,
        ontology=ontology,
    )
    asked = prompts.give_prompt(corpus=corpus, record=prompt)
    batches = (
        _document_batches(path, corpus, limits)
        if asked is None
        else _input_batches(path, corpus, asked.name, limits)
    )
    created = unchanged = sentences = tokens = 0
    for new, inputs, seen in batches:
        ids, added_sentences, added_tokens = _copy_documents(corpus, new)
        _copy_inputs(ids, inputs)
        created += len(new)
        unchanged += seen - len(new)
        sentences += added_sentences
        tokens += added_tokens
    if not created + unchanged:
        raise InvalidInput("the file holds no documents; it must hold one a line", where=Path(path).name)
    analyse({Document: created, Sentence: sentences, Input: 0 if asked is None else created})
    if created:
        after = {"tag": tag, "documents": created}
        acts.record(acts.What.CORPUS_LOADED, by=by, about=corpus, after=after)
    return LoadReport(corpus, created, unchanged, sentences, tokens)


@transaction.atomic
def load_annotations(
    *, path: Path | str, corpus: Corpus, limits: jsonlines.Limits | None = None, by: User | None = None
) -> AnnotationReport:
    """Load what experts say of documents; all of the file or nothing.

    Parameters
    ----------
    path : path-like
        JSON Lines, gzip or not; `annotations.texts.records.read_annotation` says what a line holds.
    corpus : Corpus
        The corpus that holds the documents.
    limits : Limits, optional
        Of the file.
    by : User, optional
        Who loads them; somebody at the command line if left out.

    Raises
    ------
    InvalidInput
        If a line holds no annotation, its document is not in the corpus, or a span lies outside the text;
        names line, document and value.
    Conflict
        If an annotation differs from the loaded one; names the document.
    """
    corpus = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    created = unchanged = mentions = relations = 0
    reader = partial(read_annotation, ontology=ontologies.ontology_of(corpus))
    for batch in _batches(_lines(path, reader, limits)):
        documents = _annotated_documents(corpus, batch)
        loaded = _loaded_digests(
            DocumentAnnotation.objects.filter(
                document__corpus=corpus, source=DocumentAnnotation.Source.EXPERT
            ),
            "document__doc_id",
            batch,
        )
        new = _only_new(batch, loaded, f"the annotation of that document in {corpus.tag}")
        _copy_annotations(new, documents)
        created += len(new)
        unchanged += len(batch) - len(new)
        mentions += sum(len(record.mentions) for record in new)
        relations += sum(len(record.relations) for record in new)
    if not created + unchanged:
        raise InvalidInput(
            "the file holds no annotations; it must hold one document a line", where=Path(path).name
        )
    analyse({DocumentAnnotation: created, AnnotatedMention: mentions, AnnotatedRelation: relations})
    if created:
        after = {"tag": corpus.tag, "documents": created}
        acts.record(acts.What.ANNOTATIONS_LOADED, by=by, about=corpus, after=after)
    return AnnotationReport(corpus, created, unchanged, mentions, relations)


def _corpus(
    tag: str,
    *,
    name: str,
    said: Said,
    audit_share: float | None,
    ontology: str | None,
    is_new: bool,
    **given: str | None,
) -> Corpus:
    name = " ".join(name.split())
    wanted = ontologies.find_version(DEFAULT_ONTOLOGY if ontology is None else ontology)
    if audit_share is not None and not 0 <= audit_share <= 1:
        raise InvalidInput(f"is {audit_share!r}; it must be from 0 to 1", where="--audit-share")
    corpus = Corpus.objects.select_for_update(no_key=True).filter(tag=tag).first()
    if corpus is None:
        may_audit = given["design"] in (None, Corpus.Design.COORDINATED)
        if audit_share and not may_audit:
            raise InvalidInput(
                f"is {audit_share!r}, and the design {given['design']!r}: only under coordinated are labels"
                " audited; leave it out, or give 0",
                where="--audit-share",
            )
        new = Corpus(
            tag=tag,
            name=name or tag,
            task=given["task"] or DEFAULT_TASK,
            design=given["design"] or Corpus.Design.COORDINATED,
            language=given["language"] or DEFAULT,
            policy=given["policy"] or DEFAULT_POLICY,
            audit_share=(AUDIT_SHARE if may_audit else 0.0) if audit_share is None else audit_share,
            ontology=wanted,
            **{field: value for field, value in asdict(said).items() if value},
        )
        _clean(new)
        # Somebody else may be making it: wait for them, and go on with theirs.
        Corpus.objects.bulk_create([new], ignore_conflicts=True)
        corpus = Corpus.objects.select_for_update(no_key=True).get(tag=tag)
        is_new = is_new and corpus.documents.exists()
    if is_new:
        raise Conflict(f"there is a corpus {tag} already: choose another tag")
    if audit_share is not None and audit_share != corpus.audit_share:
        raise Conflict(
            f"the corpus {tag} is there already, and of its questions {corpus.audit_share!r} are audited, not"
            f" {audit_share!r}"
        )
    for field, value in {"name": name, **given}.items():
        if value and value != getattr(corpus, field):
            raise Conflict(
                f"the corpus {tag} is there already, and its {field} is {getattr(corpus, field)!r}, "
                f"not {value!r}"
            )
    if ontology and not ontologies.is_named(corpus.ontology.reference, ontology):
        raise Conflict(f"the corpus {tag} is there already, and its ontology is {corpus.ontology}")
    _add_what_is_said(corpus, said)
    return corpus


def _add_what_is_said(corpus: Corpus, said: Said) -> None:
    """Store what nothing was said of before; refuse what says something else."""
    added = []
    for field, value in asdict(said).items():
        stored = getattr(corpus, field)
        if value and stored and value != stored:
            raise Conflict(
                f"the corpus {corpus.tag} is there already, and its {field} is {stored!r:.200}, not"
                f" {value!r:.200}; its organiser changes that at the desk"
            )
        if value and not stored:
            setattr(corpus, field, value)
            added.append(field)
    if added:
        _clean(corpus)
        corpus.save(update_fields=added)


def _clean(corpus: Corpus) -> None:
    try:
        corpus.full_clean(validate_unique=False)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise InvalidInput(f"the corpus' {field} is {getattr(corpus, field)!r}: {messages[0]}") from None


def _lines(
    path: Path | str, reader: Callable[..., Record], limits: jsonlines.Limits | None
) -> Iterator[_Line[Record]]:
    first_lines: dict[str, int] = {}
    for number, value in jsonlines.read(path, limits):
        where = jsonlines.place(path, number)
        record = reader(value, where=where)
        if record.doc_id in first_lines:
            raise InvalidInput(
                f"document {record.doc_id} is there twice, first on line {first_lines[record.doc_id]}",
                where=where,
            )
        first_lines[record.doc_id] = number
        yield _Line(where, record)


def _document_batches(
    path: Path | str, corpus: Corpus, limits: jsonlines.Limits | None
) -> Iterator[tuple[list[DocumentRecord], list[InputRecord], int]]:
    """Yield the new documents of a file, some at a time, no inputs, and how many were read."""
    reader = partial(read_document, ontology=ontologies.ontology_of(corpus))
    for batch in _batches(_lines(path, reader, limits)):
        loaded = _loaded_digests(Document.objects.filter(corpus=corpus), "doc_id", batch)
        yield _only_new(batch, loaded, f"the document of that name in {corpus.tag}"), [], len(batch)


def _input_batches(
    path: Path | str, corpus: Corpus, prompt: str, limits: jsonlines.Limits | None
) -> Iterator[tuple[list[DocumentRecord], list[InputRecord], int]]:
    """Do the same of a file of inputs, with these; all its faults are said before anything is stored."""
    reader = partial(read_input, prompt=prompt)
    _refuse_faults(path, reader, limits)
    stored = Input.objects.filter(document__corpus=corpus)
    for batch in _batches(_lines(path, reader, limits)):
        loaded = _loaded_digests(stored, "document__doc_id", batch)
        new = _only_new(batch, loaded, f"the input of that name in {corpus.tag}")
        yield [one.document for one in new], new, len(batch)


def _refuse_faults(
    path: Path | str, reader: Callable[..., InputRecord], limits: jsonlines.Limits | None
) -> None:
    """Raise `Faulty` with whatever is wrong with a file, by line, unless nothing is."""
    faults: list[Fault] = []
    first_lines: dict[str, int] = {}
    number = 0
    try:
        for number, value in jsonlines.read(path, limits):
            try:
                doc_id = reader(value, where="").doc_id
                if first_lines.setdefault(doc_id, number) != number:
                    raise InvalidInput(f"input {doc_id} is there twice, first on line {first_lines[doc_id]}")
            except InvalidInput as error:
                faults.append(Fault(number, str(error)))
            if len(faults) == MOST_FAULTS:
                faults.append(Fault(number, "here reading ended: mend these first"))
                break
    except InvalidInput as error:
        if not faults:
            raise
        faults.append(Fault(number + 1, str(error)))
    if faults:
        raise Faulty(faults, where=Path(path).name)


def _batches(lines: Iterator[_Line[Record]]) -> Iterator[list[_Line[Record]]]:
    while batch := list(islice(lines, BATCH)):
        yield batch


def _loaded_digests(rows: models.QuerySet[Any], field: str, batch: Sequence[_Line[Record]]) -> dict[str, str]:
    wanted = [line.record.doc_id for line in batch]
    return dict(rows.filter(**{f"{field}__in": wanted}).values_list(field, "digest"))


def _only_new(batch: Sequence[_Line[Record]], loaded: dict[str, str], what: str) -> list[Record]:
    new = []
    for line in batch:
        digest = loaded.get(line.record.doc_id)
        if digest is None:
            new.append(line.record)
        elif digest != line.record.digest:
            raise Conflict(
                f"{line.where}: {line.record.doc_id} differs from {what}; what is loaded never changes"
            )
    return new


def _copy_documents(corpus: Corpus, records: Sequence[DocumentRecord]) -> tuple[list[int], int, int]:
    ids = reserve_ids(Document, len(records))
    copy_rows(
        Document,
        ("id", "corpus_id", "doc_id", "title", "date", "text", "suggestions", "digest"),
        (
            (
                pk,
                corpus.pk,
                record.doc_id,
                record.title,
                record.date,
                record.text,
                Jsonb([one.as_json() for one in record.suggestions]),
                record.digest,
            )
            for pk, record in zip(ids, records, strict=True)
        ),
    )
    segmented = list(segment([record.text for record in records], corpus.language))
    copy_rows(
        Sentence,
        ("document_id", "index", "start", "end", "token_starts", "token_ends"),
        (
            (pk, index, sentence.start, sentence.end, sentence.token_starts, sentence.token_ends)
            for pk, sentences in zip(ids, segmented, strict=True)
            for index, sentence in enumerate(sentences)
        ),
    )
    tokens = sum(len(sentence.token_starts) for sentences in segmented for sentence in sentences)
    return ids, sum(map(len, segmented)), tokens


def _copy_inputs(ids: Sequence[int], records: Sequence[InputRecord]) -> None:
    if not records:
        return
    rows = []
    for pk, record in zip(ids, records, strict=True):
        question, *lists, digest = prompts.row_of(record)
        rows.append((pk, None if question is None else Jsonb(question), *map(Jsonb, lists), digest))
    copy_rows(Input, ("document_id", "question", "passages", "references", "digest"), rows)


def _annotated_documents(corpus: Corpus, batch: Sequence[_Line[AnnotationRecord]]) -> dict[str, int]:
    """Find the documents' ids; refuse those that are missing, and spans that they do not have."""
    found = {
        doc_id: (pk, length)
        for doc_id, pk, length in Document.objects.filter(
            corpus=corpus, doc_id__in=[line.record.doc_id for line in batch]
        ).values_list("doc_id", "pk", Length("text"))
    }
    for line in batch:
        if line.record.doc_id not in found:
            raise InvalidInput(
                f"document {line.record.doc_id} is not in the corpus {corpus.tag}; load the corpus first",
                where=line.where,
            )
        line.record.check_within(found[line.record.doc_id][1], where=line.where)
    return {doc_id: pk for doc_id, (pk, _) in found.items()}


def _copy_annotations(records: Sequence[AnnotationRecord], documents: dict[str, int]) -> None:
    ids = reserve_ids(DocumentAnnotation, len(records))
    now = timezone.now()
    copy_rows(
        DocumentAnnotation,
        ("id", "document_id", "source", "digest", "loaded_at", "completed_at"),
        (
            (pk, documents[record.doc_id], DocumentAnnotation.Source.EXPERT.value, record.digest, now, now)
            for pk, record in zip(ids, records, strict=True)
        ),
    )
    copy_rows(
        AnnotatedMention,
        ("annotation_id", "start", "end", "type", "canonical_start", "canonical_end", "link"),
        (
            (pk, *mention.span, mention.type, *mention.canonical, mention.link)
            for pk, record in zip(ids, records, strict=True)
            for mention in record.mentions
        ),
    )
    copy_rows(
        AnnotatedRelation,
        ("annotation_id", "predicate", "subject_start", "subject_end", "object_start", "object_end"),
        (
            (pk, relation.predicate, *relation.subject, *relation.object)
            for pk, record in zip(ids, records, strict=True)
            for relation in record.relations
        ),
    )
