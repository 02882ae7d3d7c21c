"""Two systems side by side: figures, words, and who may see them."""

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from annotations.models import DocumentAnnotation
from evaluation.kbp.comparing import pack, unpack
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Comparison, DocumentSample, Ranking, SampledDocument, Score
from evaluation.scoring.comparing import compare
from kbpo_estimators.comparison import Comparable
from tests.factories import (
    CorpusFactory,
    DocumentFactory,
    EpochFactory,
    SampleBatchFactory,
    ScoreFactory,
    SubmissionFactory,
    TeamFactory,
)

pytestmark = pytest.mark.django_db
CHOICE = {
    "level": 95,
    "part": "all",
    "weighting": "instance",
    "estimator": "documents",
    "standard": "votes",
}


def comparable(*precisions, recall=0.5):
    """Systems with the same recall and independent precisions, each with a standard error of .02."""
    m = len(precisions)
    return Comparable(
        precision=np.array(precisions),
        recall=np.full(m, recall),
        precision_covariance=np.eye(m) * 0.02**2,
        recall_covariance=np.zeros((m, m)),
        cross_covariance=np.zeros((m, m)),
        residuals=np.tile([0.01, -0.01, 0.02, -0.02], (m, 1)),
        documents=4,
    )


@pytest.fixture
def epoch(cast):
    documents = [DocumentFactory(corpus=cast.corpus) for _ in range(8)]
    sample = DocumentSample.objects.create(corpus=cast.corpus, size=4, population=8)
    for document in documents[:4]:
        SampledDocument.objects.create(sample=sample, document=document, probability=0.5)
        DocumentAnnotation.objects.create(document=document, digest="0" * 64, completed_at=timezone.now())
    return EpochFactory(corpus=cast.corpus, document_sample=sample)


def scored(epoch, name, precision, **fields):
    batch = SampleBatchFactory(
        epoch=epoch, submission=SubmissionFactory(corpus=epoch.corpus, name=name, state="scored", **fields)
    )
    f = 2 * precision * 0.5 / (precision + 0.5)
    ends = [tuple(one + d for d in (0, -0.05, 0.05)) for one in (precision, 0.5, f)]
    return ScoreFactory(batch=batch, p=ends[0], r=ends[1], f=ends[2]).submission


def stored(epoch, systems, precisions):
    Comparison.objects.create(
        epoch=epoch,
        part="all",
        weighting="instance",
        estimator="documents",
        submissions=[one.pk for one in systems],
        arrays=pack(comparable(*precisions)),
    )
    return systems


@pytest.fixture
def pair(epoch):
    return stored(epoch, [scored(epoch, "quorum", 0.7), scored(epoch, "maxim", 0.5)], (0.7, 0.5))


def address(*systems, name="compare", **choice):
    query = {"a": systems[0].pk, "b": systems[1].pk} | choice
    return reverse(name, args=["news"], query=query)


def test_scores_that_were_not_made_comparable_are_not_compared(client, epoch):
    first, second = scored(epoch, "quorum", 0.7), scored(epoch, "maxim", 0.5)
    assert compare(first, second, KBP, **CHOICE) == []
    assert client.get(address(first, second)).status_code == 200


def test_what_is_packed_comes_back():
    one = comparable(0.4, 0.6)
    again = unpack(pack(one))
    assert np.array_equal(again.precision_covariance, one.precision_covariance)
    assert np.array_equal(again.residuals, one.residuals)
    assert again.documents == 4


def test_the_difference_of_two_systems_by_hand(pair):
    precision, recall, _ = compare(*pair, KBP, **CHOICE)
    assert precision.difference.estimate == pytest.approx(0.2)
    half = 1.959964 * np.sqrt(2) * 0.02
    assert precision.difference.low == pytest.approx(0.2 - half, abs=1e-6)
    assert recall.difference.estimate == 0.0


def test_turning_the_pair_turns_the_sign(pair):
    there, back = compare(*pair, KBP, **CHOICE), compare(*reversed(pair), KBP, **CHOICE)
    for one, other in zip(there, back, strict=True):
        assert one.difference.low == pytest.approx(-other.difference.high)


def test_systems_of_two_epochs_are_compared(epoch):
    first = stored(epoch, [scored(epoch, "old", 0.7)], (0.7,))
    epoch.released_at = epoch.opened_at
    epoch.save()
    later = EpochFactory(corpus=epoch.corpus, number=2, document_sample=epoch.document_sample)
    second = stored(later, [scored(later, "new", 0.4)], (0.4,))
    precision, recall, _ = compare(first[0], second[0], KBP, **CHOICE)
    assert precision.difference.estimate == pytest.approx(0.3)
    assert recall.difference.estimate == 0.0


def test_a_system_without_a_score_of_this_kind_is_not_compared(pair):
    assert compare(*pair, KBP, **(CHOICE | {"level": 80})) == []


def test_the_page_says_who_has_more_and_how_sure_that_is(pair, client):
    page = client.get(address(*pair)).content.decode()
    assert "quorum has 8.3 points more F1 than maxim: between " in page
    assert "The data do not tell the two apart in recall" in page
    assert "in the same epoch" in page


def test_the_page_names_the_better_one_whatever_the_order(pair, client):
    page = client.get(address(*reversed(pair))).content.decode()
    assert "quorum has 8.3 points more F1 than maxim: between " in page
    assert "−8.3" in page


