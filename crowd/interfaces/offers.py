"""What each kind of work is called, and the time that it is given."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class WorkOffer:
    """The words and times of a kind of work, as workers see them.

    Attributes
    ----------
    title, description, keywords : str
    duration : timedelta
        That a worker has for one unit: a question with its companions, or a document.
    """

    title: str
    description: str
    keywords: str
    duration: timedelta


TUTORIAL_TAKES = timedelta(minutes=6)  # 8 to 10 questions, with their explanations (Liu et al. 2016)
LIFETIME = timedelta(days=7)
AUTO_APPROVAL = timedelta(days=3)
LONGEST_DURATION = timedelta(hours=24)
