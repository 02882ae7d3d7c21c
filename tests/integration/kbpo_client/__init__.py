"""The client against a live server."""
