"""That an epoch is released, told to the teams of its corpus."""

from evaluation.models import Epoch, Submission
from kbpo.accounts.mails import kinds, writing
from kbpo.accounts.models import Team, User
from kbpo.webhooks import announcing, events

State = Submission.State


def tell_released(epoch: Epoch, *, labels: int, retired: str) -> None:
    """Tell that an epoch is released; call it in the transaction that releases it.

    Parameters
    ----------
    epoch : Epoch
    labels : int
        How many were published with it.
    retired : str
        What was retired with it, in words; empty for nothing.
    """
    corpus = epoch.corpus
    competing = Submission.objects.filter(corpus=corpus, state__in=[State.JUDGING, State.SCORED])
    in_it = competing.filter(batch__epoch=epoch)
    numbers = {"labels": labels, "systems": in_it.count()}
    page = f"{writing.address_of('corpus', corpus.tag)}#epochs"
    teams = Team.objects.filter(submissions__in=competing).distinct().order_by("pk")
    writing.tell(
        kinds.RELEASED,
        User.objects.filter(memberships__team__in=teams),
        subject=f"{corpus.name}: epoch {epoch.number} is released, {labels:,} labels",
        template="released.txt",
        context={"epoch": epoch, "page": page, "retired": retired, **numbers},
    )
    for team in teams:
        own = in_it.filter(team=team).order_by("pk").values("id", "name", "state")
        announcing.announce(
            events.RELEASED,
            team=team,
            data={
                "corpus": {"tag": corpus.tag, "name": corpus.name},
                "team": team.name,
                "epoch": epoch.number,
                "submissions": list(own),
                "numbers": numbers,
                "links": {
                    "page": page,
                    "labels": writing.address_of("labels", corpus.tag, epoch.number, "csv"),
                },
            },
        )
