"""Pages that are carried out have what their commands print."""

import re
from pathlib import Path

import pytest

from tests.walking import SITE, Failed, script, walk

PAGE = f"""# A walk

*Walked on a day against the demo: 0 s in all.*

```console
$ cd / && X={SITE}
$ echo $X \\
>   there
what was printed before
```

*99.9 s*

```console operator
$ python manage.py do it
```

```python
x = 2
x + 1
```

```text
before
```

Words.
"""


class Nobody:
    """A service at which nothing happens."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def operate(self, words: list[str]) -> str:
        self.asked.append(words)
        return "done\n"

    def link(self) -> str:
        return ""

    def token(self) -> str:
        return ""

    def work(self) -> None:
        pass


def walked(page: str, folder: Path) -> str:
    found = walk(page, site="http://localhost:1", service=Nobody(), folder=folder, where="on a table").page
    return re.sub(r"\*[\d.]+ s\*", "*1 s*", found)


def test_a_page_gets_what_its_commands_print_and_the_times(tmp_path: Path) -> None:
    found = walked(PAGE, tmp_path)
    assert f"> {'  '}there\n{SITE} there\n```\n\n*1 s*\n" in found
    assert "$ python manage.py do it\ndone\n```\n\n*1 s*\n" in found
    assert "x + 1\n```\n\n```text\n3\n```\n\n*1 s*\n\nWords.\n" in found
    assert re.search(
        r"^\*Walked on \d{4}-\d\d-\d\d against the demo, on a table: \d+ s in all\.\*$", found, re.M
    )
    assert "before" not in found


def test_carried_out_again_it_is_the_same_page(tmp_path: Path) -> None:
    once = walked(PAGE, tmp_path).replace("*1 s*", "*1.0 s*")
    assert walked(once, tmp_path) == once.replace("*1.0 s*", "*1 s*")


@pytest.mark.parametrize("block", ["```console\n$ false\n```\n", "```python\n1 / 0\n```\n"])
def test_a_command_that_fails_ends_the_walk(block: str, tmp_path: Path) -> None:
    with pytest.raises(Failed):
        walked(block, tmp_path)


def test_the_cells_of_a_page_are_a_script() -> None:
    assert (
        script(PAGE)
        == '"""A walk."""\n\n# %%\n# Where the service runs: python manage.py do it\n\n# %%\nx = 2\nx + 1\n'
    )
