"""What a label costs under each policy, on the built-in marketplace: cents, minutes of work, hours to wait.

Simulated people do HITs that the site posts, pays and settles by its own code; only their time is made up,
and the clock with it. Fees are those of the marketplace.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from research.benchmarks.site import prepared, serving

POLICIES = ("fixed", "curtailed")
#: Questions in a HIT at most: as is usual at the marketplace, and as at Prolific.
PER_HIT = (1, 10)
QUESTIONS, QUICK_QUESTIONS, PEOPLE = 120, 40, 20
PORT = 18_744
COLUMNS = ("votes", "cents", "minutes", "hours")


def run(out: Path, *, quick: bool = False) -> None:
    """Judge the same questions under each policy; write ``curtailed.json``."""
    questions = QUICK_QUESTIONS if quick else QUESTIONS
    rows = []
    print(f"{'policy':>10} {'a HIT':>6}", *(f"{name:>9}" for name in COLUMNS))
    for per_hit in PER_HIT:
        for policy in POLICIES:
            rows.append(_judge(policy, questions, per_hit))
            shown = (f"{rows[-1][name]:>9}" for name in COLUMNS)
            print(f"{policy:>10} {per_hit:>6}", *shown, flush=True)
    report = {"questions": questions, "people": PEOPLE, "error": 0.1, "runs": rows}
    (out / "curtailed.json").write_text(json.dumps(report, indent=2) + "\n")
    print(f"votes, cents and minutes a question, hours until all are settled; written to {out}")


def _judge(policy: str, questions: int, per_hit: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder, prepared(Path(folder), PORT) as site:
        site.environ.update(json.loads(site.run("-m", "research.benchmarks.crowd_world", "keys")))
        with serving(site, names=["web"]):
            numbers = [str(number) for number in (questions, PEOPLE, per_hit)]
            found: dict[str, Any] = json.loads(
                site.run("-m", "research.benchmarks.curtailed_world", policy, *numbers)
            )
    return {"policy": policy, "per_hit": per_hit, **found}
