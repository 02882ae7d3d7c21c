"""What the API has not."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from kbpo.api.base import ApiView
from kbpo.core.errors import Gone


class UnknownView(ApiView):
    """Every address under ``/api/`` at which there is nothing."""

    permission_classes = ()
    is_public = True

    @extend_schema(exclude=True)
    def get(self, request: Request, **_: Any) -> None:
        """Say that there is nothing."""
        raise Gone("There is no such address: those of the API begin with /api/v1/ and end with / or a file.")

    head = post = put = patch = delete = get
