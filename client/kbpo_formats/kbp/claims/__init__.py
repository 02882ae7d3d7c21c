"""Knowledge bases as JSON Lines: one claim a line."""
