"""One try to submit a file: ``python -m tests.hosts.trying SITE FILE CORPUS TEAM NAME``.

It prints why it is refused ("" where it is not), and what the site then says of its files to who watches it.
"""

import json
import os
import sys

import httpx

from kbpo_client import Client
from kbpo_client.errors import ClientError

site, path, corpus, team, name = sys.argv[1:]
said = ""
with Client(site, os.environ["KBPO_TOKEN"], attempts=1) as client:
    try:
        client.submit(path, corpus=corpus, team=team, name=name, go_ahead=True)
    except ClientError as error:
        said = str(error)
watched = httpx.get(f"{site}/readyz", params={"check": "files"}, timeout=20).json()
print(json.dumps({"refusal": said, "files": watched["checks"]["files"]}))
