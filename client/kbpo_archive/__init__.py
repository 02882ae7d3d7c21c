"""The released archive of an epoch: its files, how they are read and written, and scores computed from them.

docs/archive.md says what is in each file. Nothing here needs the service; scores need NumPy and SciPy.
"""
