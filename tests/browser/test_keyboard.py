"""Everything that a researcher does, by keyboard alone; and where the focus is after it."""

import re

import pytest
from django.core import mail
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotations.challenges import versions
from evaluation.models import Submission
from kbpo.accounts.models import User
from tests.browser.keyboard import USABLE, go_to, press, walk, write
from tests.factories import (
    PRESS,
    SHE,
    AnnotationFactory,
    CorpusFactory,
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    PredictionFactory,
    SampleBatchFactory,
    ScoreFactory,
    ScoreRecordFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
    retire,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "correct horse battery"
KB = """\
run1
:E1\ttype\tPER
:E1\tcanonical_mention\t"Ada Quill"\tDOC:0-8
:E1\tmention\t"Ada Quill"\tDOC:0-8
:E2\ttype\tGPE
:E2\tcanonical_mention\t"Port Hallow"\tDOC:22-32
:E2\tmention\t"Port Hallow"\tDOC:22-32
:E1\tper:city_of_birth\t:E2\tDOC:0-33\t0.8
"""


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def corpus():
    corpus = CorpusFactory(tag="news", name="News")
    DocumentFactory(corpus=corpus, doc_id="DOC", sentences=True)
    EpochFactory(corpus=corpus)
    return corpus


@pytest.fixture
def member():
    user = User.objects.create_user("ann@example.org", PASSWORD, name="Ann")
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    TeamFactory(name="Wren", members=[user])
    return user


@pytest.fixture
def scored(corpus, member):
    """Two systems of the member's team with scores; the first one."""
    found = []
    for number, name in enumerate(("Finder", "Seeker"), 2):
        system = SubmissionFactory(corpus=corpus, team=member.teams.get(), name=name, state="scored")
        document = DocumentFactory(corpus=corpus, sentences=True)
        PredictionFactory(submission=system, instance=InstanceFactory(document=document))
        batch = SampleBatchFactory(
            submission=system, epoch__corpus=corpus, epoch__number=number, epoch__released=True
        )
        ScoreFactory(batch=batch, part="all")
        found.append(system)
    return found[0]


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True)


PLACES = (
    "/",
    "/leaderboard/?corpus=news",
    "/corpora/news/",
    "/corpora/news/documents/",
    "/corpora/news/documents/DOC/",
    "/corpora/news/compare/",
    "/submissions/",
    "/submissions/new/",
    "/submissions/{system}/",
    "/corpora/news/systems/{system}/",
    "/check/",
    "/try/",
    "/try/relation/",
    "/try/entities/",
    "/try/choice/",
    "/try/quality/",
    "/try/correctness/",
    "/teams/",
    "/teams/{team}/",
    "/teams/tokens/new/",
    "/teams/mail/",
    "/accounts/2fa/",
    "/accounts/email/",
    "/accounts/password/change/",
    "/no/such/page/",
)


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.slow)])
def test_tab_comes_to_everything_that_can_be_used_and_is_always_seen(open_page, member, scored, width):
    page = open_page("/", user=member, width=width)
    wrong = {}
    for place in PLACES:
        page.goto(place.format(system=scored.pk, team=scored.team_id))
        stops, faults = walk(page)
        if stops < page.evaluate(USABLE):
            faults.append(f"{stops} stops, where {page.evaluate(USABLE)} things can be used")
        if faults:
            wrong[place] = faults
    assert wrong == {}


