"""The API, version 1: what people do on pages, for programs."""
