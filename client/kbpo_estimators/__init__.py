"""What scores are computed with: arrays in, frozen results out.

Nothing here knows of rows, requests or Django, and nothing draws at random but from a generator, seed or
secret that is handed in. `None` means "not estimable"; no result holds a NaN.

It is installed with the client, so that scores can be computed again without the service; it needs NumPy and
SciPy.
"""
