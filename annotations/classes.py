"""Lists of classes: stored once, given to a corpus before anything is asked about it."""

from pathlib import Path

from django.db import transaction

from annotations.models import ClassList, Corpus
from annotations.texts.classes import read_classes
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
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot be read: {error}", where=str(path)) from error
    record = read_classes(text, where=str(path))
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
    corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
    if corpus.classes_id not in (None, found.pk):
        raise Conflict(f"the corpus {corpus.tag} has the classes {corpus.classes}; it keeps them")
    Corpus.objects.filter(pk=corpus.pk).update(classes=found)
    return found
