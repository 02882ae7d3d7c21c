"""Django's Postgres backend with time limits: how long a process waits for its database (`limits`)."""
