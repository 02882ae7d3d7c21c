"""The simulated crowd, against a world whose truth is known."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotations import corpora, responses
from annotations.aggregation.crowds import Crowd
from annotations.models import Corpus, Document, Label, Question, Response
from annotations.questions import CanonicalClaim, Claim, ask_canonicals, ask_relations
from annotations.texts.records import AnnotationRecord
from crowd.simulation import simulated_crowd
from kbpo.accounts.models import User
from kbpo.core.commands import Refused
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.factories import UserFactory
from tests.ontologies import TAC
from tests.world import World

pytestmark = pytest.mark.django_db

Gold = dict[str, AnnotationRecord]
Votes = set[tuple[str, str, str, str]]

SIZE = 12


@pytest.fixture
def world() -> World:
    return World(SIZE)


@pytest.fixture
def gold_file(world: World, tmp_path: Path) -> Path:
    return world.write_gold(tmp_path / "gold.jsonl")


@pytest.fixture
def gold(gold_file: Path) -> Gold:
    return simulated_crowd.read_gold(gold_file, TAC)


@pytest.fixture
def load(world: World, tmp_path: Path) -> Callable[..., Corpus]:
    """Load the world as a corpus of its own."""
    path = world.write_corpus(tmp_path / "corpus.jsonl")

    def load(policy: str | None, tag: str = "small") -> Corpus:
        return corpora.load_corpus(path=path, tag=tag, policy=policy).corpus

    return load


@pytest.fixture
def corpus(load: Callable[..., Corpus]) -> Corpus:
    return load("fixed")


@pytest.fixture
def asked(corpus: Corpus, world: World) -> int:
    return ask(corpus, world)


def ask(corpus: Corpus, world: World) -> int:
    """Ask of each document who works for the organization, and two canonical mentions."""
    for index, document in enumerate(Document.objects.filter(corpus=corpus).order_by("doc_id")):
        spans = {role: Span(*world.span(index, role)) for role in ("first", "second", "org")}
        ask_relations(
            [
                Claim(document.pk, "per:employee_or_member_of", spans["first"], "PER", spans["org"], "ORG"),
                Claim(document.pk, "per:employee_or_member_of", spans["second"], "PER", spans["org"], "ORG"),
            ]
        )
        ask_canonicals(
            [
                CanonicalClaim(document.pk, spans["first"], spans["first"]),
                CanonicalClaim(document.pk, spans["second"], spans["first"]),
            ]
        )
    return Question.objects.filter(document__corpus=corpus).count()


def votes() -> Votes:
    rows = Response.objects.filter(is_expert=False).values_list(
        "question__document__doc_id", "question__key", "worker__email", "answer"
    )
    return {(doc_id, key, worker, json.dumps(answer)) for doc_id, key, worker, answer in rows}


def forget() -> None:
    Label.objects.all().delete()
    Response.objects.all().delete()
    Question.objects.update(state="open", settled_at=None)


def test_without_errors_every_label_is_the_truth(corpus: Corpus, gold: Gold, asked: int) -> None:
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, error=0)
    assert (report.questions, report.answers, report.expert_answers) == (asked, 3 * asked, 0)
    assert not Question.objects.exclude(state="settled").exists()
    true = Label.objects.filter(value=1)
    assert true.filter(claim__startswith="per:employee_or_member_of").count() == SIZE
    assert true.filter(claim="right").count() == SIZE
    assert true.count() == 2 * SIZE


def test_with_errors_experts_settle_what_the_votes_do_not(corpus: Corpus, gold: Gold, asked: int) -> None:
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.6)
    assert report.expert_answers > 0
    assert not Question.objects.exclude(state="settled").exists()
    for label in Label.objects.filter(source="expert", claim__startswith="per:employee_or_member_of"):
        first = label.question.payload["mentions"][0]["start"] == 0
        assert label.value == first


def test_votes_are_added_where_three_do_not_settle_a_question(corpus: Corpus, gold: Gold, asked: int) -> None:
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.6)
    votes = [question.responses.filter(is_expert=False).count() for question in Question.objects.all()]
    assert (min(votes), max(votes)) == (3, 5)
    assert (report.questions, report.answers) == (asked, sum(votes))


def test_a_curtailed_corpus_has_the_labels_of_a_fixed_one_for_fewer_votes(
    load: Callable[..., Corpus], world: World, gold: Gold
) -> None:
    labels, answers = {}, {}
    for policy in ("fixed", "curtailed"):
        corpus = load(policy, tag=policy)
        asked = ask(corpus, world)
        answers[policy] = simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.25).answers
        rows = Label.objects.filter(question__document__corpus=corpus)
        labels[policy] = set(
            rows.values_list("question__document__doc_id", "question__key", "claim", "value", "source")
        )
    assert labels["fixed"] == labels["curtailed"]
    assert 2 * asked < answers["curtailed"] < 3 * asked < answers["fixed"]


def test_a_corpus_without_a_policy_of_its_own_is_curtailed(
    load: Callable[..., Corpus], world: World, gold: Gold
) -> None:
    corpus = load(None)
    asked = ask(corpus, world)
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, error=0)
    assert (report.questions, report.answers, report.expert_answers) == (asked, 2 * asked, 0)


def test_where_only_two_can_vote_an_expert_decides_between_them(
    load: Callable[..., Corpus], world: World, gold: Gold
) -> None:
    corpus = load("curtailed")
    asked = ask(corpus, world)
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, workers=2, error=0.4)
    assert (report.answers, report.expert_answers > 0) == (2 * asked, True)
    assert not Question.objects.exclude(state="settled").exists()


def test_where_nobody_is_left_to_vote_an_expert_decides(corpus: Corpus, gold: Gold, asked: int) -> None:
    report = simulated_crowd.simulate(corpus=corpus, gold=gold, workers=3, error=0.6)
    assert report.expert_answers > 0
    assert report.answers == 3 * asked
    assert not Question.objects.exclude(state="settled").exists()


def test_workers_err_as_often_as_they_are_told_to(corpus: Corpus, gold: Gold, asked: int) -> None:
    simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.25)
    wrong = [
        response.answer != simulated_crowd.truth(response.question, gold)
        for response in Response.objects.filter(is_expert=False).select_related("question__document")
    ]
    assert len(wrong) >= 3 * asked
    assert abs(sum(wrong) / len(wrong) - 0.25) < 4 * (0.25 * 0.75 / len(wrong)) ** 0.5


def test_in_a_hard_crowd_workers_err_together(corpus: Corpus, gold: Gold, asked: int) -> None:
    crowd = Crowd("test", careful=(0, 0), careless=(0, 0), hard=0.5, more=1.0)
    simulated_crowd.simulate(corpus=corpus, gold=gold, error=crowd)
    wrong = {
        sum(
            response.answer != simulated_crowd.truth(question, gold)
            for response in question.responses.filter(is_expert=False)
        )
        / question.responses.filter(is_expert=False).count()
        for question in Question.objects.select_related("document")
    }
    assert wrong == {0, 1}


def test_a_seed_gives_the_same_votes_and_another_seed_others(corpus: Corpus, gold: Gold, asked: int) -> None:
    def run(seed: int) -> Votes:
        forget()
        simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.3, seed=seed)
        return votes()

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_votes_do_not_hang_on_the_order_or_on_interruptions(
    corpus: Corpus, gold: Gold, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.3)
    uninterrupted = votes()
    forget()
    monkeypatch.setattr(simulated_crowd, "BATCH", 7)
    taken: list[int] = []

    def until_killed(*, answers: list[responses.Answer]) -> list[Response]:
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(len(answers))
        return responses.record_many(answers=answers)

    with monkeypatch.context() as patch:
        patch.setattr(simulated_crowd, "record_many", until_killed)
        with pytest.raises(KeyboardInterrupt):
            simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.3)
    assert 0 < Response.objects.count() < len(uninterrupted)
    simulated_crowd.simulate(corpus=corpus, gold=gold, error=0.3)
    assert votes() == uninterrupted


def test_people_who_have_voted_are_counted(corpus: Corpus, gold: Gold, asked: int) -> None:
    question = Question.objects.filter(kind="relation").earliest("pk")
    person = UserFactory.create(annotator=True)
    responses.record(question=question, worker=person, answer={"none": True})
    simulated_crowd.simulate(corpus=corpus, gold=gold, error=0)
    assert question.responses.count() == 3


def test_running_again_finds_nothing_to_do(corpus: Corpus, gold: Gold, asked: int) -> None:
    simulated_crowd.simulate(corpus=corpus, gold=gold)
    assert simulated_crowd.simulate(corpus=corpus, gold=gold).answers == 0


def test_simulated_people_are_marked_and_cannot_sign_in(corpus: Corpus, gold: Gold, asked: int) -> None:
    simulated_crowd.simulate(corpus=corpus, gold=gold, workers=5)
    people = User.objects.filter(email__endswith="@simulated.invalid")
    assert people.filter(name__startswith="Simulated worker").count() == 5
    assert not any(person.is_active or person.has_usable_password() for person in people)


def test_other_corpora_are_left_alone(corpus: Corpus, gold: Gold, asked: int) -> None:
    other = Corpus.objects.create(tag="other", name="Other")
    assert simulated_crowd.simulate(corpus=other, gold=gold).questions == 0


def test_too_few_workers_are_refused(corpus: Corpus, gold: Gold, asked: int) -> None:
    with pytest.raises(InvalidInput, match="needs 3 more votes, and 2 of 2 workers"):
        simulated_crowd.simulate(corpus=corpus, gold=gold, workers=2)


def test_a_question_of_which_gold_knows_nothing_is_refused_by_name(
    corpus: Corpus, gold: Gold, asked: int
) -> None:
    del gold["D003"]
    with pytest.raises(InvalidInput, match="gold says nothing of document D003"):
        simulated_crowd.simulate(corpus=corpus, gold=gold)


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"error": 1.5}, {"error": float("nan")}])
def test_arguments_out_of_range_are_refused(corpus: Corpus, gold: Gold, wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        simulated_crowd.simulate(corpus=corpus, gold=gold, **wrong)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_command_says_what_it_did(corpus: Corpus, gold_file: Path, asked: int) -> None:
    out = StringIO()
    call_command(
        "simulate_crowd", "--corpus", "small", "--gold", str(gold_file), "--error", "0", "--json", stdout=out
    )
    assert json.loads(out.getvalue()) == {
        "questions": asked,
        "answers": 3 * asked,
        "expert_answers": 0,
    }


def test_the_command_takes_a_crowd_by_name(corpus: Corpus, gold_file: Path, asked: int) -> None:
    call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold_file), "--crowd", "mixed")
    assert not Question.objects.exclude(state="settled").exists()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--corpus", "none"], 1),
        (["--corpus", "small", "--error", "2"], 2),
        (["--crowd", "mixed", "--error", "0.2"], 2),
        (["--gold", "/nowhere"], 1),
    ],
)
def test_the_command_refuses_with_a_status(
    corpus: Corpus, gold_file: Path, arguments: list[str], status: int
) -> None:
    with pytest.raises(Refused) as refusal:
        call_command("simulate_crowd", "--corpus", "small", "--gold", str(gold_file), *arguments)
    assert refusal.value.returncode == status


def test_few_queries_are_made_whatever_the_number_of_questions(
    corpus: Corpus, gold: Gold, asked: int, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    # each of the thirteen people asks for the types twice
    with django_assert_max_num_queries(96):  # type: ignore[attr-defined]
        simulated_crowd.simulate(corpus=corpus, gold=gold, error=0)
