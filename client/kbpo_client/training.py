"""Training data from an archive, for the command line."""

from pathlib import Path

from kbpo_client.archives import opened
from kbpo_client.errors import WrongUsage
from kbpo_client.output import Output


def make(archive: Path, out: Path, texts: Path | None, output: Output) -> int:
    """Write the training data of an archive into a folder; print how many examples of each set and split.

    Raises
    ------
    WrongUsage
        If NumPy is not there, the file is no archive, the folder is not empty, or texts are not the corpus'.
    """
    try:
        with opened(archive) as found:
            from kbpo_archive.training.making import Folder
            from kbpo_archive.training.making import make as make_training

            made = make_training(found, Folder(out), texts)
    except OSError as error:
        raise WrongUsage(f"{out} cannot be written: {error.strerror}") from None
    output.rows(
        [{"examples": name, "split": split, "count": count} for (name, split), count in made.examples.items()]
    )
    if not made.has_texts:
        output.tell("without texts: places are offsets; --texts FOLDER takes what kbpo data has fetched")
    output.tell(f"{sum(made.examples.values()):,} examples are in {out}")
    return 0
