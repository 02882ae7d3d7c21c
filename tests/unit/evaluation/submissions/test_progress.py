import datetime

import pytest

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.submissions.progress import EVENTS, HEADINGS, Progress, next_step
from kbpo.core.durations import in_words


@pytest.mark.parametrize(
    ("minutes", "words"),
    [
        (0.2, "less than a minute"),
        (1, "about 1 minute"),
        (59, "about 59 minutes"),
        (85, "about 85 minutes"),
        (100, "about 2 hours"),
        (60 * 30, "about 30 hours"),
        (60 * 60, "about 2 days"),
    ],
)
def test_a_span_of_time_is_said_roughly(minutes, words):
    assert in_words(datetime.timedelta(minutes=minutes)) == words


def test_progress_says_how_much_and_how_long():
    done = Progress(3, 456, datetime.timedelta(hours=2))
    assert done.words == "3 of 456 questions settled; about 2 hours left"


def test_progress_does_not_guess_without_a_rate():
    assert Progress(3, 456, None).words == "3 of 456 questions settled"


def test_where_nothing_new_is_asked_what_it_shares_is_counted():
    done = Progress(0, 0, None, shared=708, shared_settled=390)
    assert done.bar == (390, 708)
    assert done.words == (
        "nothing new is asked; of 708 questions that were asked for other systems before and that it needs"
        " too, 390 are settled"
    )
    assert not done.words_of_shared


def test_what_is_shared_stands_beside_what_is_asked_for_it():
    done = Progress(3, 456, None, shared=312, shared_settled=300, shared_audits=12)
    assert done.bar == (3, 456)
    assert done.words_of_shared == (
        "312 more that it needs (12 of these ask some of the others again) were asked for other systems"
        " before: 300 of them are settled"
    )


@pytest.mark.parametrize("state", Submission.State.values)
def test_every_state_has_words_for_people(state):
    assert HEADINGS[state]
    assert EVENTS[state]
    assert next_step(Submission(state=state, corpus=Corpus())).endswith(".")


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (
            "fixed",
            "Three people answer each question, more if they do not agree, then an expert. Then it",
        ),
        ("curtailed", "Two people answer each question; where they differ a third does, in a second round"),
    ],
)
def test_who_judges_is_as_the_corpus_has_it(policy, words):
    assert next_step(Submission(state="judging", corpus=Corpus(policy=policy))).startswith(words)


def test_an_accepted_submission_waits_for_its_teams_word():
    assert next_step(Submission(state="accepted")) == "Nobody judges it until you say so."


def test_a_used_up_quota_says_when_it_is_free():
    free = datetime.datetime(2026, 3, 4, 15, 30, tzinfo=datetime.UTC)
    assert "4 March at 15:30 UTC" in next_step(Submission(state="accepted", go_ahead=True), free)
