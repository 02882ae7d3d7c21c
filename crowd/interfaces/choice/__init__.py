"""The choice interface: which of some classes a text is of."""

NAME = "choice"

#: The kind of question that it asks.
CHOICE = "choice"
