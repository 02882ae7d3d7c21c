from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Say what is kept about people here."""
        from evaluation.submissions import personal
        from kbpo.accounts.personal import parts

        parts.register(personal.PART)
