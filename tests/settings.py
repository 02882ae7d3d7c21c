"""The settings of a test run: those of a development machine, in a folder of the run's own."""

import atexit
import os
import shutil
import tempfile

from kbpo.environment import VARIABLES

for _name in VARIABLES:
    os.environ.pop(_name, None)
os.environ["KBPO_HOME"] = tempfile.mkdtemp(prefix="kbpo-test-")
# registered before the servers', so it runs after they have ended
atexit.register(shutil.rmtree, os.environ["KBPO_HOME"], ignore_errors=True)

from kbpo.settings import *  # noqa: E402, F403
from kbpo.settings import DATABASES, STORAGES  # noqa: E402

DATABASES["default"]["DURABLE"] = False
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
EMAIL_BACKEND = MAIL_TRANSPORT = "django.core.mail.backends.locmem.EmailBackend"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
KBPO_NUDGE = False
CROWD_MOST_PERCENT = 100.0  # the people of a test are few; those who must be many say so
CROWD_FASTEST_READING = float("inf")  # workers in tests take no time; those who must say so
