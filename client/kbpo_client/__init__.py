"""The client of KBP Online."""

__version__ = "0.6.0"
