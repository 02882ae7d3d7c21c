"""Who gets in where: every address of the site, asked by everybody; a new address needs its line here."""

import json
import re
from collections import Counter

import pytest
from django.db.models.signals import post_save
from django.test import Client

from annotations.models import Corpus, CorpusMaker
from kbpo.core.models import AuditEntry
from tests import factories as make
from tests.integration.any_request.asking import Answer, ask, encoded, routes
from tests.integration.any_request.site import HIT_HOST, Site, is_of_hits

pytestmark = pytest.mark.django_db
EVERY_ROUTE = list(routes())
ROUTES = dict(EVERY_ROUTE)
#: Of the library for signing in: its own tests say who gets in.
SIGNING_IN = ("account_", "mfa_", "socialaccount_", "openid_connect_", "usersessions_")
#: Those that are there before somebody has signed in; all others of the library are there afterwards.
BEFORE_SIGNING_IN = {
    "account_login",
    "account_logout",
    "account_signup",
    "account_inactive",
    "account_confirm_login_code",
    "account_confirm_email",
    "account_email_verification_sent",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "mfa_authenticate",
    "mfa_login_webauthn",
    "openid_connect_login",
    "openid_connect_callback",
    "socialaccount_login_cancelled",
    "socialaccount_login_error",
    "socialaccount_signup",
}
AFTER_SIGNING_IN = {
    "account_email",
    "account_reauthenticate",
    "account_change_password",
    "account_set_password",
    "mfa_index",
    "mfa_reauthenticate",
    "mfa_activate_totp",
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_download_recovery_codes",
    "mfa_list_webauthn",
    "mfa_add_webauthn",
    "mfa_reauthenticate_webauthn",
    "mfa_remove_webauthn",
    "mfa_edit_webauthn",
    "socialaccount_connections",
    "usersessions_list",
}
OURS = sorted(name for name in ROUTES if not name.startswith(("admin:", *SIGNING_IN)))
ADMIN = sorted(name for name in ROUTES if name.startswith("admin:"))
FORM = "application/x-www-form-urlencoded"
#: Let in, but what is asked for cannot be done.
IN_VAIN = {400, 409, 410, 412, 429}

#: Who has a role has it for the corpus that everything is about; `elsewhere` has all three for another one.
DESK = {"organiser", "reviewer", "paymaster"}
SIGNED_IN = {"worker", "annotator", "owner", "submitter", *DESK, "elsewhere", "maker", "operator"}
EVERYBODY = {"visitor", *SIGNED_IN}
NOBODY: set[str] = set()
WORKERS = {"worker", "annotator", "operator"}
OWNERS = {"owner", "operator"}
OPERATOR = {"operator"}
POSTERS = {"organiser", "elsewhere", "operator"}

