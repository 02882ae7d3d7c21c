"""Write what was read of a knowledge base as one without faults, in the format of 2016."""

from collections.abc import Iterator
from decimal import Decimal

from kbpo_formats.corpus import Documents
from kbpo_formats.errors import InvalidInput
from kbpo_formats.kbp.predictions import ReadPrediction
from kbpo_formats.kbp.tac.entities import CANONICAL, NAMED, NOMINAL, Entity
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.reader import Reading
from kbpo_formats.kbp.tac.syntax import LIMITS, PlaceReader

_KINDS = {CANONICAL: "canonical_mention", NAMED: "mention", NOMINAL: "nominal_mention"}

Triple = tuple[str, str, str]


def write(reading: Reading, documents: Documents) -> Iterator[str]:
    """Write an accepted file anew, with every repair made and every line that was dropped left out.

    Read again (as `tac2016`), the lines give the same predictions in the same order, their line numbers
    aside. Two kinds of warnings remain, for they are about the claims, not about how they are written: a
    relation with several justifications, each an instance of its own (DUPLICATE_ASSERTION), and several
    values of a predicate that takes one (MULTIPLE_FILLS_ENTITY). Both only where the file has them.

    Parameters
    ----------
    reading : Reading
        Accepted.
    documents : Documents
        Those that it was read with.

    Yields
    ------
    str
        A line, with its line end: the run id; each entity that is mentioned, with its type, links and
        mentions, each as the document has it; each prediction as a relation by its predicate's name, and its
        inverse where no prediction says it.

    Raises
    ------
    InvalidInput
        If the reading is not accepted.
    """
    if not reading.accepted:
        raise InvalidInput("the file was refused, so there is nothing to write", where="reading")
    yield f"{reading.run_id}\n"
    for entity in reading.entities:
        if entity.mentions:
            yield from _entity(entity, documents)
    yield from _relations(reading, documents)


def _entity(entity: Entity, documents: Documents) -> Iterator[str]:
    name = entity.name
    yield f"{name}\ttype\t{entity.type}\n"
    for base, id in entity.links.items():
        yield f"{name}\tlink\t{_quoted(f'{base}:{id}')}\n"
    for doc_id, mentions in entity.mentions.items():
        text = documents.text(doc_id)
        said = dict.fromkeys((kind, span) for kind, span, _ in mentions.asserted() if kind != CANONICAL)
        if mentions.canonical is not None:
            if not {(NAMED, mentions.canonical), (NOMINAL, mentions.canonical)} & said.keys():
                said[NAMED, mentions.canonical] = None
            said[CANONICAL, mentions.canonical] = None
        for kind, (start, end) in said:
            string = _quoted(" ".join(text[start:end].split()))
            yield f"{name}\t{_KINDS[kind]}\t{string}\t{doc_id}:{start}-{end - 1}\n"


def _relations(reading: Reading, documents: Documents) -> Iterator[str]:
    # The provenance was read without errors, so its warnings were reported already.
    places = PlaceReader(documents, LIMITS["tac2016"], ProblemLog("tac2016"))
    said = {_triple(prediction) for prediction in reading.predictions}
    for prediction in reading.predictions:
        provenance = ",".join(map(str, places.read(prediction.provenance, prediction.line) or ()))
        rest = f"{provenance}\t{_decimal(prediction.confidence)}\n"
        predicate, subject, object_ = _triple(prediction)
        if prediction.object_canonical is None:
            yield f"{subject}\t{predicate}\t{_quoted(object_)}\t{rest}"
            continue
        yield f"{subject}\t{predicate}\t{object_}\t{rest}"
        inverse = _inverse(predicate, object_, reading)
        if inverse is not None and (inverse, object_, subject) not in said:
            said.add((inverse, object_, subject))
            yield f"{object_}\t{inverse}\t{subject}\t{rest}"


def _triple(prediction: ReadPrediction) -> Triple:
    ends = prediction.subject_entity, prediction.object_entity
    subject, object_ = reversed(ends) if prediction.turned else ends
    return prediction.official, subject, object_


def _inverse(predicate: str, object_: str, reading: Reading) -> str | None:
    entity = reading.entities.get(object_)
    if entity is None or entity.type is None:
        return None
    inverse = reading.vocabulary.verbs[predicate].inverses.get(entity.type)
    return None if inverse is None else inverse.name


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _decimal(confidence: float) -> str:
    return f"{Decimal(repr(confidence)):f}"
