"""The client, against servers that are made up."""
