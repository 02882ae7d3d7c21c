from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "kbpo.core"
    label = "core"
