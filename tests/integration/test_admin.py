"""The admin looks, and changes next to nothing."""

import pytest
from django.contrib import admin
from django.urls import reverse

from annotations.models import ClassList, Corpus
from evaluation.models import Submission
from kbpo.accounts.models import User
from tests.factories import (
    CorpusFactory,
    EpochFactory,
    LabelFactory,
    PredictionFactory,
    ProblemFactory,
    QuestionFactory,
    ResponseFactory,
    ScoreFactory,
    TeamFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db
OURS = ["accounts", "annotations", "crowd", "evaluation"]
CHANGEABLE = {"User", "Corpus"}


def ours():
    return [model for model in admin.site._registry if model._meta.app_label in OURS]


def address(model, page, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def operator(client):
    user = UserFactory(operator=True)
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def rows(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    ScoreFactory()
    ProblemFactory()
    LabelFactory()
    ResponseFactory()
    PredictionFactory()
    TeamFactory(members=[UserFactory()])


@pytest.mark.slow
def test_an_operator_can_look_at_everything(client, operator):
    for model in ours():
        assert client.get(address(model, "changelist")).status_code == 200, model
        row = model._default_manager.first()
        if row is not None:
            assert client.get(address(model, "change", row.pk)).status_code == 200, model


def test_an_operator_changes_people_and_corpora_alone(rf, operator):
    request = rf.get("/")
    request.user = operator
    may = {
        model.__name__
        for model, its in admin.site._registry.items()
        if model in ours()
        and (
            its.has_add_permission(request)
            or its.has_change_permission(request)
            or its.has_delete_permission(request)
        )
    }
    assert may == CHANGEABLE


@pytest.mark.parametrize("traits", [{}, {"annotator": True}])
def test_nobody_else_gets_in(client, traits):
    client.force_login(UserFactory(**traits))
    assert client.get("/admin/").status_code == 302


def test_the_secret_of_an_epoch_is_shown_to_nobody(client, operator):
    epoch = EpochFactory()
    assert epoch.secret not in client.get(address(type(epoch), "change", epoch.pk)).content.decode()


def test_a_corpus_keeps_its_design(client, operator):
    corpus = CorpusFactory()
    form = {
        "name": "Renamed",
        "description": "",
        "weekly_quota": "9",
        "weekly_quota_of_person": "9",
        "anonymous_days": "180",
        "texts": "public",
        "design": "iid",
        "tag": "other",
    }
    form |= {"most_votes": "7", "least_posterior": "0.9", "policy": "curtailed", "audit_share": "0.25"}
    client.post(address(type(corpus), "change", corpus.pk), form)
    before = corpus.tag
    corpus.refresh_from_db()
    assert (corpus.name, corpus.design, corpus.tag) == ("Renamed", "coordinated", before)
    assert (corpus.policy, corpus.most_votes, corpus.least_posterior) == ("curtailed", 7, 0.9)
    assert corpus.audit_share == 0.25


def test_a_corpus_keeps_its_classes(client, operator):
    listed = {"digest": "0" * 64, "cannot_tell": False, "classes": [["a", "x"], ["b", "y"]]}
    classes = ClassList.objects.create(name="letters", version=1, **listed)
    corpus = CorpusFactory(task="classification", classes=classes)
    form = {
        "name": "Renamed",
        "weekly_quota": "9",
        "weekly_quota_of_person": "9",
        "anonymous_days": "180",
        "policy": "fixed",
        "texts": "public",
    }
    form |= {"most_votes": "5", "least_posterior": "0.5", "audit_share": "0", "classes": ""}
    client.post(address(type(corpus), "change", corpus.pk), form)
    corpus.refresh_from_db()
    assert (corpus.name, corpus.classes) == ("Renamed", classes)


def test_a_policy_that_measures_by_first_votes_stays_once_there_are_questions(client, operator):
    corpus = QuestionFactory(document__corpus__policy="curtailed").document.corpus
    form = {
        "name": "Renamed",
        "weekly_quota": "9",
        "weekly_quota_of_person": "9",
        "anonymous_days": "180",
        "policy": "fixed",
        "texts": "public",
    }
    form |= {"most_votes": "5", "least_posterior": "0.5", "audit_share": "0"}
    client.post(address(type(corpus), "change", corpus.pk), form)
    corpus.refresh_from_db()
    assert (corpus.name, corpus.policy) == ("Renamed", "curtailed")


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.25), (0.1, 0.1)])
def test_audits_may_begin_and_do_not_end_once_there_are_questions(client, operator, before, after):
    corpus = QuestionFactory(document__corpus__audit_share=before).document.corpus
    form = {
        "name": "Renamed",
        "weekly_quota": "9",
        "weekly_quota_of_person": "9",
        "anonymous_days": "180",
        "policy": "fixed",
        "texts": "public",
    }
    form |= {"most_votes": "5", "least_posterior": "0.5", "audit_share": "0.25"}
    client.post(address(type(corpus), "change", corpus.pk), form)
    corpus.refresh_from_db()
    assert (corpus.name, corpus.audit_share) == ("Renamed", after)


@pytest.mark.parametrize("wrong", [{"most_votes": "0"}, {"least_posterior": "0.4"}, {"least_posterior": "1"}])
def test_when_votes_suffice_stays_within_reason(client, operator, wrong):
    corpus = CorpusFactory()
    form = {
        "name": "Renamed",
        "weekly_quota": "9",
        "weekly_quota_of_person": "9",
        "anonymous_days": "180",
        "policy": "fixed",
        "texts": "public",
    }
    form |= {"most_votes": "5", "least_posterior": "0.5", "audit_share": "0"}
    response = client.post(address(type(corpus), "change", corpus.pk), form | wrong)
    corpus.refresh_from_db()
    assert (response.status_code, corpus.name == "Renamed") == (200, False)


def test_an_operator_makes_annotators_but_no_operators(client, operator):
    user = UserFactory()
    form = {"name": "Ann", "is_annotator": "on", "is_active": "on", "is_operator": "on", "is_staff": "on"}
    client.post(address(User, "change", user.pk), form)
    user.refresh_from_db()
    assert (user.is_annotator, user.is_operator, user.is_staff) == (True, False, False)


def test_an_operator_does_not_change_a_superuser(client, operator):
    boss = User.objects.create_superuser("boss@example.org", "a long pass phrase")
    answer = client.post(address(User, "change", boss.pk), {"name": "No more"})
    assert answer.status_code == 403


@pytest.mark.parametrize("field", [Submission._meta.get_field("code_url"), Corpus._meta.get_field("source")])
def test_an_address_that_is_typed_without_its_scheme_is_taken_for_https(field):
    form_field = admin.site._registry[field.model].formfield_for_dbfield(field, None)
    assert form_field.clean("example.org/x") == "https://example.org/x"
