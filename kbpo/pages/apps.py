from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "kbpo.pages"
    label = "pages"

    def ready(self) -> None:
        """Tell evaluation what judging costs: it cannot ask."""
        from evaluation.design import prices
        from kbpo.pages.money import costs

        prices.register(costs.Prices())
