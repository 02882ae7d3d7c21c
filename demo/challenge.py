"""A challenge of the demo: a corpus with phases, one of which was moved, rules, terms and news."""

from datetime import datetime, timedelta

from annotations.challenges import dates, news, versions
from annotations.challenges.dates import PhaseDetails
from annotations.models import Corpus
from kbpo.accounts.models import User

DAY = timedelta(days=1)
RULES = (
    "Systems may be trained on anything but these reports and their summaries. Say in the description what"
    " was used.\n\nIn the development phase a team submits as often as its quota allows. In the test phase it"
    " may submit two systems, and chooses one of them to stand for it.\n\nWhoever writes about the results"
    " names the epoch of the scores."
)
TERMS = (
    "We do not look at the reports, or at what judges say of them, to mend a system by hand before it is"
    " submitted.\n\nWe agree that the outputs that we submit are shown to everybody once they are judged."
)
DATA_OUT = (
    "The data are out",
    "Thirty reports, each with a summary that a person wrote. The kit on the page of the data is a start.",
)
MORE_TIME = (
    "A week more for development",
    "Two teams asked for more time. The development phase ends a week later, and the test phase with it.",
)


def make(*, corpus: Corpus, by: User, now: datetime) -> None:
    """Give a corpus the life of a challenge whose development phase is on; again is harmless.

    Parameters
    ----------
    by : User
        An operator.
    """
    if corpus.phases.exists():
        return
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    begun, moved = noon - 30 * DAY, noon - 2 * DAY
    week, ends = 7 * DAY, noon + 11 * DAY
    development = dates.add_phase(
        corpus=corpus,
        by=by,
        details=PhaseDetails("Development", begun, ends, "To learn what judges make of a system."),
        now=begun,
    )
    test = PhaseDetails("Test", ends, ends + 2 * week, "Two systems of a team.", most_submissions=2)
    tested = dates.add_phase(corpus=corpus, by=by, details=test, now=begun)
    dates.change_phase(
        phase=tested,
        by=by,
        details=PhaseDetails(
            "Test", ends + week, ends + 3 * week, "Two systems of a team.", most_submissions=2
        ),
        now=moved,
    )
    dates.change_phase(
        phase=development,
        by=by,
        details=PhaseDetails("Development", begun, ends + week, "To learn what judges make of a system."),
        now=moved,
    )
    dates.add_phase(
        corpus=corpus,
        by=by,
        details=PhaseDetails(
            "Judging",
            ends + 3 * week,
            description="What was submitted in time is judged, and its epoch released.",
            takes_submissions=False,
        ),
        now=moved,
    )
    versions.write_rules(corpus=corpus, text=RULES, by=by, now=begun)
    versions.write_terms(corpus=corpus, text=TERMS, by=by, now=begun)
    for (title, text), at in ((DATA_OUT, begun), (MORE_TIME, moved)):
        news.publish(corpus=corpus, by=by, title=title, text=text, is_mailed=False, now=at)
