import html
import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.kbp.task import TASK as KBP
from evaluation.models import Score
from evaluation.scoring.leaderboard import rows
from kbpo.core.errors import InvalidInput
from tests.factories import (
    CorpusFactory,
    EpochFactory,
    QuestionFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def epoch():
    return EpochFactory()


def scored(epoch, name, f=(0.5, 0.4, 0.6), rank=None, **fields):
    submission = SubmissionFactory(corpus=epoch.corpus, name=name, state="scored", **fields)
    return ScoreFactory(batch=SampleBatchFactory(epoch=epoch, submission=submission), f=f, rank=rank)


def board(epoch, **choice):
    return [(row.rank, row.name) for row in rows(epoch.corpus, KBP.choices, **choice)]


def test_systems_stand_by_f1_then_name(epoch):
    scored(epoch, "middle", (0.5, 0.4, 0.6))
    scored(epoch, "best", (0.7, 0.6, 0.8))
    scored(epoch, "also middle", (0.5, 0.45, 0.55))
    scored(epoch, "last", (0.2, 0.1, 0.3))
    assert [name for _, name in board(epoch)] == ["best", "also middle", "middle", "last"]


def test_a_rank_is_the_stored_one_whoever_looks(epoch):
    scored(epoch, "one", (0.7, 0.6, 0.8), rank=1)
    hidden = scored(epoch, "hidden", (0.5, 0.4, 0.6), rank=2, is_public=False)
    scored(epoch, "two", (0.3, 0.2, 0.4), rank=3)
    assert board(epoch) == [(1, "one"), (3, "two")]
    hidden.submission.is_public = True
    hidden.submission.save()
    assert board(epoch) == [(1, "one"), (2, "hidden"), (3, "two")]


def test_linking_stands_by_precision(epoch):
    for name, precision in (("worse", 0.6), ("better", 0.9)):
        score = scored(epoch, name)
        ScoreFactory(batch=score.batch, part="linking", p=(precision,) * 3, r=None, f=None)
    assert [name for _, name in board(epoch, part="linking")] == ["better", "worse"]


def test_a_score_without_f1_is_shown_unranked_with_the_reason(epoch):
    scored(epoch, "ranked")
    scored(epoch, "no recall", f=None)
    (_, row) = rows(epoch.corpus, KBP.choices)
    assert (row.rank, row.name, row.is_scored) == (None, "no recall", True)
    assert "true relations" in row.why


def test_a_system_with_too_few_labels_is_shown_unranked_with_the_reason(epoch, client):
    score = scored(epoch, "tiny")
    Score.objects.filter(pk=score.pk).update(labels=29)
    (row,) = rows(epoch.corpus, KBP.choices)
    assert (row.rank, row.is_scored) == (None, True)
    assert row.why == "No rank: 29 claims judged, and 30 are needed."
    assert row.why in client.get(f"/corpora/{epoch.corpus.tag}/").content.decode()


def test_the_score_of_the_highest_batch_counts(epoch):
    early = scored(epoch, "early", (0.1, 0.0, 0.2))
    late = scored(epoch, "late", (0.3, 0.2, 0.4))
    ScoreFactory(batch=late.batch, submission=early.submission, f=(0.9, 0.8, 1.0))
    assert [name for _, name in board(epoch)] == ["early", "late"]


def test_the_level_chooses_the_interval(epoch):
    score = scored(epoch, "one", (0.5, 0.4, 0.6))
    ScoreFactory(batch=score.batch, level=80, f=(0.5, 0.45, 0.55))
    (row,) = rows(epoch.corpus, KBP.choices, level=80)
    assert (row.measures["f1"].low, row.measures["f1"].high) == (0.45, 0.55)


def test_the_unscored_come_last_and_say_why(epoch):
    scored(epoch, "scored", (0.01, 0.0, 0.02))
    batch = SampleBatchFactory(
        epoch=epoch, submission=SubmissionFactory(corpus=epoch.corpus, name="a", state="judging")
    )
    batch.questions.add(QuestionFactory(settled=True), QuestionFactory())
    (_, row) = rows(epoch.corpus, KBP.choices, viewer=UserFactory(operator=True))
    assert (row.rank, row.name, row.measures["precision"].estimate) == (None, "a", None)
    assert "1 of 2 questions" in row.why
    (_, row) = rows(epoch.corpus, KBP.choices)
    assert row.why == "People are judging it."


def test_what_is_judged_before_its_predecessors_says_that_it_waits_for_them(epoch):
    batch = SampleBatchFactory(
        epoch=epoch, submission=SubmissionFactory(corpus=epoch.corpus, state="judging")
    )
    batch.questions.add(QuestionFactory(settled=True))
    (row,) = rows(epoch.corpus, KBP.choices, viewer=UserFactory(operator=True))
    assert "once the systems that came before it are judged" in row.why


@pytest.mark.parametrize("state", ["withdrawn", "refused", "failed"])
def test_what_came_to_nothing_is_not_listed(epoch, state):
    SubmissionFactory(corpus=epoch.corpus, state=state)
    assert rows(epoch.corpus, KBP.choices, viewer=UserFactory(operator=True)) == []


def test_a_withdrawn_system_is_hidden_with_its_score(epoch):
    submission = scored(epoch, "gone").submission
    submission.state = "withdrawn"
    submission.save()
    assert rows(epoch.corpus, KBP.choices) == []


def test_what_is_not_published_is_for_its_team_and_operators(epoch):
    member = UserFactory()
    scored(epoch, "secret", is_public=False, team=TeamFactory(members=[member]))
    seen = [
        len(rows(epoch.corpus, KBP.choices, viewer=one))
        for one in (None, UserFactory(), member, UserFactory(operator=True))
    ]
    assert seen == [0, 0, 1, 1]


def test_another_corpus_is_another_board(epoch):
    scored(epoch, "here")
    assert rows(CorpusFactory(), KBP.choices) == []


@pytest.mark.parametrize(
    ("choice", "where"),
    [
        ({"level": 99}, "level"),
        ({"part": "half"}, "part"),
        ({"weighting": "heavy"}, "weighting"),
        ({"estimator": "joint"}, "estimator"),
    ],
)
def test_what_does_not_exist_is_refused_by_name(epoch, choice, where):
    with pytest.raises(InvalidInput) as caught:
        rows(epoch.corpus, KBP.choices, **choice)
    assert caught.value.where == where


def test_a_corpus_with_independent_draws_shows_the_joint_estimate():
    epoch = EpochFactory(corpus__design="iid")
    submission = SubmissionFactory(corpus=epoch.corpus, state="scored")
    batch = SampleBatchFactory(epoch=epoch, submission=submission, lam=None, floor=None, draws=500)
    ScoreFactory(batch=batch, estimator="joint", weighting="subject_relation", f=(0.6, 0.5, 0.7))
    ScoreFactory(batch=batch, estimator="simple", weighting="subject_relation", f=(0.4, 0.3, 0.5))
    ScoreFactory(batch=batch, estimator="joint", f=(0.2, 0.1, 0.3))
    assert [row.measures["f1"].estimate for row in rows(epoch.corpus, KBP.choices)] == [0.6]


def test_the_number_of_queries_does_not_grow(epoch, django_assert_num_queries):
    for index in range(7):
        scored(epoch, f"system {index}")
    with django_assert_num_queries(4):
        assert len(rows(epoch.corpus, KBP.choices)) == 7


def test_the_page_weighs_in_every_way_that_is_scored(epoch, client):
    score = scored(epoch, "one", (0.5, 0.4, 0.6))
    ScoreFactory(batch=score.batch, weighting="subject", f=(0.729, 0.6, 0.8))
    address = f"/corpora/{epoch.corpus.tag}/"
    page = client.get(address).content.decode()
    for weighting in ("subject_relation", "instance", "subject", "relation"):
        assert f"?weighting={weighting}" in page
    assert "72.9" not in page
    assert "72.9" in client.get(address, {"weighting": "subject"}).content.decode()


def test_the_page_of_independent_draws_opens_as_in_the_paper_and_offers_every_weighting(client):
    corpus = CorpusFactory(design="iid")
    SubmissionFactory(corpus=corpus, state="judging")
    page = client.get(f"/corpora/{corpus.tag}/").content.decode()
    for weighting in KBP.choices.weightings:
        assert f"?weighting={weighting}" in page
    shown = [KBP.choices.weightings["subject_relation"], html.escape(KBP.choices.estimators["joint"])]
    for words in shown:
        assert re.search(r'aria-current="true">' + re.escape(words), page)


def test_the_page_says_where_intervals_are_the_bootstraps(client):
    epoch = EpochFactory(corpus__design="iid")
    submission = SubmissionFactory(corpus=epoch.corpus, state="scored")
    batch = SampleBatchFactory(epoch=epoch, submission=submission, lam=None, floor=None, draws=500)
    for estimator in ("joint", "joint_bootstrap"):
        ScoreFactory(batch=batch, estimator=estimator, weighting="subject_relation")
    address = f"/corpora/{epoch.corpus.tag}/"
    words = "1,000 bootstrap replicates"
    assert words not in client.get(address).content.decode()
    assert words in client.get(address, {"estimator": "joint_bootstrap"}).content.decode()


def test_json_rows_have_a_rank_or_null(epoch):
    scored(epoch, "many labels", (0.5, 0.4, 0.6))
    scored(epoch, "few labels", (0.7, 0.4, 0.9))
    Score.objects.filter(submission__name="many labels").update(rank=1)
    Score.objects.filter(submission__name="few labels").update(rank=None, labels=12)
    SubmissionFactory(corpus=epoch.corpus, name="waiting", state="judging", is_public=True)
    out = StringIO()
    call_command("leaderboard", "--corpus", epoch.corpus.tag, "--json", stdout=out)
    ranks = {row["name"]: row["rank"] for row in json.loads(out.getvalue())["rows"]}
    assert ranks == {"many labels": 1, "few labels": None, "waiting": None}