#: Which addresses let whom in, by GET and by POST. Of the addresses that are open to `elsewhere`, those of
#: the desk show them their own corpus alone: see below.
OPEN: list[tuple[set[str], set[str], str]] = [
    (
        EVERYBODY,
        NOBODY,
        "home help method choose_documents corpus data data_file compare system documents document entities"
        " entity labels items metrics outputs output_metric output_pair sample submission privacy help_api"
        " api_index api_schema api_ontologies api_ontology api_class_lists api_class_list api_corpora"
        " api_corpus"
        " api_documents api_document api_leaderboard api_data api_data_file api_compare api_epochs api_epoch"
        " api_labels api_submission api_predictions api_scores api_metrics snapshots snapshot"
        " snapshot_csv submission_history submission_score api_snapshot api_history api_citation"
        " api_annotations",
    ),
    (EVERYBODY, NOBODY, "rules news news_feed api_moved_dates api_phase api_post"),
    (EVERYBODY, {"organiser", "operator"}, "api_phases api_rules api_terms api_news"),
    (EVERYBODY, NOBODY, "help_example help_schema leaderboard about robots favicon try public_team"),
    (EVERYBODY, SIGNED_IN, "api_submissions"),
    (NOBODY, NOBODY, "api_unknown"),
    (SIGNED_IN, NOBODY, "api_me api_teams api_quotas tokens"),
    (EVERYBODY, EVERYBODY, "hit hit_home requester_api"),  # a HIT's page and the API ask for their own keys
    (NOBODY, EVERYBODY, "work_submit"),  # by its signed token
    (NOBODY, NOBODY, "hit_draft hit_pages hit_passage prolific_hook"),  # not without a token or a signature
    (NOBODY, NOBODY, "organisation_sign_in organisation_come_back"),  # of an organisation that is not set up
    (NOBODY, NOBODY, "session_end"),  # of a session that is not one's own
    (SIGNED_IN, NOBODY, "submissions teams personal_export"),
    (SIGNED_IN, SIGNED_IN, "upload personal_deletion mail_choices"),
    (EVERYBODY, EVERYBODY, "check try_out"),
    (EVERYBODY, EVERYBODY, "mail_off"),  # by its signed token
    (NOBODY, SIGNED_IN, "data_accept terms_accept rename team_new upload_discard annotate_draft"),
    (SIGNED_IN, SIGNED_IN, "api_uploads api_checks token_new"),
    (NOBODY, SIGNED_IN, "api_accept_terms"),
    (NOBODY, NOBODY, "token_revoke"),  # of a token that is not one's own
    ({"owner"}, NOBODY, "api_upload"),
    (NOBODY, {"organiser", "operator"}, "api_release"),
    (EVERYBODY, {"organiser", "operator"}, "api_snapshots"),
    (
        OWNERS,
        NOBODY,
        "checked check_lines check_problems check_problems_csv check_problems_json submission_lines"
        " api_check api_check_problems api_submission_problems api_team api_forecast"
        " api_check_all_problems api_submission_all_problems"
        " submission_problems submission_problems_csv submission_problems_json",
    ),
    (
        OWNERS,
        OWNERS,
        "check_normalised submission_normalised team webhooks api_check_file api_submission_file"
        " submission_links",
    ),
    (OWNERS, NOBODY, "webhook"),
    (
        NOBODY,
        OWNERS,
        "submission_act team_leave team_shown webhook_act delivery_again api_submission_act"
        " submission_anonymous api_submission_anonymous",
    ),
    (NOBODY, {"worker"}, "invitation"),  # who is invited
    (WORKERS, NOBODY, "annotate annotate_pages annotate_pages_of work work_earnings work_group work_mine"),
    (WORKERS, WORKERS, "annotate_tutorial annotate_tutorial_of"),
    (NOBODY, WORKERS, "annotate_start work_accept work_qualification"),
    ({"worker", "operator"}, {"worker"}, "annotate_question"),  # who holds it; the operator's team competes
    ({"worker"}, NOBODY, "work_task work_state"),
    (NOBODY, {"worker"}, "work_return work_reply"),
    ({"reviewer", "elsewhere", "operator"}, NOBODY, "annotate_expert desk_answers"),
    ({"reviewer", "elsewhere", "operator"}, {"reviewer", "elsewhere", "operator"}, "desk_questions"),
    ({"reviewer", "operator"}, NOBODY, "desk_answer"),
    (NOBODY, {"reviewer", "operator"}, "desk_decide"),
    ({*DESK, "elsewhere", "maker", "operator"}, NOBODY, "desk desk_corpora"),
    ({*DESK, "operator"}, NOBODY, "desk_batch desk_corpus"),
    (NOBODY, {"organiser", "operator"}, "desk_batch_act desk_corpus_act"),
    ({"organiser", "operator"}, NOBODY, "desk_challenge"),
    (NOBODY, {"organiser", "operator"}, "desk_challenge_act desk_phase desk_news_withdraw"),
    ({"organiser", "operator"}, {"organiser", "operator"}, "exhaustive"),
    ({"organiser", "elsewhere", "operator"}, NOBODY, "desk_documents"),
    (
        {"organiser", "elsewhere", "operator"},
        {"organiser", "elsewhere", "operator"},
        "desk_open desk_tutorial",
    ),
    ({"maker", "operator"}, {"maker", "operator"}, "desk_new_corpus"),
    ({"paymaster", "elsewhere", "operator"}, NOBODY, "desk_ledger desk_ledger_csv"),
    ({"paymaster", "elsewhere", "operator"}, {"paymaster", "elsewhere", "operator"}, "desk_budgets"),
    (NOBODY, {"paymaster", "operator"}, "desk_cap"),
    (OPERATOR, NOBODY, "desk_look desk_look_at desk_workers desk_worker desk_acts teams_waiting"),
    (NOBODY, OPERATOR, "desk_look_approve"),
    (OPERATOR, OPERATOR, "desk_roles desk_stuck"),
    (NOBODY, OPERATOR, "desk_block desk_check_books desk_role_take desk_maker_stop team_approve"),
]
OPEN_TO = {name: (by_get, by_post) for by_get, by_post, names in OPEN for name in names.split()}
#: What there is in the admin for those who are not signed in to it.
OF_NOBODY = {"admin:login", "admin:jsi18n", "admin:logout"}
OF_THE_DESK = sorted(
    name
    for name, (by_get, _) in OPEN_TO.items()
    if "elsewhere" in by_get and name.startswith(("desk", "annotate_expert"))
)
METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE")


