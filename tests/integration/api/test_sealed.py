"""What is sealed shows in no answer of the API: not in rows, counts, cursors, filters, order or ETags."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import Question
from kbpo.accounts.models import User
from tests import factories as make
from tests.integration.api.conftest import Program, token

pytestmark = pytest.mark.django_db
PEOPLE = ["visitor", "stranger", "rival", "organiser's token that reads"]


class Sealed:
    """An open epoch in which two public systems are judged, and one that is not shown."""

    def __init__(self) -> None:
        self.corpus = make.CorpusFactory.create(tag="news")
        documents = [make.DocumentFactory.create(corpus=self.corpus, doc_id=f"d{n}") for n in range(3)]
        epoch = make.EpochFactory.create(corpus=self.corpus)
        self.rival = make.UserFactory.create()
        teams = [make.TeamFactory.create(), make.TeamFactory.create(members=[self.rival])]
        self.batches = [
            make.SampleBatchFactory.create(
                epoch=epoch,
                submission=make.SubmissionFactory.create(corpus=self.corpus, team=team, state="judging"),
            )
            for team in teams
        ]
        hidden = make.SubmissionFactory.create(corpus=self.corpus, is_public=False, state="judging")
        instances = [make.InstanceFactory.create(document=document) for document in documents]
        for submission in (self.batches[0].submission, hidden):
            for line, instance in enumerate(instances, 1):
                make.PredictionFactory.create(submission=submission, instance=instance, line=line)
        self.public = self.batches[0].submission.pk
        self.questions = [make.QuestionFactory.create(document=document) for document in documents]
        self.batches[0].questions.add(*self.questions[:2])

    def judge(self) -> None:
        """Have people answer about a sampled claim, and sample another."""
        self.batches[0].questions.add(self.questions[2])
        asked = self.questions[0]
        make.ResponseFactory.create(question=asked)
        make.LabelFactory.create(question=asked)
        settled = {"state": Question.State.SETTLED, "settled_at": timezone.now()}
        Question.objects.filter(pk=asked.pk).update(**settled)

    def addresses(self) -> list[str]:
        """Return whatever tells of the corpus and its systems."""
        of_one, of_all = f"submissions/{self.public}/", "corpora/news/"
        return [
            *(f"{of_one}{rest}" for rest in ("", "predictions/", "predictions/?limit=1", "scores/")),
            *(f"{of_one}predictions/?{one}" for one in ("doc_id=d0", "label=per:place_of_birth")),
            *(f"submissions/{rest}" for rest in ("", "?state=judging", "?corpus=news", "?state=scored")),
            *(f"{of_all}{rest}" for rest in ("", "leaderboard/", "documents/", "documents/?q=d0", "epochs/")),
            *(f"{of_all}epochs/1/{rest}" for rest in ("", "labels/", "labels/?limit=1&cursor=MS4x")),
            f"{of_all}compare/?a={self.public}&b={self.batches[1].submission.pk}",
            f"{of_all}documents/d0/",
            "corpora/",
        ]


@pytest.fixture
def sealed() -> Sealed:
    return Sealed()


def program(sealed: Sealed, who: str) -> Program:
    if who == "visitor":
        return Program()
    if who == "rival":
        return Program(token(sealed.rival))
    user: User = make.UserFactory.create()
    if who == "stranger":
        return Program(token(user))
    return Program(token(make.give(user, sealed.corpus, "organiser"), "read"))


def answers(asks: Callable[..., Any], addresses: list[str]) -> dict[str, tuple[int, bytes, str | None]]:
    found = {}
    for address in addresses:
        answer = asks("GET", address)
        found[address] = (answer.status_code, answer.content, answer.headers.get("ETag"))
    return found


@pytest.mark.parametrize("who", PEOPLE)
def test_no_answer_changes_when_a_claim_of_an_open_epoch_is_judged(sealed: Sealed, who: str) -> None:
    asks = program(sealed, who)
    before = answers(asks, sealed.addresses())
    sealed.judge()
    assert answers(asks, sealed.addresses()) == before


def test_the_answers_that_may_not_change_are_there_to_be_read(sealed: Sealed) -> None:
    found = answers(Program(), sealed.addresses())
    refused = {address for address, (status, *_) in found.items() if status != 200}
    assert refused == {address for address in found if "/labels/" in address}
    assert b'"d0"' in found[f"submissions/{sealed.public}/predictions/?limit=1"][1]


#: What stands under an address that a team keeps to itself.
OF_A_SUBMISSION = ["", "problems/", "file/", "predictions/", "scores/"]
ACTS = ["go-ahead", "resume", "cancel", "withdraw", "publish", "hide", "delete-file"]
NOBODYS = 10**12


@pytest.mark.parametrize(
    ("method", "part"),
    [
        *(("GET", part) for part in OF_A_SUBMISSION),
        ("POST", "file/"),
        *(("POST", f"{act}/") for act in ACTS),
    ],
)
def test_a_hidden_submission_is_refused_in_the_words_for_one_that_is_not_there(
    db: None, method: str, part: str
) -> None:
    hidden = make.SubmissionFactory.create(is_public=False, state="scored")
    make.ProblemFactory.create(submission=hidden)
    asks = Program(token(make.UserFactory.create()))
    found, none = (asks(method, f"submissions/{pk}/{part}") for pk in (hidden.pk, NOBODYS))
    assert (found.status_code, found.json()) == (none.status_code, none.json())
    assert found.status_code == 404


def test_a_comparison_does_not_say_that_a_hidden_submission_is_there(sealed: Sealed) -> None:
    hidden = make.SubmissionFactory.create(corpus=sealed.corpus, is_public=False, state="scored").pk
    found, none = (
        Program()("GET", f"corpora/news/compare/?a={sealed.public}&b={pk}") for pk in (hidden, NOBODYS)
    )
    assert (found.status_code, found.json()) == (404, none.json())


def test_filters_find_nothing_of_a_hidden_submission(sealed: Sealed) -> None:
    team = make.TeamFactory.create(name="Shy")
    make.SubmissionFactory.create(corpus=sealed.corpus, team=team, is_public=False, state="scored")
    for query in ("team=Shy", "state=scored", "corpus=news&state=scored"):
        assert Program().get(f"submissions/?{query}")["results"] == []
