"""What a released epoch publishes, for everybody."""

import csv
import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from evaluation.design import releases
from evaluation.models import Epoch
from evaluation.registry import task_of
from kbpo import __version__
from kbpo.core.revalidating import public_page


class Line:
    """What `csv.writer` writes to: it hands each line back."""

    def write(self, line: str) -> str:
        """Return the line."""
        return line


@require_safe
@public_page
def labels(request: HttpRequest, tag: str, number: int, kind: str) -> StreamingHttpResponse:
    """Stream the labels of a released epoch as JSON Lines or CSV; 404 while it is sealed."""
    epoch = _released(tag, number)
    rows = releases.labels(epoch)
    lines, content_type = (
        (_csv(rows), "text/csv; charset=utf-8") if kind == "csv" else (_json(rows), "application/jsonl")
    )
    response = StreamingHttpResponse(lines, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{tag}-epoch-{number}-labels.{kind}"'
    response["ETag"] = _etag(releases.labels_state(epoch))
    return response


@require_safe
@public_page
def sample(request: HttpRequest, tag: str, number: int) -> StreamingHttpResponse:
    """Stream how a released epoch's sample came about, as JSON Lines; 404 while it is sealed."""
    epoch = _released(tag, number)
    rows = releases.sample(epoch, task_of(epoch.corpus))
    response = StreamingHttpResponse(_json(rows), content_type="application/jsonl")
    response["Content-Disposition"] = f'attachment; filename="{tag}-epoch-{number}-sample.jsonl"'
    response["ETag"] = _etag(releases.sample_state(epoch))
    return response


def _released(tag: str, number: int) -> Epoch:
    epochs = Epoch.objects.select_related("corpus")
    return get_object_or_404(epochs, corpus__tag=tag, number=number, released_at__isnull=False)


def _etag(state: str) -> str:
    """Return the ETag of what is written from rows in this state by this version."""
    return quote_etag(sha256(f"{__version__}|{state}".encode()).hexdigest())


def _json(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _csv(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    writer = csv.DictWriter(Line(), fieldnames=releases.fields())
    yield writer.writeheader()
    for row in rows:
        yield writer.writerow(row)
