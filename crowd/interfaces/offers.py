"""What each kind of work is called, and the time that it is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Offer:
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


OFFERS: Mapping[str, Offer] = {
    "relation": Offer(
        title="How are two people, places or organizations related in a text?",
        description="Read a short passage and say how two marked names are related, if at all.",
        keywords="text, reading, relations, language",
        duration=timedelta(minutes=5),
    ),
    "entities": Offer(
        title="Mark the people, places, organizations, dates and titles in a text",
        description="Read a document, mark every name in it, and say which names mean the same.",
        keywords="text, reading, names, language",
        duration=timedelta(hours=2),
    ),
}
TUTORIALS: Mapping[str, Offer] = {
    "relation": Offer(
        title="Learn to say how two names are related in a text (10 questions, with a bonus)",
        description="A tutorial with explained practice questions. Passing it opens our other work to you.",
        keywords="tutorial, text, reading, relations",
        duration=timedelta(minutes=60),
    ),
    "entities": Offer(
        title="Learn to mark names in a text (10 questions, with a bonus)",
        description="A tutorial with explained practice questions. Passing it opens our other work to you.",
        keywords="tutorial, text, reading, names",
        duration=timedelta(minutes=60),
    ),
}
TUTORIAL_TAKES = timedelta(minutes=6)  # 8 to 10 questions, with their explanations (Liu et al. 2016)
LIFETIME = timedelta(days=7)
AUTO_APPROVAL = timedelta(days=3)
LONGEST_DURATION = timedelta(hours=24)
