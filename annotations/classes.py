"""Lists of classes: stored once, given to a corpus before anything is asked about it."""

from pathlib import Path

from django.db import transaction

from annotations.models import ClassList, Corpus
from annotations.texts.classes import MOST_BYTES, read_classes
from kbpo.core.errors import Conflict, InvalidInput


@transaction.atomic
def load_classes(*, path: Path | str, corpus: Corpus) -> ClassList:
    """Store the list of classes of a file, if it is not there, and give it to a corpus that has none.

    Raises
    ------
    InvalidInput
        If the file cannot be read or holds no such list; says what would be right.
    Conflict
        If that version of the list is there and says something else, or the corpus has another list.
    """
    where = Path(path).name
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", where=where) from error
    if len(data) > MOST_BYTES:
        raise InvalidInput(f"has more than {MOST_BYTES:,} bytes; it can hold no more", where=where)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("is not UTF-8", where=where) from None
    record = read_classes(text, where=where)
    found, _ = ClassList.objects.get_or_create(
        name=record.name,
        version=record.version,
        defaults={
            "digest": record.digest,
            "cannot_tell": record.cannot_tell,
            "classes": record.as_json(),
        },
    )
    if found.digest != record.digest:
        raise Conflict(
            f"version {record.version} of the classes {record.name} is there already, and says something"
            f" else: give what has changed the version {record.version + 1}"
        )
    corpus = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    if corpus.classes_id not in (None, found.pk):
        raise Conflict(f"the corpus {corpus.tag} has the classes {corpus.classes}; it keeps them")
    Corpus.objects.filter(pk=corpus.pk).update(classes=found)
    return found
