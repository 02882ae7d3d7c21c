"""boto3's client of MTurk, as a requester makes it who named the service model in AWS_DATA_PATH."""

from datetime import UTC, datetime
from typing import Any

import boto3
import botocore.session
from django.conf import settings


def mturk(endpoint_url: str, keys: tuple[str, str], **options: Any) -> Any:
    session = botocore.session.Session()
    session.set_config_variable("data_path", str(settings.MTURK_SERVICE_MODELS))
    return boto3.Session(botocore_session=session).client(
        "mturk",
        endpoint_url=endpoint_url,
        region_name="us-east-1",
        aws_access_key_id=keys[0],
        aws_secret_access_key=keys[1],
        **options,
    )


def in_utc(answer: dict[str, Any]) -> dict[str, Any]:
    """Put the times of an answer into UTC.

    Each of boto's answers has a zone of its own, and in the hour that comes twice no time of one zone equals
    a time of another.
    """
    return {name: one.astimezone(UTC) if isinstance(one, datetime) else one for name, one in answer.items()}
