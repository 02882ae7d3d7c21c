"""What the pages of an interface do, wherever they are shown: in a HIT, to annotators, at the desk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import HttpRequest, HttpResponse

from annotations.models import Question
from crowd.hits.arrivals import Arrival
from crowd.models import Assignment, Hit, Reservation

#: What is shown of the whole document of one of a page's parts.
ShowPassage = Callable[[HttpRequest, Hit, Assignment, int], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitPage:
    """The page of a HIT.

    Attributes
    ----------
    show : callable
        Shows it with what has been done so far.
    take : callable
        Takes the answer, keeps it and says how it reaches the provider.
    read_save : callable
        Reads what the page has saved: its number, and what has been done.
    show_passage : callable or None
        Shows the whole document of one of the page's parts; None where it is on the page.
    """

    show: Callable[[HttpRequest, Hit, Arrival, Assignment], HttpResponse]
    take: Callable[[HttpRequest, Hit, Arrival, Assignment], HttpResponse]
    read_save: Callable[[Mapping[str, object]], tuple[int, dict[str, Any]]]
    show_passage: ShowPassage | None = None


class Take(Protocol):
    """Takes an annotator's answers and goes on.

    `is_held` says whether the question is still held: only then is its page shown again with an error.
    """

    def __call__(
        self,
        request: HttpRequest,
        question: Question,
        *,
        as_expert: bool,
        is_held: bool,
        go_on: Callable[[], HttpResponse],
    ) -> HttpResponse:
        """Take them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorPage:
    """The page of a question that an annotator holds.

    Attributes
    ----------
    show : callable
        Shows a question to whoever holds it.
    take : Take
    read_draft : callable or None
        Reads what the page saves as one goes, `InvalidInput` if it is of another form; a question is then
        held anew, if it can be. None where nothing is saved.
    """

    show: Callable[[HttpRequest, Question, Reservation], HttpResponse]
    take: Take
    read_draft: Callable[[object], dict[str, Any]] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPage:
    """How what a worker sent is shown at the desk, beside its documents and what others said.

    Attributes
    ----------
    read : callable
        Of an assignment and those of its questions that the interface asks, what is to be shown, in parts.
    template : str
        Shows a `part`.
    """

    read: Callable[[Assignment, Sequence[Question]], Sequence[Any]]
    template: str


#: Shows an example to anybody, and what their answer to it would have been taken for; nothing is stored.
TrialPage = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """All pages of an interface."""

    hit: HitPage
    annotator: AnnotatorPage
    desk: DeskPage
    trial: TrialPage
