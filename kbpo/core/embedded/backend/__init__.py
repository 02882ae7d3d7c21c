"""Django's Postgres backend on the embedded server, which starts at the first connection."""
