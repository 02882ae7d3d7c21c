"""A row of the API's leaderboard says what its fields say, though it does not ask them."""

import datetime

from rest_framework.serializers import Serializer

from evaluation.scoring.leaderboard import Row
from evaluation.scoring.stored import Measure
from kbpo.api.resources.board import RowSerializer


def row(**fields):
    given = {
        "rank": 1,
        "submission": 7,
        "team": "Our lab",
        "name": "baseline",
        "measures": {"precision": Measure(0.5, 0.4, 0.6), "recall": Measure(None, None, None, "too few")},
        "labels": 40,
        "counts": {"saved": 3.5, "efficiency": None},
        "date": datetime.datetime(2026, 3, 1, 12, 30, 15, 250, tzinfo=datetime.UTC),
        "epoch": 2,
        "state": "scored",
        "is_public": True,
        "is_own": False,
        "is_baseline": True,
        "chosen_after": None,
        "why": "",
        "standard": "votes",
    }
    return Row(**(given | fields))


def test_a_row_says_what_its_fields_say():
    whole_seconds = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
    for one in (row(), row(rank=None, labels=None, epoch=None, date=whole_seconds, why="not scored yet")):
        serializer = RowSerializer()
        assert serializer.to_representation(one) == Serializer.to_representation(serializer, one)
