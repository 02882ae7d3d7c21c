import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(("given", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "4"}, "4")])
def test_sums_take_one_thread_unless_somebody_says_otherwise(given, threads):
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    said = subprocess.run(
        [sys.executable, "-c", "import kbpo, os; print(os.environ['OPENBLAS_NUM_THREADS'])"],
        env=environment | given,
        capture_output=True,
        check=True,
        text=True,
    )
    assert said.stdout.strip() == threads
