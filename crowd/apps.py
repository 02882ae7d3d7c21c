from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have work looked at when it is taken in."""
        from crowd import collecting, quality

        collecting.register_check(quality.check)
