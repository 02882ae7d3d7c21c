"""The files that systems submit: how they are read, checked and written. Needs the standard library alone."""
