from django.apps import AppConfig
from django.db.models.signals import post_migrate


class CoreConfig(AppConfig):
    name = "kbpo.core"
    label = "core"

    def ready(self) -> None:
        """Register the system checks, and the mark of a new database."""
        from kbpo.core import production_checks  # noqa: F401
        from kbpo.core.database.migrating import mark_initial_migrations

        post_migrate.connect(mark_initial_migrations, sender=self)
