from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "kbpo.core.health"
    label = "health"
