"""What does not get on: one thing of it, as the page of them shows it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LONG = timedelta(minutes=10)  # after which what waits for the pipeline is worth a look


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that does not get on.

    Attributes
    ----------
    title : str
        What it is.
    cause : str
        Why it does not get on.
    since : datetime or None
        None where nobody noted it.
    url : str
        Where more of it is seen; empty for nowhere.
    act, pk : str
        What a button does, one of `kbpo.pages.views.stuck.ACTS`, and to which row; empty for no button.
    button : str
        What it says.
    trouble : str
        The key by which it is remembered (`kbpo.core.health.troubles`); empty where nothing is wrong, and
        somebody only has to do something.
    """

    title: str
    cause: str
    since: datetime | None = None
    url: str = ""
    act: str = ""
    pk: str = ""
    button: str = ""
    trouble: str = ""
