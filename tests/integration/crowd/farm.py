"""Four workers of the pipeline, killed at random and begun again, until nobody listens any more.

Run as ``python -m tests.integration.crowd.farm SEED [FILE]`` with the environment that `test_kills` gives it:
the database of the test, and the marketplace on its live server. It loads the service once and forks each
worker, so that beginning again takes no more than a connection. Leases, waits and looks are short here. When
its standard input ends it prints how many workers were killed, and how many ended by themselves; how many
were killed so far stands in the file, if one is given.
"""

import os
import select
import signal
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path
from random import Random

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.integration.crowd.farm_settings"

import django

django.setup()

from crowd import collecting, outbox  # noqa: E402
from crowd.posting import gathering, planning, recording  # noqa: E402
from crowd.providers import registry  # noqa: E402
from crowd.quality import patterns  # noqa: E402
from kbpo import pipeline  # noqa: E402

WORKERS = 4
LONGEST_LIFE = 5.0  # seconds
STAGES = (
    pipeline.post_hits,
    pipeline.collect_work,
    pipeline.review_work,
    pipeline.pay_bonuses,
    pipeline.settle_questions,
)

outbox.LEASE = timedelta(seconds=3)
outbox.FIRST, outbox.LONGEST = timedelta(seconds=0.1), timedelta(seconds=1)
collecting.SOONEST, collecting.LATEST = timedelta(seconds=0.5), timedelta(seconds=5)
planning.AT_ONCE = 5
gathering.GATHERED_FOR = timedelta(seconds=2)
recording.FIRST_LOOK = timedelta(seconds=0.2)
patterns.FEWEST = 1000  # the workers of these tests may say "none" to everything


def work() -> None:
    rng = Random(os.getpid())
    while True:
        # In any order: a life may be too short for all of them.
        for stage in rng.sample(STAGES, len(STAGES)):
            stage()
        time.sleep(0.05)


def begin() -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:  # noqa: BLE001  (its parent learns of it by the status)
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def main(seed: int, count: Path | None = None) -> int:
    rng = Random(seed)
    registry.provider("marketplace")  # what takes long is done once
    alive = {begin(): time.monotonic() + rng.random() * LONGEST_LIFE for _ in range(WORKERS)}
    killed = failed = 0
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        for child, until in list(alive.items()):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                failed += 1
                print(f"a worker ended by itself with status {status}", file=sys.stderr)
            elif time.monotonic() >= until:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                killed += 1
                if count is not None:
                    count.write_text(str(killed))
            else:
                continue
            del alive[child]
            alive[begin()] = time.monotonic() + rng.random() * LONGEST_LIFE
    for child in alive:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(killed, failed)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *map(Path, sys.argv[2:3])))
