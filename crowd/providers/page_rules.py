"""What our pages must know of the provider that sends their workers; no account with it is needed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from crowd.models import Hit
from crowd.providers import prolific
from kbpo.accounts.models import WorkerIdentity

Name = WorkerIdentity.Provider


def _never(hit: Hit) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRules:
    """How a HIT's page treats the workers of a provider.

    Attributes
    ----------
    is_closed : callable
        Says whether a HIT takes nobody new, though the provider may still send somebody. Most keep workers
        from such a HIT by themselves.
    completion_url : callable or None
        Returns where a worker goes once the answer is stored, by the HIT and the study that the worker comes
        from; None where the page's form takes the answer to the provider.
    """

    is_closed: Callable[[Hit], bool] = _never
    completion_url: Callable[[Hit, str], str] | None = None


#: By `WorkerIdentity.Provider`.
PAGE_RULES: Mapping[str, PageRules] = {
    Name.MARKETPLACE: PageRules(),
    Name.MTURK: PageRules(),
    Name.PROLIFIC: PageRules(is_closed=prolific.is_closed, completion_url=prolific.completion_url),
}
