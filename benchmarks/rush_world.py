"""What the benchmark of a rush does in the site's database: ``python -m benchmarks.rush_world DO …``.

``fill SYSTEMS CORPUS`` makes a board of so many systems, and a corpus of a file's documents that a team
hands in to; prints the team's token. ``state`` prints what has become of what it handed in.
"""

import json
import sys
from pathlib import Path

BOARD, CORPUS, TEAM, MEMBER = "board", "uploads", "Rush", "rush@example.org"
QUOTA = 100


def main(arguments: list[str]) -> None:
    import django

    django.setup()
    do, *rest = arguments
    print(json.dumps(fill(int(rest[0]), Path(rest[1])) if do == "fill" else state()))


def fill(systems: int, path: Path) -> dict[str, str]:
    from django.db import connection
    from django.utils import timezone

    from annotations.models import Corpus
    from benchmarks import board
    from evaluation.design import loading
    from evaluation.registry import task_of
    from kbpo.accounts import tokens
    from kbpo.accounts.models import Membership, Team, User

    board.fill(systems)
    loading.load_texts(path=path, tag=CORPUS, find_task=task_of, name="Uploads")
    Corpus.objects.filter(tag=CORPUS).update(weekly_quota=QUOTA, weekly_quota_of_person=QUOTA)
    user = User.objects.create_user(email=MEMBER, name="Rush")
    Membership.objects.create(team=Team.objects.create(name=TEAM), user=user)
    made = tokens.make(
        user=user, name="rush", scopes=tokens.SCOPES, days=min(tokens.DAYS), now=timezone.now()
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return {"token": made.secret}


def state() -> dict[str, str]:
    from evaluation.models import Submission

    return dict(Submission.objects.filter(corpus__tag=CORPUS).values_list("name", "state"))


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    main(sys.argv[1:])
