"""boto3's client of MTurk, as a requester makes it who named the service model in AWS_DATA_PATH."""

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
