"""From judged claims to ranks, subsets, corrected scores and what the pages say of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings

from annotations.models import AnnotatedRelation, Corpus, KindAgreement, Label
from evaluation.design import epochs
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Comparison,
    Epoch,
    Estimate,
    NameCount,
    Ranking,
    SampledUnit,
    Score,
    Submission,
    SubsetScore,
)
from evaluation.scoring import estimation, finegrained
from evaluation.scoring.ranks import find_ranks
from evaluation.submissions import lifecycle
from kbpo import pipeline
from kbpo.accounts.models import Membership, User
from tests.world import World

pytestmark = pytest.mark.django_db


WORLD = World(60)
GOOD = WORLD.system(recall=0.9, precision=0.8, seed=1)
FEW = WORLD.system(recall=0.3, precision=0.8, seed=2)

Enter = Callable[..., Submission]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fine_scores")


@pytest.fixture(scope="module")
def enter(folder: Path) -> Enter:
    """Submit a system and have everything judged."""

    def enter(name: str, claims: object, team: str) -> Submission:
        path = WORLD.write_kb(folder / f"{name}.kb", claims)  # type: ignore[arg-type]
        call_command("submit", str(path), "--corpus", "small", "--team", team, "--name", name, verbosity=0)
        pipeline.advance()
        call_command("simulate_crowd", "--corpus", "small", "--gold", str(folder / "gold"), "--error", "0")
        pipeline.advance()
        return Submission.objects.get(name=name)

    return enter


@pytest.fixture(scope="module")
def judged(django_db_setup: None, django_db_blocker: Any, folder: Path, enter: Enter) -> Iterator[None]:
    """Two systems of one mind, and one that finds a third of what they find; once for all tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(KBPO_EPOCH_SECRET=bytes(range(32))):
            corpus = WORLD.write_corpus(folder / "corpus.jsonl")
            call_command("load_corpus", str(corpus), "--corpus", "small", "--audit-share", "0", verbosity=0)
            gold = WORLD.write_gold(folder / "gold")
            call_command("load_gold", str(gold), "--corpus", "small", "--documents", "30", "--seed", "1")
            Corpus.objects.update(target_half_width=0.025)
            enter("good", GOOD, "Alpha")
            enter("twin", GOOD, "Beta")
            enter("few", FEW, "Gamma")
        yield
        transaction.set_rollback(True)


@pytest.fixture
def scored(judged: None) -> list[Submission]:
    return list(Submission.objects.order_by("pk"))


@pytest.fixture
def corpus(judged: None) -> Corpus:
    return Corpus.objects.get()


def ranks(**choice: str) -> dict[str, int | None]:
    chosen = {"part": "relation", "weighting": "instance", "estimator": "documents", "level": 95}
    return dict(Score.objects.filter(**(chosen | choice)).values_list("submission__name", "rank"))


def test_systems_that_claim_the_same_share_a_rank_and_a_worse_one_has_another(
    scored: list[Submission],
) -> None:
    assert ranks() == {"good": 1, "twin": 1, "few": 3}


def test_what_the_ranks_rest_on_is_stored(scored: list[Submission]) -> None:
    ranking = Ranking.objects.get(part="relation", weighting="instance", estimator="documents", level=95)
    assert (ranking.systems, ranking.apart) == (3, 2)


def test_a_system_with_too_few_labels_has_no_rank_and_counts_in_no_others(scored: list[Submission]) -> None:
    Score.objects.filter(submission=scored[0]).update(labels=29)
    found = find_ranks(corpus=Corpus.objects.get(), task=KBP)
    chosen = [found.ranks.get((one.pk, "documents", "instance", "relation", "votes", 95)) for one in scored]
    assert chosen == [None, 1, 2]
    assert {systems for systems, _ in found.counts.values()} == {2}


@pytest.mark.parametrize("estimator", ["documents", "labelled", "both"])
@pytest.mark.parametrize("part", ["all", "relation", "linking"])
def test_every_estimator_and_part_has_ranks(scored: list[Submission], part: str, estimator: str) -> None:
    assert None not in ranks(part=part, estimator=estimator).values()


