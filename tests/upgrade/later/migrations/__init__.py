"""Those of ``kbpo.core`` as they are, and some that a later version might have, as ADR 105 says."""

from kbpo.core import migrations

__path__ = [*migrations.__path__, *__path__]
