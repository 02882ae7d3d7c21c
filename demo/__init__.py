"""A small world of invented news, with gold annotations and example systems that read it."""
