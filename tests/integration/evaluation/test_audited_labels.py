"""Which labels are audited: as many as a corpus says, once people have settled them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command

from annotations import questions
from annotations.models import Corpus, Question
from annotations.responses import Answer, record_many
from crowd.simulation import simulated_crowd
from evaluation.design import audit
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Audit,
    Estimate,
    Score,
)
from kbpo import pipeline
from kbpo.core.commands import Refused
from kbpo.core.errors import Conflict
from tests.factories import UserFactory
from tests.integration.conftest import Submit
from tests.ontologies import TAC
from tests.world import World

pytestmark = pytest.mark.django_db

Judge = Callable[..., None]


@pytest.fixture
def vote(gold: Path) -> Judge:
    """Have people who err vote on what is open now, without the pipeline going on."""

    def vote(error: float = 0.1) -> None:
        corpus, truth = Corpus.objects.get(tag="small"), simulated_crowd.read_gold(gold, TAC)
        simulated_crowd.simulate(corpus=corpus, gold=truth, error=error)

    return vote


def test_what_is_not_settled_is_not_audited(audited: Corpus, submit: Submit) -> None:
    submit("one")
    pipeline.advance()
    question = Question.objects.filter(state="open")[0]
    with pytest.raises(Conflict, match="not settled"):
        questions.ask_audits(questions=[question.pk])


def test_an_expert_stands_by_their_answer(audited: Corpus, submit: Submit) -> None:
    submit("one")
    pipeline.advance()
    expert = UserFactory(operator=True)
    answers = {"relation": {"relations": [], "none": True}, "canonical": {"right": True}}
    record_many(
        answers=[
            Answer(question=one, worker=expert, answer=answers[one.kind], as_expert=True)
            for one in Question.objects.filter(state="open")
        ]
    )
    pipeline.advance()
    assert set(Audit.objects.values_list("probability", "is_drawn")) == {(1.0, True)}
    assert not Question.objects.filter(audits__isnull=False).exists()
    assert Score.objects.exists()
    assert audit.audit_corpus(audited, KBP) == []


@pytest.mark.slow
def test_precision_by_votes_is_what_it_is_without_audits(submit: Submit, vote: Judge, corpus: Corpus) -> None:
    def measured() -> set[tuple[object, ...]]:
        rows = Estimate.objects.filter(measure="precision", score__level=95)
        choice = ("score__submission", "score__estimator", "score__weighting", "score__part")
        return set(rows.values_list(*choice, "estimate", "low", "high"))

    submit("one", seed=1)
    submit("two", team="Beta", seed=2)
    pipeline.advance()
    vote()
    pipeline.advance()
    without = measured()
    assert without
    Corpus.objects.update(audit_share=0.2)
    Score.objects.all().update(code_version="before")
    pipeline.advance()
    assert Audit.objects.filter(is_drawn=True).exists()
    vote()
    pipeline.advance()
    assert not Score.objects.filter(code_version="before").exists()
    assert without <= measured()


def test_load_corpus_audits_a_tenth_unless_it_is_told_otherwise(world: World, tmp_path: Path) -> None:
    path = str(world.write_corpus(tmp_path / "c.jsonl"))
    shares = {"a": [], "b": ["--audit-share", "0.25"], "c": ["--audit-share", "0"], "d": ["--design", "iid"]}
    for tag, options in shares.items():
        call_command("load_corpus", path, "--corpus", tag, *options, verbosity=0)
    stored = Corpus.objects.order_by("tag").values_list("audit_share", flat=True)
    assert list(stored) == [0.1, 0.25, 0.0, 0.0]
    call_command("load_corpus", path, "--corpus", "b", verbosity=0)  # as it is
    with pytest.raises(Refused, match=r"0\.25 are audited"):
        call_command("load_corpus", path, "--corpus", "b", "--audit-share", "0.1", verbosity=0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--audit-share", "1.5"], "from 0 to 1"),
        (["--audit-share", "nan"], "from 0 to 1"),
        (["--audit-share", "0.1", "--design", "iid"], "only under"),
    ],
)
def test_a_share_that_cannot_be_audited_is_refused(
    world: World, tmp_path: Path, options: list[str], said: str
) -> None:
    path = str(world.write_corpus(tmp_path / "c.jsonl"))
    with pytest.raises(Refused, match=said):
        call_command("load_corpus", path, "--corpus", "new", *options)


@pytest.mark.slow
def test_the_simulated_crowd_answers_audits_as_soon_as_they_are_drawn(
    audited: Corpus, submit: Submit, gold: Path
) -> None:
    submission = submit("one")
    pipeline.advance()
    call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold), verbosity=0)
    pipeline.advance()
    submission.refresh_from_db()
    assert submission.state == "scored"
    assert Question.objects.filter(audits__isnull=False, state="settled").exists()
