"""How Django's admin is installed."""

from django.contrib.admin import apps


class AdminConfig(apps.AdminConfig):
    """Takes our site in place of Django's."""

    default_site = "kbpo.core.admin.OperatorsSite"
