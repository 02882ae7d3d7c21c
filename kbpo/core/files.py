"""Where uploaded files are kept."""

from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage


class WholeFiles(FileSystemStorage):
    """A folder in which a file is there as a whole or not at all, also when the disk is full."""

    def _save(self, name: str, content: Any) -> str:
        path = Path(self.path(name))
        was_there = path.exists()
        try:
            return str(super()._save(name, content))  # type: ignore[misc]
        except BaseException:
            if not was_there:
                path.unlink(missing_ok=True)
            raise
