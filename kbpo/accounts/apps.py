from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "kbpo.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Remember who signs in where, and end what began with other factors."""
        from allauth.account.signals import user_logged_in
        from allauth.mfa.signals import authenticator_added, authenticator_removed

        from kbpo.accounts import login_throttling, sessions

        user_logged_in.connect(login_throttling.remember)
        authenticator_added.connect(sessions.end_others)
        authenticator_removed.connect(sessions.end_others)
