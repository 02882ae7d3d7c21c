from django.apps import AppConfig


class KbpoConfig(AppConfig):
    name = "kbpo"
