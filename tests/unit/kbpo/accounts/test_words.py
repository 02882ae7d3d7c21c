"""What account pages say is said in this site's words, allauth's own nowhere."""

from pathlib import Path

import allauth
import pytest
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.template.loader import get_template

from kbpo.accounts import words

THEIRS = Path(allauth.__file__).parent / "templates"
MESSAGES = sorted(path.relative_to(THEIRS).as_posix() for path in THEIRS.glob("*/messages/*.txt"))
#: Nobody gives a phone number here, nor signs in by a code that is mailed.
UNUSED = {"phone_verified.txt", "phone_verification_sent.txt", "login_code_sent.txt"}
NO_FIELDS = ("phone", "username", "select_only_one")


@pytest.mark.parametrize("name", [one for one in MESSAGES if Path(one).name not in UNUSED])
def test_what_became_of_an_act_is_said_in_our_words(name: str) -> None:
    origin = get_template(name).template.origin.name  # type: ignore[attr-defined]
    assert Path(origin).is_relative_to(settings.ROOT / "templates")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (words.ACCOUNT, DefaultAccountAdapter.error_messages),
        (words.FACTORS, DefaultMFAAdapter.error_messages),
        (words.ORGANISATION, DefaultSocialAccountAdapter.error_messages),
    ],
    ids=["account", "factors", "organisation"],
)
def test_every_error_that_can_come_is_said_in_our_words_with_what_is_filled_in(
    ours: dict[str, str], theirs: dict[str, str]
) -> None:
    assert set(ours) == {one for one in theirs if not one.startswith(NO_FIELDS) and "phone" not in one} - {
        "username_password_mismatch"
    }
    assert [code for code in ours if ours[code].count("%") != str(theirs[code]).count("%")] == []
