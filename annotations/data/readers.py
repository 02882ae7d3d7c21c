"""Who may read the texts of a corpus: one rule for downloads, pages, explorers and files.

Texts are what is written in documents: their words, titles, and names that were found in them. A document's
id, date, length and digest are none, nor are places in it. Those who annotate see what they are asked about
by their question, not through here.
"""

from annotations import roles
from annotations.data import agreements
from annotations.models import Corpus
from annotations.roles import Person
from kbpo.accounts.models import User
from kbpo.core.errors import NotAllowed

Texts = Corpus.Texts


def may_read(person: Person, corpus: Corpus) -> bool:
    """Say whether somebody may read the texts of a corpus.

    Parameters
    ----------
    person : User, AnonymousUser or None
    corpus : Corpus
        `public`: everybody; `agreement`: who is in a team that has accepted the version that holds;
        `operators`: nobody else. Operators, and the corpus' organisers and reviewers, may always,
        but not by a token without `organise`.
    """
    if corpus.texts == Texts.PUBLIC or roles.is_operator(person):
        return True
    if not isinstance(person, User) or not person.is_active:
        return False
    if roles.held(person).filter(corpus=corpus, role__in=roles.INSIDERS).exists():
        return True
    return corpus.texts == Texts.AGREEMENT and agreements.accepted(corpus, person).exists()


def may_download(person: Person, corpus: Corpus) -> bool:
    """Say whether somebody may have the texts as a file: they may read them, and there is a licence."""
    return bool(corpus.licence) and may_read(person, corpus)


def check_download(person: Person, corpus: Corpus) -> None:
    """Let those pass who may have a file with texts of a corpus.

    Raises
    ------
    NotAllowed
        If they may not; it says what would open it.
    """
    if not may_read(person, corpus):
        raise NotAllowed(closed_words(corpus))
    if not corpus.licence:
        raise NotAllowed(
            f"The texts of {corpus.name} have no licence here yet, so nobody can download them; ask its"
            " organiser."
        )


def closed_words(corpus: Corpus) -> str:
    """Say why texts are closed, and what opens them, to somebody who may not read them."""
    if corpus.texts == Texts.AGREEMENT:
        return (
            f"The texts of {corpus.name} are open to teams that have accepted its agreement: sign in, and"
            " accept it for your team on the corpus’ data page."
        )
    return (
        f"The texts of {corpus.name} are not given out here. Its data page says where they come from, and has"
        " each document’s id and digest."
    )
