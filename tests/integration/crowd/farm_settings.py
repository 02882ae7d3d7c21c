"""The settings of killed workers: those of a test's service, in another process."""

import os

from kbpo.settings import *  # noqa: F403
from kbpo.settings import DATABASES

DATABASES["default"]["NAME"] = os.environ["TEST_DATABASE"]
DATABASES["default"]["DURABLE"] = False
HIT_BASE_URL = "http://127.0.0.1:9"
MTURK_IS_BUILT_IN = True
KBPO_NUDGE = False
