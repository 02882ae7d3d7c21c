"""What MTurk's own terms take, besides what the worker gets."""

MANY_PLACES = 10  # from which on the fee is doubled


def mturk_fee_cents(cents: int, places: int = 1) -> int:
    """Return MTurk's fee on a reward or a bonus, in cents.

    20%, 40% for a HIT of ten places or more, rounded half up, and at least one cent.

    Parameters
    ----------
    cents : int
        The reward or bonus.
    places : int
        How many assignments the HIT was created with.

    Examples
    --------
    >>> mturk_fee_cents(15), mturk_fee_cents(15, 10), mturk_fee_cents(1)
    (3, 6, 1)
    """
    percent = 40 if places >= MANY_PLACES else 20
    return max(1, (cents * percent + 50) // 100)
