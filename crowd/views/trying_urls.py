"""The addresses under which anybody tries the interfaces."""

from django.urls import path

from crowd.views import trying

urlpatterns = [
    path("", trying.choose, name="try"),
    path("<str:kind>/", trying.try_out, name="try_out"),
]
