"""The addresses of the marketplace: one for requesters, the others for workers."""

from django.urls import path, re_path

from marketplace import api, views
from marketplace.frames import SUBMIT

urlpatterns = [
    re_path(r"^marketplace/api/?$", api.requester_api, name="requester_api"),
    path("work/", views.find, name="work"),
    path("work/mine/", views.mine, name="work_mine"),
    path("work/earnings/", views.earnings, name="work_earnings"),
    path("work/groups/<str:group_id>/", views.group, name="work_group"),
    path("work/groups/<str:group_id>/accept/", views.accept, name="work_accept"),
    path("work/tasks/<str:assignment_id>/", views.task, name="work_task"),
    path("work/tasks/<str:assignment_id>/state/", views.task_state, name="work_state"),
    path("work/tasks/<str:assignment_id>/return/", views.give_back, name="work_return"),
    path("work/tasks/<str:assignment_id>/reply/", views.reply, name="work_reply"),
    path(f"work/submit/<str:token>{SUBMIT}", views.submit, name="work_submit"),
    path("work/qualifications/<str:type_id>/", views.request_qualification, name="work_qualification"),
]
