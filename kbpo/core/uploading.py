"""How much anybody may send."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

MOST_BYTES = 500 << 20  # of a file
FORM = 1 << 20  # bytes of the form around it


class BoundedUpload(FileUploadHandler):
    """Refuses a form that is too large before any of it is read, and so before it fills the disk."""

    def handle_raw_input(
        self,
        input_data: Any,
        META: Mapping[str, Any],
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Look at the announced size alone."""
        if content_length > MOST_BYTES + FORM:
            raise RequestDataTooBig(f"a form of {content_length:,} bytes; a file may have {MOST_BYTES:,}")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Leave the data to the next handler."""
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leave the file to the next handler."""
