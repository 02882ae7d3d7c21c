from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Join what is collected with what it earns."""
        from crowd import qualifying

        qualifying.register()
