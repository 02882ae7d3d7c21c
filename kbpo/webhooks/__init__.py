"""Telling a team's own programs what happens to its systems: signed requests to addresses that it names."""
