"""Readers of the data sets beside the project, for tests and for research."""
