"""The life of a corpus as a challenge: when it is open, its rules, terms, phases and news."""
