#!/usr/bin/env python
"""Run the service's commands."""

import os
import sys


def main() -> None:
    """Run the command that the arguments name; refuse with one line what cannot be run."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from kbpo.core.errors import KbpoError

    try:
        execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, KbpoError) as error:
        sys.exit(" ".join(str(error).split()))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
