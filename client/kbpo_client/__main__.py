"""The command, as ``python -m kbpo_client``."""

import sys

from kbpo_client.command import main

sys.exit(main())
