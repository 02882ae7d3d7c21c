"""Checking a file of somebody without an account: read while they wait, by a child process, and not kept."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, cast

from django.core.files import File

from annotations.models import Corpus
from evaluation.reading import isolated
from evaluation.submissions.texts import text_file
from evaluation.task import Task
from kbpo.core.database.locks import claim
from kbpo.core.errors import InvalidInput, NotAllowed, TooLarge, TryAgain

MOST_BYTES = 1_000_000  # of a file, plain or compressed
AT_ONCE = 2  # files of visitors that are read
#: A request waits for it, so that it is less than what a submission may cost.
LIMITS = isolated.Limits(cpu_seconds=8, seconds=15.0, memory=1 << 30, output=1 << 25)


def corpora() -> list[Corpus]:
    """Return the corpora against which visitors check files: those whose texts everybody may read."""
    return list(Corpus.objects.filter(texts=Corpus.Texts.PUBLIC).order_by("created_at", "pk"))


def check(*, file: "File[bytes]", corpus: Corpus, task: Task, format: str = "") -> isolated.Outcome:
    """Read a file as if it were submitted, and say what was found; nothing is stored.

    Parameters
    ----------
    file : File
    corpus : Corpus
        One of `corpora`.
    task : Task
        Its.
    format : str
        Recognised if left out.

    Raises
    ------
    NotAllowed
        The corpus' texts are not everybody's to read.
    TooLarge
        The file is larger than a visitor's may be.
    InvalidInput
        It is empty, or there is no such format.
    TryAgain
        As many files of visitors are read as may be at a time.
    """
    if corpus.texts != Corpus.Texts.PUBLIC:
        raise NotAllowed(f"Sign in to check a file against {corpus}: its texts are not everybody's to read.")
    if file.size > MOST_BYTES:
        raise TooLarge(
            f"{file.name} has {file.size:,} bytes; without an account it may have {MOST_BYTES:,}."
            " With one it may have 500 MB."
        )
    if not file.size:
        raise InvalidInput("the file is empty: choose another", where="file")
    task.check_corpus(corpus)
    stream = cast(BinaryIO, file.file)
    format = format or task.reader.recognise(stream)
    if format not in task.reader.formats:
        raise InvalidInput(f"{format!r} is not one of {', '.join(task.reader.formats)}", where="format")
    with _turn():
        try:
            return isolated.read(
                stream,
                reader=task.reader,
                format=format,
                texts=text_file(corpus),
                about=task.about(corpus),
                limits=LIMITS,
            )
        except isolated.NotInTime as error:
            raise TryAgain(
                f"The file was not read within {LIMITS.seconds:g} seconds: others need the service as well."
                " Try again in a moment, or with an account, where a file has more time."
            ) from error


@contextmanager
def _turn() -> Iterator[None]:
    """Take one of the places for files of visitors."""
    with ExitStack() as stack:
        if not any(stack.enter_context(claim(f"reading for visitors, {n}")) for n in range(AT_ONCE)):
            raise TryAgain("The files of other visitors are being read: try again in a moment.")
        yield
