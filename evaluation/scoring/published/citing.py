"""What is cited of a score, a system or a snapshot."""

from django.urls import reverse

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Edition, Submission
from evaluation.scoring.published.citations import SITE, Citation, Cited, cite
from evaluation.scoring.published.history import Change
from evaluation.scoring.published.names import Named
from evaluation.scoring.stored import Measure


def cite_snapshot(snapshot: Edition, site: str) -> Citation:
    """Write how a snapshot is cited.

    Parameters
    ----------
    snapshot : Edition
    site : str
        The site's address, without a slash at its end.
    """
    corpus = snapshot.epoch.corpus
    systems = f"{snapshot.systems:,} system{'s' * (snapshot.systems != 1)}"
    return cite(
        Cited(
            key=f"kbpo-{corpus.tag}-snapshot-{snapshot.number}",
            authors=SITE,
            title=f"{corpus.name}: leaderboard, snapshot {snapshot.number}",
            what=f"{systems}, epoch {snapshot.epoch.number}",
            at=snapshot.made_at,
            address=f"{site}{reverse('snapshot', args=[corpus.tag, snapshot.number])}",
            digest=snapshot.digest,
        )
    )


def cite_score(
    named: Named, corpus: Corpus, change: Change, choices: Choices, standard: str, site: str
) -> Citation:
    """Write how the scores of a system are cited as they stood after a computation.

    Parameters
    ----------
    named : Named
    corpus : Corpus
    change : Change
    choices : Choices
        Its task's.
    standard : str
        What counts as right.
    site : str
        The site's address, without a slash at its end.
    """
    found = change.measures(choices, choices.part, standard)
    said = [f"{choices.measures[name]} {words}" for name, one in found.items() if (words := _words(one))]
    unit = "in per cent" if choices.is_share else "times 100"
    return cite(
        Cited(
            key=f"kbpo-{corpus.tag}-{named.submission}-{change.number}",
            authors=named.team or SITE,
            title=f"{named.name} on {corpus.name}",
            what=f"{', '.join(said)} ({unit}, {choices.level}% intervals, epoch {change.epoch})",
            at=change.at,
            address=f"{site}{reverse('submission_score', args=[named.submission, change.number])}",
        )
    )


def cite_system(submission: Submission, site: str) -> Citation:
    """Write how a system is cited, whatever its scores; it was read with its names (`with_names`)."""
    return cite(
        Cited(
            key=f"kbpo-{submission.corpus.tag}-{submission.pk}",
            authors=submission.shown_team,
            title=f"{submission.shown_name} on {submission.corpus.name}",
            what="",
            at=submission.uploaded_at,
            address=f"{site}{submission.get_absolute_url()}",
        )
    )


def _words(measure: Measure) -> str:
    if measure.estimate is None:
        return ""
    found = f"{100 * measure.estimate:.1f}"
    if measure.low is None or measure.high is None:
        return found
    return f"{found} [{100 * measure.low:.1f}, {100 * measure.high:.1f}]"
