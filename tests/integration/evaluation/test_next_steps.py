"""Each page leads on: from a board to its corpus, from a team to the upload, from a score to its claims."""

import pytest
from django.urls import reverse

from evaluation.models import SubsetScore
from tests.factories import (
    AnnotationFactory,
    DocumentFactory,
    EpochFactory,
    ProblemFactory,
    SampleBatchFactory,
    ScoreFactory,
    retire,
)

pytestmark = pytest.mark.django_db
SPACES = "The file is in columns with spaces between them, and has no tab."


def scored(epoch, cast, name, **fields):
    batch = SampleBatchFactory(epoch=epoch, submission=cast.submission(state="scored", name=name))
    return ScoreFactory(batch=batch, level=95, **fields)


def parts_page(cast, client, **fields):
    score = scored(EpochFactory(corpus=cast.corpus), cast, "quorum")
    SubsetScore.objects.create(
        submission=score.submission, epoch=score.epoch, part="all", order=0, measure="precision", **fields
    )
    return client.get(score.submission.get_absolute_url()).content.decode()


@pytest.mark.parametrize("name", ["corpus", "data"])
@pytest.mark.parametrize("page", ["/", "/leaderboard/"])
def test_a_leaderboard_leads_to_what_its_corpus_asks_for_and_to_its_data(cast, client, page, name):
    main = client.get(page).content.decode().split('id="board"')[0]
    assert f'<a href="{reverse(name, args=["news"])}">' in main


def test_the_list_of_documents_leads_to_the_texts(cast, client):
    page = client.get(reverse("documents", args=["news"])).content.decode()
    assert reverse("data", args=["news"]) in page


def test_the_list_of_documents_leads_to_those_that_are_open(cast, client):
    document = DocumentFactory(corpus=cast.corpus)
    AnnotationFactory(document=document)
    retire(document)
    page = client.get(reverse("documents", args=["news"])).content.decode()
    assert '<a href="?show=marked">1 document</a>' in page


def test_the_page_of_a_team_leads_to_the_upload(cast, sign_in):
    person = cast.people["team"]
    page = sign_in(person).get(reverse("team", args=[person.teams.get().pk])).content.decode()
    assert f'class="button primary" href="{reverse("upload")}"' in page


def test_a_relation_with_too_few_labels_leads_to_what_is_claimed_of_it(cast, client):
    page = parts_page(cast, client, division="predicate", name="per:spouse")
    assert "?predicate=per%3Aspouse" in page


def test_a_part_that_is_no_relation_leads_nowhere(cast, client):
    page = parts_page(cast, client, division="frequency", name="at most 3")
    assert "Too few labels: at most 3." in page


@pytest.mark.parametrize(("errors", "said"), [(1, True), (2, False)])
def test_the_only_error_of_a_refused_file_is_said_at_the_top(cast, sign_in, errors, said):
    submission = cast.submission(state="refused")
    ProblemFactory.create_batch(errors, submission=submission, message=SPACES, severity="ERROR")
    page = sign_in(cast.people["team"]).get(submission.get_absolute_url()).content.decode()
    assert (f'<p class="note bad">{SPACES}</p>' in page) is said


@pytest.mark.parametrize(("who", "said"), [("team", True), ("visitor", False)])
def test_who_waits_for_a_score_learns_that_a_mail_comes(cast, sign_in, who, said):
    submission = cast.submission(state="judging")
    page = sign_in(cast.people[who]).get(submission.get_absolute_url()).content.decode()
    assert (reverse("mail_choices") in page) is said


def test_systems_to_compare_are_listed_with_their_ranks_the_best_first(cast, client):
    epoch = EpochFactory(corpus=cast.corpus)
    for name, rank in [("aardvark", 2), ("unranked", None), ("zebra", 1)]:
        scored(epoch, cast, name, rank=rank)
    page = client.get(reverse("compare", args=["news"])).content.decode()
    assert page.count(", rank 1</option>") == 2  # in both lists
    assert page.index("zebra") < page.index("aardvark") < page.index("unranked")
