"""The addresses of the operators' desk."""

from django.urls import path

from kbpo.pages.views import (
    acts,
    answers,
    batches,
    budgets,
    desk,
    document_work,
    held,
    opening,
    stalled,
    teaching,
    workers,
)

urlpatterns = [
    path("", desk.home, name="desk"),
    path("open/", opening.open_batch, name="desk_open"),
    path("open/tutorial/", teaching.open_tutorial, name="desk_tutorial"),
    path("questions/", stalled.questions, name="desk_questions"),
    path("batches/<int:pk>/", batches.batch, name="desk_batch"),
    path("batches/<int:pk>/<str:action>/", batches.act, name="desk_batch_act"),
    path("answers/", answers.answers, name="desk_answers"),
    path("answers/<int:pk>/", answers.answer, name="desk_answer"),
    path("answers/<int:pk>/<str:action>/", answers.decide, name="desk_decide"),
    path("held/", held.look, name="desk_look"),
    path("held/<int:pk>/<str:kind>/", held.look_at, name="desk_look_at"),
    path("held/<int:pk>/<str:kind>/approve/", held.approve, name="desk_look_approve"),
    path("annotated/", document_work.documents, name="desk_documents"),
    path("workers/", workers.workers, name="desk_workers"),
    path("workers/<int:pk>/", workers.worker, name="desk_worker"),
    path("workers/<int:pk>/block/<int:identity>/", workers.block, name="desk_block"),
    path("budgets/", budgets.budgets, name="desk_budgets"),
    path("budgets/<int:pk>/", budgets.change_cap, name="desk_cap"),
    path("ledger/", budgets.ledger_page, name="desk_ledger"),
    path("ledger/check/", budgets.check_books, name="desk_check_books"),
    path("acts/", acts.acts, name="desk_acts"),
    path("ledger.csv", budgets.ledger_csv, name="desk_ledger_csv"),
]
