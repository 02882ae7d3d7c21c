"""Mail to people: what kinds there are, who wants which, and how each is written."""
