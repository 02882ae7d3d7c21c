"""What a team gains that plays: with its file, its confidences, its claims, and the scores that it sees."""

from research.experiments.adversary.table import run

__all__ = ["run"]
