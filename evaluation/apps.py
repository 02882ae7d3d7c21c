from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Tell annotations who competes: it cannot ask."""
        from annotations import conflicts
        from evaluation.submissions.submitting import competes

        conflicts.register(competes)
