from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "kbpo.pages"
    label = "pages"