@pytest.fixture(scope="module")
def everybody(site: Site) -> dict[str, Client]:
    """Return a client for each."""
    news, other = Corpus.objects.get(tag="news"), make.CorpusFactory.create(tag="elsewhere")
    submitter, maker = make.UserFactory.create(), make.UserFactory.create()
    make.SubmissionFactory.create(corpus=news, team=make.TeamFactory.create(members=[submitter]))
    CorpusMaker.objects.create(user=maker, given_at=news.created_at)
    people = {
        "visitor": None,
        "worker": site.people["annotator"],
        "annotator": make.UserFactory.create(annotator=True),
        "owner": site.people["member"],
        "submitter": submitter,
        **{role: make.give(make.UserFactory.create(), news, role) for role in sorted(DESK)},
        "elsewhere": make.give(make.UserFactory.create(), other, *DESK),
        "maker": maker,
        "operator": site.people["operator"],
    }
    clients = {}
    for name, user in people.items():
        clients[name] = Client(raise_request_exception=False)
        if user is not None:
            clients[name].force_login(user)
    return clients


def request(site: Site, client: Client, name: str, method: str) -> Answer:
    query = encoded(site.queries.get(name, {})).decode()
    form = site.forms.get(name, {})
    is_json = name.startswith("api_")
    body = b"" if method != "POST" else json.dumps(form).encode() if is_json else encoded(form)
    headers = {"Host": HIT_HOST} if is_of_hits(name) else {}
    if name in ("api_upload", "api_uploads"):  # refused without, whoever asks, before anything is looked at
        headers["Tus-Resumable"] = "1.0.0"
    kind = "application/json" if is_json else FORM
    return ask(client, method, f"{site.address(name)}?{query}", body, kind, **headers)


def is_let_in(answer: Answer) -> bool:
    asks_to_sign_in = answer.location.startswith(("/accounts/login/", "/admin/login/"))
    return (answer.status < 400 and not asks_to_sign_in) or answer.status in IN_VAIN


def test_every_address_of_the_library_for_signing_in_is_there_before_or_afterwards() -> None:
    theirs = {name for name in ROUTES if name.startswith(SIGNING_IN)}
    assert theirs == BEFORE_SIGNING_IN | AFTER_SIGNING_IN
    assert not BEFORE_SIGNING_IN & AFTER_SIGNING_IN


def test_what_the_library_has_for_those_who_are_signed_in_is_closed_to_others(
    site: Site, everybody: dict[str, Client]
) -> None:
    let_in = [
        (name, method)
        for name in sorted(AFTER_SIGNING_IN)
        for method in ("GET", "POST")
        if is_let_in(request(site, everybody["visitor"], name, method))
    ]
    assert let_in == []


