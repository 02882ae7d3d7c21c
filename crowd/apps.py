from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Join pages and collecting with what asks gold questions, looks at work, settles tutorials."""
        from crowd import collecting, qualifying
        from crowd.hits import sending, working
        from crowd.providers import prolific
        from crowd.quality import checking

        working.register_gold(checking.choose_gold)
        collecting.register_check(checking.check)
        qualifying.register()
        # Where Prolific's workers go back to, and when no more of them are wanted.
        sending.register_completion(
            "prolific", lambda hit, came: prolific.completion_url(hit, study_id=came.study_id)
        )
        working.register_closed("prolific", prolific.is_closed)