def test_hiding_a_system_moves_no_rank(scored: list[Submission]) -> None:
    before = ranks()
    operator = User.objects.create_user("o@example.org", is_operator=True)
    lifecycle.set_public(submission=scored[0], user=operator, is_public=False)
    pipeline.advance()
    assert ranks() == before


def test_withdrawing_a_system_leaves_the_first_rank_to_the_others(scored: list[Submission]) -> None:
    operator = User.objects.create_user("o@example.org", is_operator=True)
    for submission in scored[:2]:
        lifecycle.withdraw(submission=submission, user=operator)
    pipeline.advance()
    assert ranks() == {"good": None, "twin": None, "few": 1}


def test_systems_of_a_later_epoch_are_ranked_with_the_others(
    scored: list[Submission], corpus: Corpus, enter: Enter
) -> None:
    epochs.release(task=KBP, corpus=corpus)
    enter("late", GOOD, "Delta")
    assert Epoch.objects.filter(scores__submission__name="late").first().number == 2  # type: ignore[union-attr]
    assert ranks() == {"good": 1, "twin": 1, "few": 4, "late": 1}


def test_a_released_epoch_is_scored_anew_with_the_same_scores(
    scored: list[Submission], corpus: Corpus
) -> None:
    released = epochs.release(task=KBP, corpus=corpus)
    choice = ("submission", "part", "weighting", "estimator", "level", "rank")
    columns = (*(f"score__{name}" for name in choice), "measure", "estimate", "low", "high")
    before = set(Estimate.objects.values_list(*columns))
    Epoch.objects.filter(pk=released.pk).update(scores_due=True)
    assert estimation.score_epoch(task=KBP, epoch_id=released.pk)
    assert set(Estimate.objects.values_list(*columns)) == before


def test_scoring_again_leaves_as_many_rows(scored: list[Submission]) -> None:
    models = (Score, Estimate, SubsetScore, Comparison, Ranking)
    before = [model.objects.count() for model in models]
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert [model.objects.count() for model in models] == before


def test_only_the_newest_scores_of_an_epoch_are_kept(scored: list[Submission], enter: Enter) -> None:
    enter("fourth", WORLD.system(recall=0.5, precision=0.5, seed=4), "Delta")
    assert set(Score.objects.values_list("batch__number", flat=True)) == {4}
    assert Score.objects.count() == 4 * 3 * 4 * 3 * 3
    assert Estimate.objects.count() == 3 * Score.objects.count()


def test_subsets_divide_claims_and_true_relations(scored: list[Submission], corpus: Corpus) -> None:
    spouses = SubsetScore.objects.get(
        submission=scored[0], name="per:spouse", part="relation", measure="precision"
    )
    assert spouses.estimate == 1.0  # nobody claims a marriage that is none
    true = AnnotatedRelation.objects.filter(
        annotation__document__sampled__isnull=False, predicate="per:spouse"
    )
    assert spouses.true == true.count() == 30
    predicates = SubsetScore.objects.filter(submission=scored[0], division="predicate", part="relation")
    claimed = set(scored[0].predictions.values_list("instance__predicate", flat=True))
    assert set(predicates.values_list("name", flat=True)) == claimed
    rare = SubsetScore.objects.get(
        submission=scored[0], division="frequency", part="relation", measure="precision"
    )
    assert rare.name == "at most 3"  # every name of this world is in one document


def test_a_subset_with_too_few_labels_has_no_number_in_the_database(scored: list[Submission]) -> None:
    few = SubsetScore.objects.filter(labels=None)
    assert few.exists()
    assert not SubsetScore.objects.filter(labels__lt=30).exists()
    assert set(few.values_list("estimate", "low", "high", "true")) == {(None,) * 4}


def test_a_page_names_what_has_too_few_labels(scored: list[Submission], client: Client) -> None:
    page = client.get(f"/submissions/{scored[0].pk}/?part=relation").content.decode()
    assert "Too few labels: " in page
    assert "per:spouse" in page


def test_names_are_counted_once(scored: list[Submission]) -> None:
    before = list(NameCount.objects.order_by("pk").values_list("pk", "name", "documents"))
    assert before
    assert {documents for _, _, documents in before} == {1}
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert list(NameCount.objects.order_by("pk").values_list("pk", "name", "documents")) == before


