"""How knowledge bases are read: the process that does, and what it hands back."""
