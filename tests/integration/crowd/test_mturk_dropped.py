"""The marketplace and its client go on when botocore has dropped MTurk's service model."""

from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import UnknownServiceError
from botocore.loaders import Loader
from django.conf import LazySettings
from django.urls import reverse

from crowd.providers.mturk import MTurk
from marketplace.models import Requester, RequesterKey
from marketplace.protocol import service

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def without_mturk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have botocore's data be all that it carries but mturk, and nothing remembered of that."""
    for entry in Path(Loader.BUILTIN_DATA_PATH).iterdir():
        if entry.name != "mturk":
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.setattr(Loader, "BUILTIN_DATA_PATH", str(tmp_path))
    monkeypatch.setattr(Loader, "CUSTOMER_DATA_PATH", str(tmp_path / "nobody"))
    service.service_model.cache_clear()
    yield
    service.service_model.cache_clear()


@pytest.mark.slow
def test_an_account_is_asked_and_answered(
    without_mturk: None,
    live_server,
    settings: LazySettings,
    requester_and_key: tuple[Requester, RequesterKey],
) -> None:
    key = requester_and_key[1]
    with pytest.raises(UnknownServiceError, match="mturk"):
        boto3.Session(key.access_key_id, key.secret, region_name="us-east-1").client("mturk")
    account = MTurk(
        name="marketplace",
        endpoint_url=live_server.url + reverse("requester_api"),
        keys=(key.access_key_id, key.secret),
        models=settings.MTURK_SERVICE_MODELS,
        attempts=1,
    )
    assert account.balance_cents() == requester_and_key[0].available_cents > 0
    account.close()


def test_the_folder_that_the_client_is_given_is_the_marketplaces(settings: LazySettings) -> None:
    assert settings.MTURK_SERVICE_MODELS == service.MODELS
