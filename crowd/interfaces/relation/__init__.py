"""The relation interface: how two mentions of a document are related, and whether full names are right."""

NAME = "relation"

#: The kinds of question that it asks.
RELATION = "relation"
CANONICAL = "canonical"
