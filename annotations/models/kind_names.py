"""The names of the kinds of question, for whoever asks or finds questions of a kind of their own."""

RELATION = "relation"
CANONICAL = "canonical"
ENTITIES = "entities"
CHOICE = "choice"
QUALITY = "quality"
CORRECTNESS = "correctness"
