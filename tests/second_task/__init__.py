"""A second task, for tests: how good each text is that systems give to documents, as people grade it.

Nothing of it is KBP's: a unit is a document with a text, without spans; what is asked is a kind of its own,
whose labels are any number from 0 to 1; its one measure is accuracy.
"""
