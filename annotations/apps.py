from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AnnotationsConfig(AppConfig):
    name = "annotations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here, and see to the built-in ontologies."""
        from annotations import ontologies, personal
        from kbpo.accounts.personal import parts

        parts.register(personal.PART)
        post_migrate.connect(ontologies.store_builtin_after_migrating, sender=self)
