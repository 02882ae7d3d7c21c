"""A client that another program makes of the API's description."""

import compileall
import json
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

DESCRIPTION = ROOT / "docs" / "api" / "openapi.json"
#: The program knows files by one type alone.
SETTINGS = {
    "content_type_overrides": {
        "application/gzip": "application/octet-stream",
        "application/offset+octet-stream": "application/octet-stream",
    },
    "post_hooks": [],
}


def test_a_client_has_every_operation_and_compiles(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(SETTINGS))
    client = tmp_path / "made"
    command = ["openapi_python_client", "generate", "--path", str(DESCRIPTION), "--meta", "none"]
    options = ["--output-path", str(client), "--config", str(tmp_path / "settings.json"), "--fail-on-warning"]
    made = subprocess.run(
        [sys.executable, "-m", *command, *options], capture_output=True, text=True, timeout=120, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    described = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"].values()
    operations = {one["operationId"] for path in described for one in path.values() if "operationId" in one}
    assert {path.stem for path in client.glob("api/*/*.py")} - {"__init__"} == operations
    assert compileall.compile_dir(client, quiet=1)
