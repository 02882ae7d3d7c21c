"""Every page, for everybody: what they may see, and what they may not."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus
from evaluation.models import Submission
from tests.factories import (
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    ProblemFactory,
    QuestionFactory,
    SampleBatchFactory,
    ScoreFactory,
)

pytestmark = pytest.mark.django_db
EVERYBODY = ["visitor", "other team", "team", "annotator", "operator"]
OPEN_PAGES = [
    "/",
    "/help/",
    "/corpora/news/",
    "/corpora/news/documents/",
    "/api/v1/corpora/news/leaderboard/",
]
SEEN_BY = {"team", "operator"}
NINES = "%F0%9D%9F%97%F0%9D%9F%97"  # 99 in bold digits
BAD_CHOICES = ["level=3", "level=x", f"level={NINES}", "part=half", "weighting=w", "estimator=joint"]


def pages_of(submission):
    return [
        reverse("submission", args=[submission.pk]),
        reverse("system", args=[submission.corpus.tag, submission.pk]),
        reverse("api_submission", args=[submission.pk]),
    ]


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("address", OPEN_PAGES)
def test_open_pages_are_open_to_everybody(cast, sign_in, who, address):
    assert sign_in(cast.people[who]).get(address).status_code == 200


@pytest.mark.parametrize("address", ["/", "/help/"])
def test_an_empty_site_has_its_pages(db, client, address):
    assert client.get(address).status_code == 200


def test_an_empty_site_says_that_there_is_no_corpus(db, client):
    assert "There is no corpus yet" in client.get("/").content.decode()


def test_an_empty_board_invites_the_first(cast, client):
    assert "No system has been submitted here yet" in client.get("/").content.decode()


@pytest.mark.parametrize(("viewer", "item"), [("team", "Submit"), ("other team", "Leaderboard")])
def test_the_menu_marks_submit_on_ones_own_systems_alone(cast, sign_in, viewer, item):
    page = (
        sign_in(cast.people[viewer]).get(cast.submission(state="scored").get_absolute_url()).content.decode()
    )
    assert re.findall(r'aria-current="page">\s*([^<]+)<', page) == [item]


@pytest.mark.parametrize("who", EVERYBODY)
def test_an_unpublished_submission_is_for_its_team_and_operators(cast, sign_in, who):
    submission = cast.submission(state="scored", is_public=False)
    client = sign_in(cast.people[who])
    statuses = {client.get(address).status_code for address in pages_of(submission)}
    assert statuses == ({200} if who in SEEN_BY else {404})


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("state", ["uploaded", "accepted", "refused", "withdrawn", "failed"])
def test_a_submission_that_is_not_judged_is_for_its_team_and_operators(cast, sign_in, who, state):
    submission = cast.submission(state=state)
    client = sign_in(cast.people[who])
    statuses = {client.get(address).status_code for address in pages_of(submission)}
    assert statuses == ({200} if who in SEEN_BY else {404})


@pytest.mark.parametrize("who", EVERYBODY)
def test_a_published_submission_is_for_everybody(cast, sign_in, who):
    submission = cast.submission(state="judging")
    client = sign_in(cast.people[who])
    assert {client.get(address).status_code for address in pages_of(submission)} == {200}


@pytest.mark.parametrize("who", EVERYBODY)
def test_problems_are_shown_to_the_team_and_operators_alone(cast, sign_in, who):
    submission = cast.submission(state="judging")
    ProblemFactory(submission=submission, text="a line of the file")
    page = sign_in(cast.people[who]).get(reverse("submission", args=[submission.pk]))
    assert ("a line of the file" in page.content.decode()) == (who in SEEN_BY)


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    ("action", "state"),
    [
        ("go-ahead", "accepted"),
        ("resume", "failed"),
        ("cancel", "accepted"),
        ("withdraw", "judging"),
        ("delete-file", "accepted"),
        ("publish", "accepted"),
        ("hide", "accepted"),
    ],
)
def test_only_the_team_and_operators_act_on_a_submission(cast, sign_in, who, action, state):
    submission = cast.submission(state=state, is_public=action == "hide")
    before = Submission.objects.values().get(pk=submission.pk)
    answer = sign_in(cast.people[who]).post(reverse("submission_act", args=[submission.pk, action]))
    if who in SEEN_BY:
        assert answer.url == reverse("submission", args=[submission.pk])
    else:
        assert answer.status_code == 404 or answer.url.startswith(reverse("account_login"))
        assert Submission.objects.values().get(pk=submission.pk) == before


@pytest.mark.parametrize(
    ("state", "action", "field", "value"),
    [
        ("accepted", "go-ahead", "go_ahead", True),
        ("failed", "resume", "state", "uploaded"),
        ("accepted", "cancel", "state", "cancelled"),
        ("scored", "withdraw", "state", "withdrawn"),
        ("accepted", "delete-file", "file", ""),
        ("accepted", "hide", "is_public", False),
    ],
)
def test_an_action_does_what_it_says(cast, sign_in, state, action, field, value):
    submission = cast.submission(state=state)
    sign_in(cast.member).post(reverse("submission_act", args=[submission.pk, action]))
    submission.refresh_from_db()
    assert getattr(submission, field) == value


def test_an_action_is_never_done_by_a_link(cast, sign_in):
    submission = cast.submission(state="accepted")
    assert sign_in(cast.member).get(f"/submissions/{submission.pk}/withdraw/").status_code == 405


def test_an_action_that_comes_too_late_is_refused_on_a_page(cast, sign_in):
    submission = cast.submission(state="refused")
    answer = sign_in(cast.member).post(reverse("submission_act", args=[submission.pk, "withdraw"]))
    assert answer.status_code == 409
    assert "only what was sampled can be withdrawn" in answer.content.decode()


@pytest.mark.parametrize(
    "address",
    [
        "/?corpus=nowhere",
        "/corpora/nowhere/",
        "/corpora/nowhere/documents/",
        "/corpora/news/documents/NO-SUCH/",
        "/corpora/news/systems/999999/",
        "/corpora/nowhere/systems/1/",
        "/corpora/news/epochs/9/labels.csv",
        "/submissions/999999/",
        "/api/v1/submissions/999999/",
        "/api/v1/corpora/nowhere/leaderboard/",
    ],
)
def test_what_does_not_exist_is_not_found(cast, client, address):
    assert client.get(address).status_code == 404


def test_a_system_is_not_found_under_another_corpus(cast, client):
    submission = cast.submission(state="scored")
    Corpus.objects.create(tag="other", name="Other")
    assert client.get(f"/corpora/other/systems/{submission.pk}/").status_code == 404


@pytest.mark.parametrize("query", BAD_CHOICES)
@pytest.mark.parametrize("address", ["/", "/corpora/news/", "/api/v1/corpora/news/leaderboard/"])
def test_a_choice_that_does_not_exist_is_refused_in_words(cast, client, address, query):
    answer = client.get(f"{address}?{query}")
    assert answer.status_code == 400
    assert query.split("=")[0] in answer.content.decode()


def test_the_api_refuses_in_json(cast, client):
    answer = client.get("/api/v1/corpora/news/leaderboard/?level=3")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["detail"] == "level: 3 is none of 80, 90, 95."


def test_the_board_shows_figures_and_interval(cast, client):
    submission = cast.submission(state="scored", name="Finder")
    ScoreFactory(batch=SampleBatchFactory(submission=submission))
    page = client.get("/leaderboard/").content.decode()
    assert page.index("Finder") < page.index("60.0") < page.index("40.0") < page.index("48.0")
    assert page.count('class="interval column"') == 3


def test_a_corpus_says_that_its_crowd_is_simulated(cast, client):
    Corpus.objects.update(description="The judges are simulated.")
    assert "The judges are simulated." in client.get("/").content.decode()


def test_text_from_others_is_shown_and_never_run(cast, sign_in):
    script = "<script>alert(1)</script>"
    document = DocumentFactory(corpus=cast.corpus, title=script, text=script * 3)
    submission = cast.submission(state="scored", name=script, description=script)
    ProblemFactory(submission=submission, message=script, text=script)
    PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
    client = sign_in(cast.member)
    addresses = [
        *pages_of(submission)[:2],
        "/",
        "/submissions/",
        f"/corpora/news/documents/{document.doc_id}/",
    ]
    for address in addresses:
        assert script not in client.get(address).content.decode(), address


def test_a_document_shows_marks_and_relations(cast, client):
    document = DocumentFactory(corpus=cast.corpus, doc_id="A/B 1", sentences=True)
    submission = cast.submission(state="scored", name="Finder")
    PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
    page = client.get(reverse("document", args=["news", "A/B 1"])).content.decode()
    assert '<mark class="type-1"' in page
    assert "sealed until the epoch is released" in page
    assert "Finder" in page


def test_documents_are_searched_by_id_and_title(cast, client):
    DocumentFactory(corpus=cast.corpus, doc_id="NEWS-1", title="A flood")
    DocumentFactory(corpus=cast.corpus, doc_id="NEWS-2", title="A wedding")
    page = client.get("/corpora/news/documents/?q=wed").content.decode()
    assert "NEWS-2" in page
    assert "NEWS-1" not in page


@pytest.mark.parametrize("query", ["q=nothing+here", "page=99", "page=x"])
def test_a_search_always_has_an_answer(cast, client, query):
    DocumentFactory(corpus=cast.corpus)
    assert client.get(f"/corpora/news/documents/?{query}").status_code == 200


def test_a_sealed_epoch_shows_its_commitment_and_not_its_secret(cast, client):
    epoch = EpochFactory(corpus=cast.corpus)
    page = client.get("/corpora/news/").content.decode()
    assert epoch.commitment in page
    assert epoch.secret not in page


def test_a_released_epoch_shows_its_secret(cast, client):
    epoch = EpochFactory(corpus=cast.corpus, released=True)
    assert epoch.secret in client.get("/corpora/news/").content.decode()


@pytest.fixture
def labelled(cast):
    """An epoch's label on a relation question."""
    batch = SampleBatchFactory(submission=cast.submission(state="scored"))
    document = DocumentFactory(corpus=cast.corpus, doc_id="NEWS-1")
    label = LabelFactory(question=QuestionFactory(document=document, published=True), votes_for=2)
    batch.questions.add(label.question)
    return label


