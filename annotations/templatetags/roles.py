"""What somebody's roles open, for templates."""

from django import template
from django.contrib.auth.models import AnonymousUser

from annotations import roles
from kbpo.accounts.models import User

register = template.Library()


@register.filter
def has_desk(user: User | AnonymousUser | None) -> bool:
    """Say whether the desk has anything for somebody."""
    return roles.has_any(user)


@register.filter
def opened(user: User | AnonymousUser | None) -> dict[str, bool]:
    """Return what somebody may do for some corpus, by the acts' names in lower case."""
    return {act.name.lower(): True for act in roles.acts(user)}
