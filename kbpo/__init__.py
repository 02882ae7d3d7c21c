"""KBP Online: unbiased on-demand evaluation of knowledge base population."""

__version__ = "0.6.0"
