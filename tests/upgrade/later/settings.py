"""The settings of a version that has more migrations."""

from kbpo.settings import *  # noqa: F403

MIGRATION_MODULES = {"core": "tests.upgrade.later.migrations"}
