from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "kbpo.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Remember who signs in where."""
        from allauth.account.signals import user_logged_in

        from kbpo.accounts import guessing

        user_logged_in.connect(guessing.remember)