@pytest.fixture
def ranked(pair):
    """The pair among forty ranked systems, of which a tenth of the pairs differ."""
    Score.objects.update(rank=1)
    choice = {"part": "all", "weighting": "instance", "estimator": "documents"}
    Ranking.objects.create(corpus=pair[0].corpus, level=95, systems=40, apart=78, **choice)
    return pair


def test_among_many_systems_an_interval_is_wider(ranked):
    precision, _, f1 = compare(*ranked, KBP, **CHOICE)
    half = 0.5 * (precision.among.difference.high - precision.among.difference.low)
    assert half == pytest.approx(4.0 / 1.96 * np.sqrt(2) * 0.05, rel=0.05)
    assert (precision.among.systems, precision.among.is_significant) == (40, None)
    assert f1.among.is_significant is False  # four documents


def test_the_page_says_what_becomes_of_the_difference_among_all(ranked, client):
    page = client.get(address(*ranked)).content.decode()
    assert "Among the 40 ranked systems there are 780 pairs" in page
    assert "99.99% for each" in page
    assert "for the ranks it is no difference" in page


def test_of_an_unranked_system_nothing_is_said_among_others(ranked, client):
    Score.objects.filter(submission=ranked[0]).update(rank=None, labels=29)
    page = client.get(address(*ranked)).content.decode()
    assert "Among the 40" not in page
    assert "ranks leave out a system of which too little is judged" in page


def test_the_api_says_what_becomes_of_the_difference_among_all(ranked, client):
    answer = client.get(address(*ranked, name="api_compare")).json()["measures"]
    assert answer["precision"]["among"]["systems"] == 40
    assert answer["f1"]["among"]["is_significant"] is False


def test_the_api_answers_with_fractions(pair, client):
    answer = client.get(address(*pair, name="api_compare")).json()
    assert answer["measures"]["precision"]["difference"]["estimate"] == pytest.approx(0.2)
    assert answer["measures"]["f1"]["a"]["estimate"] == pytest.approx(0.7 / 1.2)
    assert (answer["level"], answer["estimator"]) == (95, "documents")


def test_the_api_answers_with_null_where_there_is_no_score(pair, client):
    answer = client.get(address(*pair, name="api_compare", level=80)).json()
    assert answer["measures"]["f1"] == {"a": None, "b": None, "difference": None, "among": None}


@pytest.mark.parametrize("name", ["compare", "api_compare"])
@pytest.mark.parametrize("who", ["visitor", "other team", "team", "annotator", "operator"])
def test_a_hidden_system_is_compared_by_its_team_and_operators_alone(cast, sign_in, epoch, name, who):
    systems = [
        scored(epoch, "seen", 0.6),
        scored(epoch, "unseen", 0.5, is_public=False, team=cast.member.teams.get()),
    ]
    stored(epoch, systems, (0.6, 0.5))
    client = sign_in(cast.people[who])
    for order in (systems, systems[::-1]):
        assert client.get(address(*order, name=name)).status_code == (
            200 if who in ("team", "operator") else 404
        )


def test_a_hidden_system_is_not_offered_to_strangers(epoch, pair, client):
    scored(epoch, "unseen", 0.5, is_public=False)
    assert "unseen" not in client.get("/corpora/news/compare/").content.decode()


def test_a_system_of_another_corpus_is_not_compared(pair, client):
    other = SubmissionFactory(corpus=CorpusFactory(), state="scored")
    assert client.get(address(pair[0], other)).status_code == 404


@pytest.mark.parametrize(
    "query", ["a=x", "a=1&b=-1", "a=9999999999999999999", "level=3", "part=half", "a=%00"]
)
@pytest.mark.parametrize("page", ["/corpora/news/compare/", "/api/v1/corpora/news/compare/"])
def test_a_bad_address_is_refused_in_words(cast, client, page, query):
    assert client.get(f"{page}?{query}").status_code in (400, 404)


def test_the_api_wants_two_different_systems(pair, client):
    assert client.get(address(pair[0], pair[0], name="api_compare")).status_code == 400
    assert client.get("/api/v1/corpora/news/compare/").status_code == 400


def test_one_system_twice_is_said_to_be_that(pair, client):
    assert "one system twice" in client.get(address(pair[0], pair[0])).content.decode()


def test_a_corpus_without_two_scores_says_so(cast, client):
    page = client.get("/corpora/news/compare/").content.decode()
    assert "Two systems with scores are needed, and there is none yet." in page


def test_a_part_without_scores_says_so(pair, client):
    assert "no score of this kind yet" in client.get(address(*pair, part="linking")).content.decode()


def test_what_is_chosen_stays_when_another_pair_is_asked_for(pair, client):
    page = client.get(address(*pair, part="relation")).content.decode()
    assert '<input type="hidden" name="part" value="relation">' in page


def test_a_page_costs_as_many_queries_for_many_systems(epoch, pair, client, django_assert_max_num_queries):
    for number in range(8):
        scored(epoch, f"more {number}", 0.5, team=TeamFactory())
    with django_assert_max_num_queries(12):
        client.get(address(*pair))


def test_the_board_and_the_system_pages_lead_there(pair, client):
    assert "/corpora/news/compare/" in client.get("/corpora/news/").content.decode()
    assert (
        f"/corpora/news/compare/?a={pair[0].pk}"
        in client.get(reverse("system", args=["news", pair[0].pk])).content.decode()
    )
