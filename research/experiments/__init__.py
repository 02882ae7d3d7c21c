"""The experiments of the paper, and what this service adds to it, on made-up pools shaped like real ones.

Pure: arrays in, frozen results out. ``python -m research.experiments NAME`` runs one.
"""
