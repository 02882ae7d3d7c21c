from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "kbpo.core"
    label = "core"

    def ready(self) -> None:
        """Register the system checks."""
        from kbpo.core import production_checks  # noqa: F401
