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
from kbpo.core.errors import Conflict, InvalidInput

LONGEST_TITLE, LONGEST = 150, 5_000  # characters


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
    """Publish news of a corpus, and have it mailed.

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
    title, text = " ".join(title.split()), text.replace("\r\n", "\n").strip()
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        raise InvalidInput(f"news need a title of 1 to {LONGEST_TITLE} characters that print", where="title")
    if len(text) > LONGEST or "\0" in text:
        raise InvalidInput(f"write at most {LONGEST:,} characters, and no NUL", where="text")
    User.objects.select_for_update(no_key=True).get(pk=by.pk)  # who sends a page twice is in line
    last = shown(corpus).first()
    if last is not None and (last.title, last.text) == (title, text):
        raise Conflict("The newest post says the very same: it was published already.")
    post = CorpusNews.objects.create(corpus=corpus, title=title, text=text, written_by=by, published_at=now)
    record(What.CORPUS_CHANGED, by=by, about=corpus, after={"news": "published"})
    if is_mailed:
        post.mailed_to = writing.tell(
            kinds.NEWS,
            taking_part(corpus),
            subject=f"{corpus.name}: {title}",
            template="news.txt",
            context={"post": post, "corpus": corpus, "page": writing.address_of("news", corpus.tag)},
        )
        post.save(update_fields=["mailed_to"])
    return post


@transaction.atomic
def withdraw(*, post: CorpusNews, by: User, now: datetime) -> None:
    """Show a post to nobody any more; mail that went out has gone. Again is no error.

    Raises
    ------
    NotAllowed
        If `by` may not change what is said of the corpus.
    """
    roles.check(by, Act.KEEP, post.corpus)
    if CorpusNews.objects.filter(pk=post.pk, withdrawn_at=None).update(withdrawn_at=now):
        before, after = {"news": "published"}, {"news": "withdrawn"}
        record(What.CORPUS_CHANGED, by=by, about=post.corpus, before=before, after=after)
