"""Judges err: the audit of labels, and estimates that are corrected by it. Pure."""