def release(label):
    epoch = label.question.batches.get().epoch
    epoch.released_at = label.question.published_at
    epoch.save()


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_labels_of_an_open_epoch_are_sealed_for_everybody(cast, labelled, sign_in, who, kind):
    assert sign_in(cast.people[who]).get(f"/corpora/news/epochs/1/labels.{kind}").status_code == 404


def test_released_labels_name_the_instance_and_the_votes(labelled, client):
    release(labelled)
    body = b"".join(client.get("/corpora/news/epochs/1/labels.jsonl").streaming_content)
    assert json.loads(body) == {
        "kind": "relation",
        "doc_id": "NEWS-1",
        "predicate": "per:place_of_birth",
        "subject_start": 0,
        "subject_end": 9,
        "object_start": 22,
        "object_end": 33,
        "right": True,
        "value": 1.0,
        "votes_for": 2,
        "votes": 3,
        "source": "majority",
    }


def test_released_labels_come_as_a_table_too(labelled, client):
    release(labelled)
    lines = b"".join(client.get("/corpora/news/epochs/1/labels.csv").streaming_content).decode().splitlines()
    assert lines[1] == "relation,NEWS-1,per:place_of_birth,0,9,22,33,,,,,,,,,True,1.0,2,3,majority,"


def form(cast, **changes):
    return {
        "corpus": cast.corpus.pk,
        "team": cast.member.teams.get().pk,
        "name": "Finder",
        "description": "It finds.",
        "format": "tac2016",
        "file": SimpleUploadedFile("finder.kb", b"run\n"),
        "is_public": "on",
    } | changes


