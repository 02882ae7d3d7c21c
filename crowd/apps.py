from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here."""
        from crowd.annotators import personal
        from kbpo.accounts.personal import parts

        parts.register(personal.PART)
