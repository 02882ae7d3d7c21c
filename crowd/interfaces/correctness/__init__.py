"""The correctness interface: whether an answer is right, by what passages show."""

NAME = "correctness"

#: The kind of question that it asks.
CORRECTNESS = "correctness"
