"""The entity interface: all mentions of a document, and whom or what they mean."""

NAME = "entities"

#: The kind of question that it asks.
ENTITIES = "entities"
