"""Training data from an archive: examples as JSON Lines, each with how it was drawn.

docs/training.md says what is in each file, and how examples are weighted. Nothing here needs the service.
"""
