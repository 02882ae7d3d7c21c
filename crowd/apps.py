from django.apps import AppConfig


class CrowdConfig(AppConfig):
    name = "crowd"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Join pages and collecting with what asks gold questions, looks at work, settles tutorials."""
        from crowd import collecting, qualifying, quality
        from crowd.hits import working
        from crowd.providers import prolific

        working.register_gold(quality.choose_gold)
        collecting.register_check(quality.check)
        qualifying.register()
        prolific.register()
