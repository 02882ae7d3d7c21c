"""The page of settings is what the code says."""

from types import ModuleType

import pytest

from docs import settings
from kbpo.environment import VARIABLES


def test_the_page_is_written_from_the_code_as_it_is() -> None:
    assert settings.FILE.read_text(encoding="utf-8") == settings.page(), "run python -m docs.settings"


def test_every_variable_has_its_row() -> None:
    page = settings.page()
    assert [name for name in sorted(VARIABLES) if page.count(f"| `{name}` |") != 1] == []


def test_a_table_that_lacks_a_variable_is_refused() -> None:
    module = ModuleType("tables")
    module.__doc__ = "Some.\n\n====  ====\nname  meaning\n====  ====\n``A``  one\n====  ====\n"
    module.VARIABLES = {"A", "B"}  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="'B'"):
        settings.table(module)
