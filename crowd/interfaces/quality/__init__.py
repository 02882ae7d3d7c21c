"""The quality interface: how good a text is, rated and edited."""

NAME = "quality"

#: The kind of question that it asks.
QUALITY = "quality"
