"""The settings of a process that is to be killed: as on a development machine, quick rather than durable."""

from kbpo.settings import *  # noqa: F403
from kbpo.settings import DATABASES, KBPO_HOME

assert KBPO_HOME.name == "home", "KBPO_HOME must be a folder made for this test"
DATABASES["default"]["DURABLE"] = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
KBPO_NUDGE = False