@pytest.mark.slow
def test_the_pipeline_measures_agreement_before_it_scores(scored: list[Submission], client: Client) -> None:
    relation = KindAgreement.objects.get(kind="relation")
    assert relation.kappa == pytest.approx(1.0)
    page = client.get("/corpora/small/").content.decode()
    assert "How far people agree" in page


def test_labels_are_measured_after_scores_which_do_not_wait_for_it(scored: list[Submission]) -> None:
    Label.objects.update(posterior=None)
    Epoch.objects.update(scores_due=True)
    pipeline.score_epochs()
    assert not Label.objects.exclude(posterior=None).exists()
    pipeline.score_subsets()
    assert not Label.objects.filter(posterior=None).exists()


def test_what_a_submission_took_adds_up(scored: list[Submission]) -> None:
    first, second, _ = (finegrained.cost(one, KBP.choices) for one in scored)
    assert first is not None
    assert second is not None
    assert (first.reused, first.published) == (0, 0)
    assert first.new == SampledUnit.objects.filter(batch__number=1).count()
    new = SampledUnit.objects.filter(batch__number=2).count()
    assert (second.reused, second.new) == (first.new, new)  # its twin's sample, and what two need for both
    assert new < first.new / 2
    assert first.half_width is not None
    assert 0 < first.half_width <= 2.5
    assert first.target == pytest.approx(2.5)
    assert (first.level, first.is_released) == (80, False)


def test_what_a_submission_took_names_every_label_of_its_scores(
    scored: list[Submission], client: Client
) -> None:
    took = [finegrained.cost(one, KBP.choices) for one in scored]
    labels = [Score.objects.filter(submission=one).values_list("labels", flat=True)[0] for one in scored]
    assert [one and one.all + one.later for one in took] == labels
    assert took[0] is not None
    assert took[0].later > 0
    client.force_login(User.objects.create_superuser("operator@example.org"))
    page = client.get(f"/submissions/{scored[0].pk}/").content.decode()
    assert f"<strong>{took[0].later}</strong> more" in page


def test_what_was_published_before_is_counted_by_itself(
    scored: list[Submission], corpus: Corpus, enter: Enter
) -> None:
    sampled = SampledUnit.objects.count()
    epochs.release(task=KBP, corpus=corpus)
    late = enter("late", GOOD, "Delta")
    took = finegrained.cost(late, KBP.choices)
    assert took is not None
    assert 0 < took.published <= sampled
    assert took.reused == 0
    assert took.all == SampledUnit.objects.filter(batch__submission=late).count()


def test_the_page_says_what_it_took_and_what_a_release_reveals(
    scored: list[Submission], client: Client, corpus: Corpus
) -> None:
    member = User.objects.create_user("member@example.org")
    Membership.objects.create(team=scored[1].team, user=member)
    address = f"/submissions/{scored[1].pk}/"
    assert "What it took" not in client.get(address).content.decode()  # of an open epoch, to a visitor
    client.force_login(member)
    page = client.get(address).content.decode()
    new = SampledUnit.objects.filter(batch__submission=scored[1]).count()
    assert f"<strong>{new}</strong> were new" in page
    assert "if judges find its claims as sure as they are in the documents" in page
    assert "When epoch 1 is released, everybody will see" in page
    client.logout()
    epochs.release(task=KBP, corpus=corpus)
    assert "Epoch 1 is released" in client.get(address).content.decode()


@pytest.mark.parametrize("query", ["estimator=joint", "part=half", "level=3"])
def test_a_choice_that_does_not_exist_is_refused(
    scored: list[Submission], client: Client, query: str
) -> None:
    assert client.get(f"/submissions/{scored[0].pk}/?{query}").status_code == 400


def test_a_page_costs_no_more_queries_for_more_subsets(
    scored: list[Submission], client: Client, django_assert_max_num_queries: Callable[..., object]
) -> None:
    with django_assert_max_num_queries(25):  # type: ignore[attr-defined]
        client.get(f"/submissions/{scored[0].pk}/")
