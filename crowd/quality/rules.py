"""When a person should look at a worker's work, and how often a worker is tested: the rules, and their words.

A rule only ever asks for a person's eyes. Work is paid unless that person rejects it with a reason.
"""

from annotations.aggregation.shares import share

FIRST_GOLD_RATE = 4  # one question in so many is gold for a newcomer
LAST_GOLD_RATE = 50
KNOWN_BY = 3  # people who agree, before an answer is held against somebody
ASKED_AGAIN = 0.5  # of the gold questions on which fewer have voted
TOO_FAST = 0.2  # of the time that the others take
TIMED_VOTES = 30  # of all workers, before a time is called fast
POOR_GOLD = 0.75  # of the questions whose answer is known
FAR_APART = 0.15  # between a worker's agreement and that of all
COMPARED_VOTES = 10  # of the worker, before agreement says anything


def gold_chance(right_in_a_row: int, questions: int = 1) -> float:
    """Return the probability that a piece of work has a gold question besides.

    One question in 4 for a newcomer, one in two more for each gold question right since the last wrong one,
    one in 50 from the 23rd on. Work of several questions counts as so many, with one gold question at most.

    Parameters
    ----------
    right_in_a_row : int
        Gold questions right since the last wrong one.
    questions : int
        In the piece of work.

    Examples
    --------
    >>> gold_chance(0), gold_chance(3), gold_chance(100), gold_chance(0, questions=10)
    (0.25, 0.1, 0.02, 1.0)
    """
    one_in = min(FIRST_GOLD_RATE + 2 * right_in_a_row, LAST_GOLD_RATE)
    return min(1.0, questions / one_in)


def is_known(votes: int, right: int, wrong: int) -> bool:
    """Say whether what a question was settled to may be held against somebody who answered it as gold.

    It may if three people or more agreed on it. Where fewer voted, those count too who were asked the same as
    gold: as many more must have agreed than not. If each is wrong one time in ten, an answer that is held
    against somebody is right in 99.86% of the cases, either way.

    Parameters
    ----------
    votes : int
        On the question, all of which agree.
    right, wrong : int
        How many others agreed with them when it was asked as gold, and how many did not.

    Examples
    --------
    >>> is_known(3, 0, 0), is_known(2, 0, 0), is_known(2, 1, 0), is_known(2, 2, 2)
    (True, False, True, False)
    """
    return votes >= KNOWN_BY or votes + right - wrong >= KNOWN_BY


def reading_seconds(words: int, *, words_a_second: float) -> float:
    """Return the least seconds in which somebody reads so many words: the floor below which work is flagged.

    Parameters
    ----------
    words : int
        That are shown, as the interface counts them.
    words_a_second : float
        That nobody reads faster than. Silent reading of English is at 4 (238 words a minute, Brysbaert 2019).

    Examples
    --------
    >>> reading_seconds(40, words_a_second=8)
    5.0
    """
    return words / words_a_second


def below_reading(seconds: float, least: float, words: int, *, others: int = 0) -> str:
    """Say that work was sent before what it shows can have been read; empty if it was not.

    Parameters
    ----------
    seconds : float
        From the start, by the clocks of the server and the provider.
    least : float
        That reading takes at the least, with the others.
    words : int
        That this work shows.
    others : int
        Pieces of work that the same person had begun, and sent within that time.
    """
    if seconds >= least:
        return ""
    if others:
        return (
            f"Sent with {others} other piece{'s' if others > 1 else ''} of work within {seconds:.1f} s of"
            f" beginning; reading what they show takes {least:.1f} s at the least."
        )
    return (
        f"Sent {seconds:.1f} s after it was begun; reading the {words:,} words that it shows takes"
        f" {least:.1f} s at the least."
    )


def too_fast(seconds: float, usual: float, timed: int) -> str:
    """Say that work was far too fast: in less than a fifth of the median time; empty if it was not.

    Parameters
    ----------
    seconds : float
        From the start, by the clocks of the server and the provider.
    usual : float
        The sum of the medians of all workers for the same kinds of questions.
    timed : int
        The votes behind the least known of these medians; with fewer than 30 nothing is said.
    """
    if timed < TIMED_VOTES or seconds >= TOO_FAST * usual:
        return ""
    return f"Done in {seconds:.1f} s; for the like of it workers take {usual:.0f} s, by the median."


def poor_gold(right: int, of: int) -> str:
    """Say that a worker is often wrong where the answer is known; empty if not, or not surely.

    Surely: the 95% interval of how often they are right ends below .75. Two wrong of two are enough, of five
    it takes four.
    """
    found = share(right, of)
    if found is None or found.high >= POOR_GOLD:
        return ""
    return (
        f"Right on {right} of {of} questions whose answer is known "
        f"({_per_cent(found.low)} to {_per_cent(found.high)} at 95%)."
    )


def far_from_others(agreed: int, compared: int, all_agreed: int, all_compared: int) -> str:
    """Say that a worker is at odds with the majority far more often than workers are; empty if not.

    Far: the 95% interval of the worker's agreement, on at least 10 questions, ends 15 points below the
    agreement of all workers.
    """
    found, usual = share(agreed, compared), share(all_agreed, all_compared)
    if found is None or usual is None or compared < COMPARED_VOTES:
        return ""
    if found.high >= usual.estimate - FAR_APART:
        return ""
    return (
        f"Agrees with the majority of the others on {agreed} of {compared} questions "
        f"({_per_cent(found.low)} to {_per_cent(found.high)} at 95%), where workers do on "
        f"{_per_cent(usual.estimate)}."
    )


def _per_cent(value: float) -> str:
    return f"{100 * value:.0f}%"
