"""Addresses that Prolific calls."""

from django.urls import path

from crowd.providers.prolific import views

urlpatterns = [path("hooks/", views.hook, name="prolific_hook")]
