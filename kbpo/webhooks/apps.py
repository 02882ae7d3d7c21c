from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "kbpo.webhooks"
    label = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here."""
        from kbpo.accounts.personal import parts
        from kbpo.webhooks import personal

        parts.register(personal.PART)
