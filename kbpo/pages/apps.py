from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "kbpo.pages"
    label = "pages"

    def ready(self) -> None:
        """Tell evaluation what judging costs: it cannot ask."""
        from evaluation import money
        from kbpo.pages import costs

        money.register(costs.Prices())