def test_an_upload_leads_to_its_page(cast, sign_in):
    answer = sign_in(cast.member).post("/submissions/new/", form(cast))
    submission = Submission.objects.get()
    assert answer.url == f"/submissions/{submission.pk}/"
    assert (submission.name, submission.is_public, submission.go_ahead) == ("Finder", True, False)
    assert submission.uploaded_by == cast.member


def test_a_refused_upload_keeps_what_was_filled_in(cast, sign_in):
    cast.submission(name="Finder")
    answer = sign_in(cast.member).post("/submissions/new/", form(cast))
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "choose another name" in page
    assert "It finds." in page


def test_nobody_uploads_for_another_team(cast, sign_in):
    answer = sign_in(cast.people["other team"]).post("/submissions/new/", form(cast))
    assert answer.status_code == 400
    assert not Submission.objects.exists()


def test_an_empty_file_is_refused_by_the_form(cast, sign_in):
    answer = sign_in(cast.member).post("/submissions/new/", form(cast, file=SimpleUploadedFile("a.kb", b"")))
    assert answer.status_code == 400
    assert not Submission.objects.exists()


@pytest.mark.parametrize("address", ["/submissions/", "/submissions/new/"])
def test_visitors_are_asked_to_sign_in_before_they_submit(db, client, address):
    assert client.get(address).url == f"/accounts/login/?next={address}"


