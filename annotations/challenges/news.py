"""News of a corpus: posted by its organisers, and mailed to those who take part and want such mail."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations import roles
from annotations.models import AcceptedTerms, Competitor, Corpus, CorpusNews
from annotations.roles import Act
from kbpo.accounts.mails import kinds, writing
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.names import read_name
from kbpo.core.plain_text import find_fault

LONGEST_TITLE, LONGEST = 150, 5_000  # characters
AT_ONCE = 200  # people who are told in one transaction
MAIL_TASK = "kbpo.pipeline.mail_news"


def shown(corpus: Corpus) -> QuerySet[CorpusNews]:
    """Select what everybody may read, the newest first."""
    return CorpusNews.objects.filter(corpus=corpus, withdrawn_at=None).order_by("-pk")


def taking_part(corpus: Corpus) -> QuerySet[User]:
    """Select who is in a team that has submitted to a corpus, or accepted its terms."""
    submitted = Competitor.objects.filter(corpus=corpus).values("team")
    accepted = AcceptedTerms.objects.filter(terms__corpus=corpus).values("team")
    theirs = Q(memberships__team__in=submitted) | Q(memberships__team__in=accepted)
    return User.objects.filter(theirs)


@transaction.atomic
def publish(
    *, corpus: Corpus, by: User, title: str, text: str = "", is_mailed: bool = True, now: datetime
) -> CorpusNews:
    """Publish news of a corpus, and have it mailed (`mail_next`).

    Parameters
    ----------
    is_mailed : bool
        Whether those who take part get it by mail, unless they switched such mail off.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    InvalidInput
        If the title or the text is missing, too long, or does not print.
    Conflict
        If the newest post says the same: a page that is sent twice publishes, and mails, once.
    """
    roles.check(by, Act.KEEP, corpus)
    text = text.replace("\r\n", "\n").strip()
    title = read_name(title, of="A post's title", longest=LONGEST_TITLE, where="title")
    if len(text) > LONGEST:
        raise InvalidInput(f"write at most {LONGEST:,} characters", where="text")
    if fault := find_fault(text):
        raise InvalidInput(f"remove {fault}", where="text")
    User.objects.select_for_update(no_key=True).get(pk=by.pk)  # who sends a page twice is in line
    last = shown(corpus).first()
    if last is not None and (last.title, last.text) == (title, text):
        raise Conflict("The newest post says the very same: it was published already.")
    post = CorpusNews.objects.create(
        corpus=corpus,
        title=title,
        text=text,
        written_by=by,
        published_at=now,
        mailed_after=0 if is_mailed else None,
    )
    record(What.CORPUS_CHANGED, by=by, about=corpus, after={"news": "published"})
    if is_mailed:
        nudge(MAIL_TASK)
    return post


def to_mail() -> QuerySet[CorpusNews]:
    """Select the posts of which somebody is still to be told, the oldest first."""
    return CorpusNews.objects.filter(mailed_after__isnull=False).order_by("pk")


@transaction.atomic
def mail_next() -> int:
    """Mail the oldest post that is to be mailed to the next few people; return how many were asked after.

    People are told in the order of their accounts, and the post's row remembers the last of them in the same
    transaction that writes their mail: whoever is killed here, everybody is told once. Who switched such mail
    off is passed over, and counted as asked after. 0: there is nothing to do, or another is at it.
    """
    post = to_mail().select_for_update(of=("self",), skip_locked=True).select_related("corpus").first()
    if post is None:
        return 0
    people = taking_part(post.corpus).filter(is_active=True, pk__gt=post.mailed_after)
    keys = list(people.order_by("pk").distinct().values_list("pk", flat=True)[:AT_ONCE])
    if keys:
        post.mailed_to += writing.tell(
            kinds.NEWS,
            User.objects.filter(pk__in=keys),
            subject=f"{post.corpus.name}: {post.title}",
            template="news.txt",
            context={
                "post": post,
                "corpus": post.corpus,
                "page": writing.address_of("news", post.corpus.tag),
            },
        )
    post.mailed_after = keys[-1] if len(keys) == AT_ONCE else None
    post.save(update_fields=["mailed_to", "mailed_after"])
    return len(keys)


@transaction.atomic
def withdraw(*, post: CorpusNews, by: User, now: datetime) -> None:
    """Show a post to nobody any more, nor mail it; mail that went out has gone. Again is no error.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    """
    roles.check(by, Act.KEEP, post.corpus)
    if CorpusNews.objects.filter(pk=post.pk, withdrawn_at=None).update(withdrawn_at=now, mailed_after=None):
        before, after = {"news": "published"}, {"news": "withdrawn"}
        record(What.CORPUS_CHANGED, by=by, about=post.corpus, before=before, after=after)
