"""Files that rows name, as Django's fields ask for them: in the store, below ``media``."""

from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage
from django.utils.crypto import get_random_string

from kbpo.core.errors import Gone
from kbpo.core.storage import let_go, store
from kbpo.core.storage.folder import path_of


class Kept(File):  # type: ignore[type-arg]
    """A file that is in the store already: to save it is to have the store copy it.

    Parameters
    ----------
    stream : binary file
        Open on it.
    name : str
    place : str
        Where it is.
    """

    def __init__(self, stream: Any, name: str, *, place: str) -> None:
        super().__init__(stream, name)
        self.place = place


class _Opened(File):  # type: ignore[type-arg]
    """A file that was opened in the store, and can be again."""

    def open(self, mode: str | None = None, *_: Any, **__: Any) -> "_Opened":
        if self.closed:
            self.file = store().open(_place(str(self.name)))
        else:
            self.seek(0)
        return self


class StoredFiles(Storage):
    """The store, for fields: a file is there as a whole or not at all, also when the store is full."""

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        assert mode == "rb", "files do not change"
        return _Opened(store().open(_place(name)), name)

    def _save(self, name: str, content: Any) -> str:
        if not store().is_exclusive:  # two may save the same at once
            name = self._unlike_any(name)
        while True:
            try:
                if isinstance(content, Kept):
                    store().copy(content.place, _place(name))
                else:
                    content.seek(0)
                    store().put(_place(name), content, new=True)
                return name
            except FileExistsError:
                name = self.get_available_name(name)
            except FileNotFoundError:
                raise Gone(f"{content.name} was thrown away meanwhile: send it again") from None

    def delete(self, name: str) -> None:
        """Delete a file; where the store is away, that is done later."""
        let_go(_place(name))

    def exists(self, name: str) -> bool:
        """Say whether it is there."""
        return store().look(_place(name)) is not None

    def size(self, name: str) -> int:
        """Return its bytes."""
        found = store().look(_place(name))
        if found is None:
            raise FileNotFoundError(name)
        return found.size

    def url(self, name: str | None) -> str:
        """Return no address: pages of ours lead to downloads, and the admin's to the page that it shows."""
        return ""

    def path(self, name: str) -> str:
        """Return its path, where files are in folders."""
        if settings.FILE_STORE is not None:
            raise NotImplementedError("files in a store have no path")
        return str(path_of(_place(name)))

    @staticmethod
    def _unlike_any(name: str) -> str:
        stem, dot, ending = name.rpartition(".")
        return f"{stem}_{get_random_string(12)}{dot}{ending}" if dot else f"{name}_{get_random_string(12)}"


def _place(name: str) -> str:
    return f"media/{name}"