def test_every_address_says_to_whom_it_is_open() -> None:
    assert sorted(OPEN_TO) == OURS
    assert len(OPEN_TO) == sum(len(names.split()) for _, _, names in OPEN), "an address stands there twice"


def test_no_two_addresses_have_one_name() -> None:
    """Else one of them is never asked; of the library for signing in, some stand behind ours."""
    doubled = [name for name, number in Counter(name for name, _ in EVERY_ROUTE).items() if number > 1]
    assert not [name for name in doubled if not name.startswith(SIGNING_IN)]


def test_what_has_no_name_leads_on_or_is_the_admins() -> None:
    assert {answers for answers, _ in routes(named=False)} == {
        "django.views.generic.base.RedirectView",
        "django.contrib.admin.sites.AdminSite.catch_all_view",
    }


#: What changes nothing though it is posted to the desk, or shows its form again with what the site has.
NOT_RECORDED = {"desk_check_books", "desk_tutorial", "exhaustive"}
ACTS_OF_OPERATORS = sorted(
    name
    for name, (_, by_post) in OPEN_TO.items()
    if by_post and by_post <= {*DESK, "elsewhere", "maker", "operator"}
)


@pytest.mark.parametrize("name", ACTS_OF_OPERATORS)
def test_what_an_operator_does_stands_in_the_audit_log(name, site, everybody):
    written: list[object] = []

    def note(instance: AuditEntry, **_: object) -> None:
        written.append(instance)

    post_save.connect(note, sender=AuditEntry)
    try:
        answer = request(site, everybody["operator"], name, "POST")
    finally:
        post_save.disconnect(note, sender=AuditEntry)
    assert is_let_in(answer)
    if name not in NOT_RECORDED and answer.status < 400:
        assert written


@pytest.mark.parametrize("name", OURS)
def test_an_address_lets_in_whom_it_is_open_to_and_nobody_else(name, site, everybody):
    found, faults = {}, []
    for method in ("GET", "POST"):
        answers = {who: request(site, client, name, method) for who, client in everybody.items()}
        found[method] = {who for who, answer in answers.items() if is_let_in(answer)}
        faults += [
            f"{method} by {who}: {answer.status} {answer.fault}"
            for who, answer in answers.items()
            if answer.status >= 500 or answer.fault
        ]
    assert not faults
    assert (found["GET"], found["POST"]) == OPEN_TO[name]


@pytest.mark.parametrize("name", sorted(set(ADMIN) - OF_NOBODY))
def test_the_admin_is_the_operators(name, site, everybody):
    answers = [request(site, everybody[who], name, "GET") for who in ("visitor", "organiser")]
    assert not [answer for answer in answers if is_let_in(answer)]


@pytest.mark.parametrize("name", OF_THE_DESK)
def test_the_desk_shows_an_organiser_of_another_corpus_nothing_of_this_one(name, site, everybody):
    page = ask(everybody["elsewhere"], "GET", site.address(name)).body.decode()
    shown = page[max(0, page.find("<h1")) :]  # after the menus
    assert not re.search(r"\bnews\b", shown)
    assert Corpus.objects.get(tag="news").name not in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ROUTES))
def test_no_method_opens_an_address_to_more_people(name, site, everybody):
    by_get, by_post = OPEN_TO.get(name, (EVERYBODY, EVERYBODY))
    if name in ADMIN and name not in OF_NOBODY:
        by_get = by_post = OPERATOR
    for method in (*METHODS, *(("GET", "POST") if name not in OPEN_TO else ())):
        answers = {who: request(site, client, name, method) for who, client in everybody.items()}
        assert not [who for who, answer in answers.items() if answer.status >= 500 or answer.fault]
        let_in = {who for who, answer in answers.items() if is_let_in(answer)}
        assert method == "OPTIONS" or let_in <= by_get | by_post, method
