from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here."""
        from annotations import personal
        from kbpo.accounts.personal import parts

        parts.register(personal.PART)