def test_the_first_stop_leads_past_the_menu(open_page, corpus):
    page = open_page("/leaderboard/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.slow
def test_from_sign_up_to_an_upload(open_page, corpus, tmp_path, live_server, settings):
    settings.SITE_URL = live_server.url  # to which mail leads
    CorpusFactory(tag="other", name="Other")
    page = open_page("/submissions/new/?corpus=news")  # to which a corpus' page leads
    press(page, page.get_by_role("link", name="Sign up", exact=True))
    write(page, page.get_by_label("Email address"), "rosa@example.org")
    write(page, page.get_by_label("Password", exact=True), PASSWORD)
    write(page, page.get_by_label("Password (again)"), PASSWORD)
    press(page, button(page, "Sign up"))
    expect(page.get_by_role("heading", name="Check your email")).to_be_visible()
    link = re.search(r"http://\S+", str(mail.outbox[-1].body))
    assert link is not None
    page.goto(link.group(0))
    press(page, button(page, "Yes, confirm it"))
    write(page, page.get_by_label("Name of the new team"), "Wren")
    press(page, button(page, "Make the team"))
    expect(page.get_by_role("status").filter(has_text="Wren is made")).to_be_focused()
    expect(page.get_by_label("Corpus").locator("option:checked")).to_contain_text("News")
    go_to(page, page.get_by_label("File", exact=True))
    file = tmp_path / "run1.kb"
    file.write_text(KB)
    page.get_by_label("File", exact=True).set_input_files(file)  # what a dialog of the machine's would do
    write(page, page.get_by_label("Name of the system"), "Finder")
    press(page, page.get_by_label("Judge it as soon as it is accepted"), "Space")
    press(page, button(page, "Submit it"))
    expect(page.get_by_role("heading", name="Finder")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Finder is here")).to_be_focused()
    assert Submission.objects.get().go_ahead is False


def test_a_refused_form_says_why_where_the_focus_is_and_leads_to_the_field(open_page, corpus, member):
    page = open_page("/submissions/new/", user=member)
    page.evaluate("document.querySelector('form[data-upload]').noValidate = true")  # the server says it
    write(page, page.get_by_label("What it does, in a few words"), "It finds names.")
    press(page, button(page, "Submit it"))
    faults = page.get_by_role("alert").filter(has_text="Nothing was submitted yet")
    expect(faults).to_be_focused()
    press(page, faults.get_by_role("link", name="Name of the system"))
    field = page.get_by_label("Name of the system")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(
        re.compile("on the leaderboard.*This field is required", re.S)
    )
    expect(page.get_by_label("What it does, in a few words")).to_have_value("It finds names.")


@pytest.mark.slow
def test_what_became_of_an_act_is_said_once_and_can_be_dismissed(open_page, corpus, member):
    page = open_page("/teams/", user=member)
    write(page, page.get_by_label("Your name"), "Ann Other")
    press(page, button(page, "Save the name"))
    said = page.get_by_role("status").filter(has_text="Your name is saved.")
    expect(said).to_be_focused()
    press(page, said.get_by_role("button", name="Dismiss"))
    expect(said).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "content"
    page.reload()
    expect(page.get_by_text("Your name is saved.")).to_have_count(0)


@pytest.mark.slow
def test_the_board_is_searched_and_its_columns_are_chosen(open_page, member, scored):
    page = open_page("/leaderboard/?corpus=news", user=member)
    write(page, page.get_by_label("Search a system or team"), "Seeker")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row").filter(has_text="Finder")).to_have_count(0)
    press(page, page.locator("summary").filter(has_text="Filter, sort and choose columns"))
    expect(page.locator(".arrange .fields select").first).to_be_visible()
    go_to(page, page.locator(".arrange .fields select").first)


@pytest.mark.slow
def test_a_token_is_made(open_page, member):
    page = open_page("/accounts/login/")
    write(page, page.get_by_label("Email address"), member.email)
    write(page, page.get_by_label("Password"), PASSWORD)
    page.keyboard.press("Enter")
    expect(button(page, "Sign out")).to_be_visible()
    page.goto("/teams/")
    press(page, page.get_by_role("link", name="API tokens for your scripts"))
    press(page, page.get_by_role("link", name=re.compile("new token|Make a token", re.I)).first)
    write(page, page.get_by_label("Password"), PASSWORD)  # asked once more, before a token
    page.keyboard.press("Enter")
    write(page, page.get_by_label("Name", exact=True), "laptop")
    page.keyboard.press("Enter")
    expect(page.get_by_label("laptop")).to_be_visible()


def test_members_are_invited_and_go(open_page, member):
    colleague = UserFactory()
    page = open_page(f"/teams/{member.teams.get().pk}/", user=member)
    write(page, page.get_by_label("Email address"), colleague.email)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text=f"{colleague.email} is invited")).to_be_focused()


