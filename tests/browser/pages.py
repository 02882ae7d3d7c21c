"""The pages of the site and who looks at each. A new address needs a line in one of the two lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import NoReverseMatch

from tests.integration.any_request.site import Site, is_of_hits

#: Pages that lead on where there is one thing alone that they could be about.
LEADING_ON = {"choose_documents"}


@dataclass(frozen=True, slots=True)
class Page:
    """A page as somebody sees it.

    Attributes
    ----------
    label : str
        Its route's name, and which of its states this is.
    who : str
        One of the people of `tests.integration.any_request.site.Site`.
    name : str
        Of its route; empty where `path` says where it is.
    query, path : str
    status : int
        Of its answer.
    """

    label: str
    who: str
    name: str = ""
    query: str = ""
    path: str = ""
    status: int = 200


#: By who looks. A page about a person's own things is opened as that person.
SEEN = {
    "visitor": """
        home leaderboard about help help_api method privacy choose_documents corpus data compare metrics
        rules news snapshots snapshot submission_score
        system items outputs output_pair output_metric documents document entities entity public_team
        try try_out check mail_off hit
        account_login account_signup account_inactive account_email_verification_sent account_reset_password
        account_reset_password_done account_reset_password_from_key account_reset_password_from_key_done
        account_confirm_email socialaccount_login_cancelled
    """,
    "member": """
        submissions submission upload submission_problems submission_lines submission_links
        checked check_problems check_lines
        teams team tokens token_new webhooks webhook mail_choices personal_deletion
        account_email account_change_password account_logout account_reauthenticate
        socialaccount_connections usersessions_list
        mfa_index mfa_activate_totp mfa_add_webauthn
    """,
    "annotator": """
        annotate annotate_question annotate_tutorial annotate_tutorial_of
        work work_earnings work_group work_mine work_task
    """,
    "operator": """
        desk desk_acts desk_challenge desk_answer desk_answers desk_batch desk_budgets desk_corpora
        desk_corpus desk_documents desk_ledger desk_look desk_look_at desk_new_corpus desk_open desk_questions
        desk_roles desk_stuck desk_tutorial desk_worker desk_workers teams_waiting annotate_expert exhaustive
    """,
}

#: Further states of a page, each with what follows its question mark, or with its path.
_STATES = (
    Page("home, signed in", "member", "home"),
    Page("corpus, sorted and filtered", "visitor", "corpus", "sort=-recall&labels=1&show=f1&show=labels"),
    Page("corpus, nothing found", "visitor", "corpus", "q=no+such+system"),
    Page("compare, nothing chosen", "visitor", "compare", "?"),
    Page("documents, searched", "visitor", "documents", "q=the"),
    Page("documents, nothing found", "visitor", "documents", "q=xyzzyx"),
    Page("entities, nothing found", "visitor", "entities", "q=xyzzyx"),
    Page("system, its errors", "visitor", "system", "verdict=wrong"),
    Page("submission, as the operator", "operator", "submission"),
    Page("desk, as an organiser", "organiser", "desk"),
    Page("desk_corpus, as an organiser", "organiser", "desk_corpus"),
    Page("socialaccount_login_error", "visitor", "socialaccount_login_error", status=401),
    Page("an address of nothing", "visitor", path="/no/such/page/", status=404),
    Page("what one may not see", "member", path="/desk/", status=403),
)

#: What is no page to look at, by why that is so.
NO_PAGES = {
    "a file": """
        help_example help_schema data_file submission_history
        sample labels robots favicon desk_ledger_csv personal_export
        check_normalised submission_normalised check_problems_csv check_problems_json
        news_feed snapshot_csv submission_problems_csv submission_problems_json
        mfa_download_recovery_codes
    """,
    "answers a form alone": """
        data_accept terms_accept desk_challenge_act desk_phase desk_news_withdraw
        rename team_new team_leave team_shown team_approve upload_discard invitation
        submission_act submission_anonymous token_revoke session_end webhook_act delivery_again
        annotate_start annotate_draft work_accept work_return work_reply work_submit work_qualification
        desk_batch_act desk_decide desk_look_approve desk_block desk_check_books desk_cap desk_corpus_act
        desk_role_take desk_maker_stop
    """,
    "for a script of a page, or a program": """
        annotate_pages annotate_pages_of work_state hit_draft hit_pages prolific_hook requester_api
        mfa_login_webauthn
    """,
    "leads on at once, or is a step of a sign-in that is under way": """
        hit_home organisation_sign_in organisation_come_back openid_connect_login openid_connect_callback
        account_confirm_login_code account_set_password mfa_authenticate mfa_reauthenticate
        mfa_reauthenticate_webauthn socialaccount_signup
    """,
    "there once a second factor is": """
        mfa_deactivate_totp mfa_edit_webauthn mfa_list_webauthn mfa_remove_webauthn
        mfa_generate_recovery_codes mfa_view_recovery_codes
    """,
    "a part of a HIT's page": "hit_passage",
}


def pages() -> Iterator[Page]:
    """Yield every page that is looked at, further states behind their page."""
    for who, names in SEEN.items():
        for name in names.split():
            yield Page(name, who, name)
            yield from (state for state in _STATES if state.name == name and state.who == who)
    seen = {name: who for who, names in SEEN.items() for name in names.split()}
    yield from (state for state in _STATES if seen.get(state.name) != state.who)


def is_looked_at(name: str) -> bool | None:
    """Say whether a route has a page that is looked at; None if no list has it."""
    if name.startswith(("api_", "admin:")):
        return False  # for programs; Django's own
    if any(name in names.split() for names in SEEN.values()) or any(one.name == name for one in _STATES):
        return True
    return False if any(name in names.split() for names in NO_PAGES.values()) else None


def address(site: Site, page: Page) -> str | None:
    """Return the address of a page; None if the site holds nothing that it could show."""
    if page.path:
        return page.path
    try:
        path = site.address(page.name)
    except NoReverseMatch:
        return None
    query = page.query or urlencode(site.queries.get(page.name, {}))
    return f"{path}?{query}".rstrip("?")


def is_elsewhere(page: Page) -> bool:
    """Say whether a page is on the HIT pages' own host."""
    return is_of_hits(page.name)