@pytest.mark.parametrize("address", ["/submissions/", "/submissions/new/"])
def test_somebody_without_a_team_is_led_to_one(cast, sign_in, address):
    page = sign_in(cast.people["annotator"]).get(address).content.decode()
    assert "Make a team" in page


def test_a_team_sees_its_own_submissions_only(cast, sign_in):
    cast.submission(name="Finder")
    page = sign_in(cast.people["other team"]).get("/submissions/").content.decode()
    assert "Finder" not in page


@pytest.mark.parametrize(("who", "sees"), [("operator", True), ("other team", False)])
def test_operators_can_list_everything(cast, sign_in, who, sees):
    cast.submission(name="Finder")
    page = sign_in(cast.people[who]).get("/submissions/?all").content.decode()
    assert ("Finder" in page) == sees


@pytest.fixture
def judging(cast):
    batch = SampleBatchFactory(submission=cast.submission(state="judging"))
    batch.questions.add(*[QuestionFactory(settled=True) for _ in range(3)], QuestionFactory())
    return batch


@pytest.mark.parametrize("who", ["team", "operator"])
def test_progress_is_counted_in_questions(cast, sign_in, judging, who):
    client = sign_in(cast.people[who])
    assert "3 of 4 questions settled" in client.get(judging.submission.get_absolute_url()).content.decode()
    assert "3 of 4 questions are settled" in client.get("/?corpus=news").content.decode()


@pytest.mark.parametrize("who", ["visitor", "other team", "annotator"])
def test_how_much_of_a_system_is_sampled_is_not_told_to_others(cast, sign_in, judging, who):
    client, address = sign_in(cast.people[who]), judging.submission.get_absolute_url()
    before = client.get(address).context["version"]
    judging.questions.add(QuestionFactory(settled=True))
    page = client.get(address)
    assert page.context["version"] == before
    for text in (page.content.decode(), client.get("/?corpus=news").content.decode()):
        assert "People are judging it" in text
        assert "questions" not in text.partition("People are judging it")[2][:60]


