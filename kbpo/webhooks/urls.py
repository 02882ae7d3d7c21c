"""Addresses of webhooks' pages."""

from django.urls import path, re_path

from kbpo.webhooks import views

urlpatterns = [
    path("teams/<int:pk>/webhooks/", views.webhooks, name="webhooks"),
    path("webhooks/<int:pk>/", views.webhook, name="webhook"),
    re_path(
        r"^webhooks/(?P<pk>[0-9]+)/(?P<action>test|on|events|secret|remove)/$", views.act, name="webhook_act"
    ),
    path("webhooks/deliveries/<int:pk>/again/", views.send_again, name="delivery_again"),
]
