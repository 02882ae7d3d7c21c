"""What account pages say when something is wrong: allauth's errors by their codes, in this site's words."""

from collections.abc import Mapping
from types import MappingProxyType

ACCOUNT: Mapping[str, str] = MappingProxyType(
    {
        "account_inactive": "This account is closed. Write to those who run the site if that is a mistake.",
        "cannot_remove_primary_email": "You sign in with this address: it cannot be removed before another "
        "is the first.",
        "duplicate_email": "This address is one of yours already.",
        "email_password_mismatch": "The address and the password do not belong together. Look for a slip in "
        "either, or choose a new password.",
        "email_taken": "Somebody has an account with this address already. If it is you, sign in.",
        "enter_current_password": "That is not your current password.",
        "incorrect_code": "This is not the code. Look at the newest one and type it again.",
        "incorrect_password": "That is not your password.",
        "invalid_or_expired_key": "This link was used already, or is too old. Ask for a new one.",
        "invalid_login": "This sign-in does not go on. Begin again.",
        "invalid_password_reset": "This link was used already, or is too old. Ask for a new one.",
        "max_email_addresses": "An account has at most %d addresses. Remove one first.",
        "too_many_login_attempts": "There were too many tries. Wait a few minutes, then try again.",
        "unknown_email": "Nobody has an account with this address.",
        "unverified_primary_email": "Confirm the address before you make it the first.",
        "same_as_current": "That is what it is already. Choose something else.",
        "rate_limited": "There were too many tries. Wait a few minutes, then try again.",
    }
)
"""Of addresses and passwords."""
FACTORS: Mapping[str, str] = MappingProxyType(
    {
        "add_email_blocked": "An account with a second factor takes no further address. Remove the factor "
        "first.",
        "cannot_delete_authenticator": "This second factor cannot be removed: your account needs one.",
        "cannot_generate_recovery_codes": "Recovery codes are for accounts with a second factor. Set up an "
        "app or a passkey first.",
        "incorrect_code": "This code is not taken. An app’s changes every half minute: type the newest. A "
        "recovery code is taken once.",
        "unverified_email": "Confirm your email address first; a second factor comes after that.",
    }
)
"""Of the second factor."""
ORGANISATION: Mapping[str, str] = MappingProxyType(
    {
        "email_taken": "Somebody has an account with this address already. Sign in to it, then connect "
        "%s there.",
        "invalid_token": "Your organisation’s answer could not be read. Begin the sign-in again.",
        "no_password": "Choose a password first: without one, and without your organisation, you could "
        "not sign in.",
        "no_verified_email": "Confirm an email address first: you could not get a new password otherwise.",
        "disconnect_last": "This is your only way to sign in. Choose a password first, then disconnect it.",
        "connected_other": "That account of your organisation belongs to another account here. Sign in to "
        "that one and disconnect it first.",
    }
)
"""Of sign-in by an organisation."""