def test_progress_does_not_tell_what_was_settled_for_no_system(cast, sign_in):
    client = sign_in(cast.member)
    before = SampleBatchFactory(submission=cast.submission(state="judging"))
    batch = SampleBatchFactory(
        epoch=before.epoch, number=2, submission=cast.submission(name="later", state="judging")
    )
    of_a_whole_document, for_a_system = (
        QuestionFactory(settled=True, settled_at=before.drawn_at) for _ in range(2)
    )
    before.questions.add(for_a_system)
    batch.questions.add(of_a_whole_document, for_a_system, QuestionFactory())
    page = client.get(reverse("submission", args=[batch.submission.pk])).content.decode()
    assert "0 of 2 questions settled" in page
    assert "1 more that it needs was asked for other systems before, and is settled" in page
    assert "0 of 2 questions are settled" in client.get("/?corpus=news").content.decode()


@pytest.mark.parametrize(
    ("is_released", "words"), [(False, "computed anew"), (True, "Its epoch is released")]
)
def test_a_scored_submission_says_whether_its_scores_may_change(cast, client, is_released, words):
    epoch = EpochFactory(corpus=cast.corpus, released_at=timezone.now() if is_released else None)
    batch = SampleBatchFactory(epoch=epoch, submission=cast.submission(state="scored"))
    page = client.get(reverse("submission", args=[batch.submission.pk])).content.decode()
    assert words in page


@pytest.mark.parametrize("state", Submission.State.values)
def test_a_submission_in_any_state_has_its_page(cast, sign_in, state):
    submission = cast.submission(state=state)
    assert sign_in(cast.member).get(f"/submissions/{submission.pk}/").status_code == 200


def count(client, address):
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_pages_ask_few_queries_however_much_there_is(cast, sign_in):
    for index in range(6):
        submission = cast.submission(state="scored", name=f"system {index}")
        batch = SampleBatchFactory(submission=submission, epoch__number=index + 1, epoch__released=True)
        for level in (80, 90, 95):
            ScoreFactory(batch=batch, level=level)
        for _ in range(3):
            ProblemFactory(submission=submission)
            document = DocumentFactory(corpus=cast.corpus, sentences=True)
            PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
    client = sign_in(cast.member)
    budgets = {
        "/leaderboard/": 10,
        "/corpora/news/": 18,
        "/corpora/news/rules/": 13,
        "/corpora/news/news/": 5,
        "/corpora/news/documents/": 10,
        "/corpora/news/entities/": 7,
        f"/corpora/news/documents/{document.doc_id}/": 14,
        f"/corpora/news/systems/{submission.pk}/": 14,
        f"/submissions/{submission.pk}/": 24,  # of which one reads how its scores changed
        f"/submissions/{submission.pk}/problems/": 8,
        f"/submissions/{submission.pk}/lines/?line=1": 8,
        "/submissions/new/": 26,  # of which some for what is left of the quota of each of one's teams
        "/check/": 11,  # a required select asks for its first choice, for all, and how many
        "/submissions/": 9,
    }
    asked = {address: count(client, address) for address in budgets}
    assert {address: most for address, most in asked.items() if most > budgets[address]} == {}


def test_a_member_who_left_sees_it_no_more(cast, sign_in):
    submission = cast.submission(state="accepted")
    client = sign_in(cast.member)
    cast.member.memberships.all().delete()
    assert client.get(f"/submissions/{submission.pk}/").status_code == 404


def test_a_closed_account_sees_what_visitors_see(cast, sign_in):
    submission = cast.submission(state="accepted")
    client = sign_in(cast.member)
    cast.member.is_active = False
    cast.member.save()
    assert client.get(f"/submissions/{submission.pk}/").status_code == 404


def test_no_page_carries_inline_scripts_or_styles(cast, sign_in):
    submission = cast.submission(state="judging")
    ScoreFactory(batch=SampleBatchFactory(submission=submission))
    client = sign_in(cast.member)
    for address in [
        "/",
        "/help/",
        "/corpora/news/",
        "/submissions/new/",
        "/teams/",
        *pages_of(submission)[:2],
    ]:
        page = client.get(address).content.decode()
        assert " style=" not in page, address
        assert "<style" not in page, address
        assert page.count("<script") == page.count('<script type="module" src="'), address
