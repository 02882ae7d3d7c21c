from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Join what is collected with what it earns, and HIT pages with those who send workers to them."""
        from crowd import qualifying
        from crowd.providers import prolific

        qualifying.register()
        prolific.register()
