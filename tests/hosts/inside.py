"""What a test asks of the database that its hosts share: ``python -m tests.hosts.inside WHAT FILE``.

FILE gets the answer, as JSON. WHAT:

``prepare``
    Two teams, a member of each, and places enough for all that they send; returns the members' tokens.
``settled``
    Says whether nothing is due, and no question waits for anybody.
``rows``
    Draws all samples again; returns every row of every model, and the files (`tests.kills.rows`).
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

os.environ["DJANGO_SETTINGS_MODULE"] = "kbpo.settings"

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotations.models import Corpus, Question  # noqa: E402
from crowd.quality import measures  # noqa: E402
from evaluation.models import Submission, Upload  # noqa: E402
from kbpo import pipeline  # noqa: E402
from kbpo.accounts import tokens  # noqa: E402
from kbpo.accounts.models import Membership, Team, User  # noqa: E402
from tests.kills import rows, scenario  # noqa: E402

CORPUS = "news"
MEMBERS = {"Alpha": "ada@example.org", "Beta": "ben@example.org"}


def prepare() -> object:
    """Make teams and members; return the members' tokens by team."""
    Corpus.objects.filter(tag=CORPUS).update(weekly_quota=99, weekly_quota_of_person=99)
    made = {}
    for name, email in MEMBERS.items():
        user = User.objects.create_user(email=email, name=name)
        Membership.objects.create(team=Team.objects.create(name=name), user=user)
        days = min(tokens.DAYS)
        token = tokens.make(user=user, name="two hosts", scopes=tokens.SCOPES, days=days, now=timezone.now())
        made[name] = token.secret
    return made


def settled() -> object:
    """Say whether all is judged and scored, audits too, and what of it is not where that is no."""
    states = Submission.objects.exclude(state="scored").values_list("name", "state")
    waiting = Question.objects.exclude(state="settled").count()
    return {"is_settled": scenario.settled() and not waiting, "waiting": waiting, "not scored": [*states]}


def read() -> object:
    """Do what the service does more seldom, and a day later; return the rows."""
    pipeline.make_corpus_files()
    pipeline.make_archives()
    pipeline.index_entities()
    Upload.objects.update(expires_at=timezone.now())  # announced again by who got no answer
    scenario.tidy()
    measures.EVERY = timedelta(0)
    measures.measure_work(now=timezone.now() + timedelta(days=1))
    call_command("audit_samples", "--corpus", CORPUS, verbosity=0)
    return rows.read_rows()


ACTS: Mapping[str, Callable[[], object]] = {"prepare": prepare, "settled": settled, "rows": read}

if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(ACTS[sys.argv[1]]()))
