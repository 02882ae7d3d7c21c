"""Throttles of the API: by network, account and token, in total, and by the policy of the URL."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from kbpo.accounts.models import ApiToken
from kbpo.core import rate_limits
from kbpo.core.clients import client_address


class CallThrottle(BaseThrottle):
    """Counts each call; ``view.counted`` gets the counts, for the RateLimit headers."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Return True, or raise TooMany; a call that one limit refuses is not counted by the next."""
        now, limits = timezone.now(), rate_limits.API_CALLS
        counters = [
            ("network", counter)
            for counter in rate_limits.by_network(limits.network, client_address(request))
        ]
        if request.user.is_authenticated:
            counters.append(("account", (limits.account, (str(request.user.pk),))))
        if isinstance(request.auth, ApiToken):
            counters.append(("token", (rate_limits.API_CALLS_BY_TOKEN, (str(request.auth.pk),))))
        for owner, (limit, key) in counters:
            count = rate_limits.hit(limit, *key, now=now)
            view.counted = (*view.counted, (owner, count))
            rate_limits.require_allowed(count)
        rate_limits.require_total(request, limits, now=now)
        return True


class PolicyThrottle(BaseThrottle):
    """Counts calls such as uploads by the same policy as the page that does the same."""

    def allow_request(self, request: Request, view: Any) -> bool:
        """Return True, or raise TooMany."""
        match = request._request.resolver_match
        policy = rate_limits.POLICIES.get((match and match.url_name) or "")
        if policy is not None:
            rate_limits.require_request(request._request, policy, now=timezone.now())
        return True
