from django.apps import AppConfig


class MarketplaceConfig(AppConfig):
    name = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here."""
        from kbpo.accounts.personal import parts
        from marketplace import personal

        parts.register(personal.PART)
