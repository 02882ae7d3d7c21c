"""Addresses of people and teams."""

from django.urls import path

from kbpo.accounts import organisations, token_pages, views
from kbpo.accounts.mails import views as mails
from kbpo.accounts.personal import views as personal

urlpatterns = [
    path("privacy/", personal.privacy, name="privacy"),
    path("teams/", views.my_teams, name="teams"),
    path("teams/name/", views.rename, name="rename"),
    path("teams/account.json", personal.export, name="personal_export"),
    path("teams/account/delete/", personal.delete, name="personal_deletion"),
    path("teams/mail/", mails.choose, name="mail_choices"),
    path("mail/off/<str:token>/", mails.off, name="mail_off"),
    path("teams/tokens/", token_pages.tokens, name="tokens"),
    path("teams/tokens/new/", token_pages.new, name="token_new"),
    path("teams/tokens/<int:pk>/revoke/", token_pages.revoke, name="token_revoke"),
    path("teams/new/", views.create, name="team_new"),
    path("teams/waiting/", views.waiting, name="teams_waiting"),
    path("teams/<int:pk>/approve/", views.approve, name="team_approve"),
    path("teams/invitations/<int:pk>/", views.answer, name="invitation"),
    path("teams/<int:pk>/", views.team, name="team"),
    path("teams/<int:pk>/shown/", views.show, name="team_shown"),
    path("teams/<int:pk>/leave/", views.leave, name="team_leave"),
    path("accounts/oidc/<str:provider_id>/login/", organisations.sign_in, name="organisation_sign_in"),
    path(
        "accounts/oidc/<str:provider_id>/login/callback/",
        organisations.come_back,
        name="organisation_come_back",
    ),
    path("accounts/sessions/<int:pk>/end/", views.end_session, name="session_end"),
]