def pick(page: Page, field, name: str):
    """Choose from a list by its first letters, as somebody who types does."""
    go_to(page, field)
    page.keyboard.type(name)
    expect(field.locator("option:checked")).to_contain_text(name)


def test_two_systems_are_compared(open_page, member, scored):
    page = open_page("/leaderboard/?corpus=news", user=member)
    press(page, page.get_by_role("link", name="Compare two systems"))
    expect(page.get_by_role("heading", name="Compare two systems")).to_be_visible()
    pick(page, page.get_by_label("One system"), "Finder")
    pick(page, page.get_by_label("The other"), "Seeker")
    press(page, button(page, "Compare"))
    expect(page.get_by_role("heading", name="Finder and Seeker")).to_be_visible()


@pytest.mark.slow
def test_a_team_chooses_the_run_that_stands_for_it(open_page, member, scored):
    page = open_page(f"/submissions/{scored.pk}/", user=member)
    press(page, page.locator("summary").filter(has_text="Let it stand for Wren"))
    press(page, button(page, "Choose Finder"))
    expect(page.get_by_role("status").filter(has_text="Finder stands for Wren now")).to_be_focused()
    scored.refresh_from_db()
    assert scored.chosen_at is not None


@pytest.mark.slow
def test_terms_are_accepted_and_a_refusal_leads_to_the_box(open_page, corpus, member):
    now = timezone.now()
    versions.write_terms(corpus=corpus, text="We are honest.", by=UserFactory(operator=True), now=now)
    page = open_page("/corpora/news/rules/", user=member)
    page.evaluate("document.querySelector('main form').noValidate = true")  # the server says it
    press(page, button(page, "Accept them"))
    faults = page.get_by_role("alert")
    expect(faults).to_be_focused()
    box = page.get_by_label("We accept these terms, for all members of the team")
    press(page, faults.get_by_role("link"))
    expect(box).to_be_focused()
    page.keyboard.press("Space")
    press(page, button(page, "Accept them"))
    expect(page.get_by_text("Wren accepted them on")).to_be_visible()


@pytest.mark.slow
def test_a_webhook_is_added_after_an_address_that_is_none(open_page, member):
    page = open_page(f"/teams/{member.teams.get().pk}/webhooks/", user=member)
    field = page.get_by_label("Address")
    write(page, field, "no address")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()
    expect(field).to_have_value("no address")
    expect(field).to_have_attribute("aria-invalid", "true")
    write(page, field, "https://example.org/kbp")
    press(page, button(page, "Add"))
    expect(page.get_by_label(re.compile("secret", re.I)).first).to_be_visible()


@pytest.mark.slow
def test_relations_of_a_document_are_narrowed_down(open_page, member, scored):
    document = DocumentFactory(corpus=scored.corpus, doc_id="QUILL")
    AnnotationFactory(document=document)
    retire(document)
    founded = InstanceFactory(
        document=document, predicate="per:organizations_founded", subject=SHE, object=PRESS
    )
    PredictionFactory(submission=scored, instance=founded, object_type="ORG")
    page = open_page("/corpora/news/documents/QUILL/", user=member, width=360)
    pick(page, page.get_by_label("Relation", exact=True), "organizations")
    press(page, button(page, "Show"))
    expect(page).to_have_url(re.compile("predicate=per"))
    chosen = page.get_by_label("Relation", exact=True)
    expect(chosen.locator("option:checked")).to_contain_text("organizations founded")
    go_to(page, chosen)  # after the page came again, it is reached again


@pytest.mark.slow
def test_a_system_is_cited(open_page, member, scored):
    ScoreRecordFactory(submission=scored, epoch=scored.batch.epoch)
    page = open_page(f"/submissions/{scored.pk}/", user=member)
    summary = page.locator("summary").filter(has_text="Cite the system")
    press(page, summary)
    expect(summary.locator("xpath=..")).to_have_attribute("open", "")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('details') !== null")
