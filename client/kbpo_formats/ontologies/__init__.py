"""Ontologies: what types and relations there are, as values that are read from files; pure."""
