"""Sites to take pictures of: just installed, with corpora and no system, the demo, and a large one."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from urllib.parse import parse_qsl

from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus, Document
from crowd.models import Hit, Reservation
from evaluation.classification.task import TASK as CLASSIFICATION
from evaluation.generation.task import TASK as GENERATION
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Comparison, Entity, Epoch, Problem, Score, Submission
from kbpo.accounts.models import Team, User
from kbpo.management.commands import load_demo
from kbpo.management.commands.load_demo import LETTERS, REPORTS, TAG
from marketplace.models import Assignment
from tests import factories as make
from tests.arrivals import arrival
from tests.integration.any_request.site import Site, build


def new() -> Site:
    """Return a site that was just installed: people, and nothing else."""
    people = {
        "visitor": None,
        "member": make.UserFactory.create(name="Robin Researcher"),
        "annotator": make.UserFactory.create(name="Alex Annotator", annotator=True),
        "operator": make.UserFactory.create(
            name="Olga Operator", operator=True, annotator=True, is_superuser=True
        ),
    }
    return Site(people, {}, {}, {}, {})


def empty() -> Site:
    """Return a site with a corpus of each task, to which nothing was submitted, and a team."""
    from annotations.models import ClassList

    site = new()
    member = site.people["member"]
    team = make.TeamFactory.create(name="Wren", members=[member])
    classes = ClassList.objects.create(
        name="subjects", version=1, digest="", cannot_tell=True, classes=[["good", "Well."], ["bad", "Not."]]
    )
    corpora = {
        KBP.name: make.CorpusFactory.create(tag=TAG, name="The Marren papers"),
        CLASSIFICATION.name: make.CorpusFactory.create(
            tag=LETTERS, name="Letters to the ferry", task=CLASSIFICATION.name, classes=classes
        ),
        GENERATION.name: make.CorpusFactory.create(
            tag=REPORTS, name="Reports in two sentences", task=GENERATION.name, policy="single", audit_share=0
        ),
    }
    site.people["organiser"] = make.give(
        make.UserFactory.create(name="Orla Organiser"), corpora[KBP.name], "organiser"
    )
    document = make.DocumentFactory.create(corpus=corpora[KBP.name], segmented=True)
    site.things |= {
        **{name: {"tag": TAG} for name in _OF_CORPUS},
        **{name: {"pk": team.pk} for name in ("team", "webhooks")},
        "metrics": {"tag": REPORTS},
        "document": {"tag": TAG, "doc_id": document.doc_id},
        "desk_corpus": {"tag": TAG},
        **_OF_EVERYBODY,
    }
    return site


def small() -> Site:
    """Return the demo, with what its people have made of it."""
    call_command("load_demo", stdout=StringIO())
    by_address = {address: User.objects.get(email=address) for address, _, _ in load_demo.PEOPLE}
    member, annotator, _, operator = by_address.values()
    site = build((member, annotator, operator), letters="notes")
    _name(Corpus, "name", {"news": "The harbour news", "notes": "Notes", "summaries": "Summaries"}, "tag")
    Team.objects.filter(pk=site.things["team"]["pk"]).update(name="Kestrel")
    site.people["organiser"] = make.give(
        make.UserFactory.create(name="Orla Organiser"), Corpus.objects.get(tag="news"), "organiser"
    )
    _show(site, Corpus.objects.get(tag=TAG), Corpus.objects.get(tag=LETTERS), Corpus.objects.get(tag=REPORTS))
    own = Submission.objects.filter(team__name="Wren", corpus__tag=TAG, state=Submission.State.SCORED)
    _mine(site, own.latest("pk"))
    _last(site)
    return site


def large() -> Site:
    """Return a site with a thousand systems, long names, and a system of very many claims."""
    from tests.pictures import stretching

    with transaction.atomic():
        site = build()
        corpus = stretching.fill(site)
        _show(site, corpus, None, None)
        stretching.add_names(corpus)
        _last(site)
    return site


WORLDS: dict[str, Callable[[], Site]] = {"new": new, "empty": empty, "small": small, "large": large}
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
_LATER = 1e6  # seconds: the pages of an account ask nobody again who they are, however long this takes
_OF_CORPUS = (
    "rules",
    "news",
    "snapshots",
    "desk_challenge",
    "corpus",
    "data",
    "compare",
    "documents",
    "entities",
    "exhaustive",
)
_OF_EVERYBODY = {"try_out": {"kind": "relation"}, "annotate_tutorial_of": {"kind": "relation"}}


def _name(model: type[Corpus], field: str, names: dict[str, str], by: str) -> None:
    for key, name in names.items():
        model._default_manager.filter(**{by: key}).update(**{field: name})


def _show(site: Site, corpus: Corpus, letters: Corpus | None, reports: Corpus | None) -> None:
    """Have the pages about corpora show these."""
    released = Epoch.objects.filter(corpus=corpus, released_at__isnull=False).latest("number")
    system = Score.objects.filter(epoch=released).earliest("pk").submission
    compared = Comparison.objects.filter(epoch__corpus=corpus).latest("pk").submissions
    site.things |= {name: {"tag": corpus.tag} for name in _OF_CORPUS}
    site.things["system"] = {"tag": corpus.tag, "pk": system.pk}
    site.queries["leaderboard"] = {"corpus": corpus.tag}
    site.queries.pop("home")  # the first page as it greets, not as a leaderboard
    site.queries["compare"] = {"a": compared[0], "b": compared[1]}
    document = Document.objects.filter(corpus=corpus, retirement__isnull=False).first()
    document = document or Document.objects.filter(corpus=corpus).earliest("pk")
    site.things["document"] = {"tag": corpus.tag, "doc_id": document.doc_id}
    entity_index.make_index(corpus=corpus, now=timezone.now())
    if entity := Entity.objects.filter(index__corpus=corpus).order_by("-relations", "pk").last():
        site.things["entity"] = {"tag": corpus.tag, "key": entity.key}
    if letters:
        site.things["items"] = {"tag": letters.tag, "pk": _scored(letters).pk}
    if reports:
        first, second = Submission.objects.filter(corpus=reports, state=Submission.State.SCORED)[:2]
        for name in ("outputs", "output_metric"):
            site.things[name] = {"tag": reports.tag, "pk": first.pk}
        site.things["metrics"] = site.things["output_pair"] = {"tag": reports.tag}
        site.queries["output_pair"] = {"a": first.pk, "b": second.pk}


def _last(site: Site) -> None:
    """Have what people hold not run out while pictures are taken; who comes to a HIT comes from this site."""
    later = timezone.now() + timedelta(seconds=_LATER)
    Assignment.objects.filter(state=Assignment.State.ACCEPTED).update(deadline=later)
    Reservation.objects.update(expires_at=later)
    hit = Hit.objects.get(annotation=site.things["hit"]["annotation"])
    site.queries["hit"] = dict(parse_qsl(arrival(hit, f"{settings.SITE_URL}/work/submit/abc:1-x_y:sig")))


def _scored(corpus: Corpus) -> Submission:
    return Submission.objects.filter(corpus=corpus, state=Submission.State.SCORED).earliest("pk")


def _mine(site: Site, submission: Submission) -> None:
    """Have the pages of a submission show this one; its problems, that of the team which has most."""
    for name in ("submission", "submission_lines", "submission_links"):
        site.things[name] = {"pk": submission.pk}
    with_problems = Problem.objects.filter(submission__team__memberships__user=site.people["member"]).first()
    if with_problems:
        site.things["submission_problems"] = {"pk": with_problems.submission_id}


def signed_in(user: User) -> str:
    """Return the key of a session of somebody whose address is confirmed; it asks for no password again."""
    EmailAddress.objects.get_or_create(
        user=user, email=user.email, defaults={"verified": True, "primary": True}
    )
    client = Client()
    client.force_login(user)
    key = client.session.session_key
    assert key is not None
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password", reauthenticated=True)
    request.session[AUTHENTICATION_METHODS_SESSION_KEY][-1]["at"] += _LATER
    request.session.save()
    UserSession.objects.create(user=user, session_key=key, ip="192.0.2.7", user_agent=BROWSER)
    return str(key)
