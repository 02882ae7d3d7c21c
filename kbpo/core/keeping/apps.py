from django.apps import AppConfig


class KeepingConfig(AppConfig):
    name = "kbpo.core.keeping"
    label = "keeping"

    def ready(self) -> None:
        """Register the system check."""
        from kbpo.core.keeping import installation_check  # noqa: F401
