"""Wilson's score interval of a share: what intervals of precision, recall and agreement fall back on."""

import math


def wilson_ends(estimate: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the ends of Wilson's score interval of a share.

    Parameters
    ----------
    estimate : float
        In [0, 1].
    n : float
        Independent draws, above 0; infinite for a census.
    quantile : float
        Of the standard normal distribution, such as 1.96 for 95%.
    """
    z2_n = quantile**2 / n
    centre = (estimate + z2_n / 2) / (1 + z2_n)
    half = math.sqrt(z2_n * (estimate * (1 - estimate) + z2_n / 4)) / (1 + z2_n)
    # Rounding must not push an end past the estimate where the two coincide.
    return max(0.0, min(estimate, centre - half)), min(1.0, max(estimate, centre + half))
