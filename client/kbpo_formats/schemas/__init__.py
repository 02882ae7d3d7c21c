"""JSON Schemas of the lines of JSON Lines files, one for each task: files beside this module."""

from pathlib import Path

from kbpo_formats.errors import InvalidInput

TASKS = ("kbp", "classification", "generation")


def schema_text(task: str) -> str:
    """Return the schema of a task's lines, as its file has it.

    Raises
    ------
    InvalidInput
        If there is no such task.
    """
    if task not in TASKS:
        raise InvalidInput(f"there is no task {task!r:.40}; known are {', '.join(TASKS)}", where="task")
    return Path(__file__).with_name(f"{task}.json").read_text(encoding="utf-8")
