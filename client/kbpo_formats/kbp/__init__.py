"""Files of knowledge base population: TAC KBP and JSON Lines."""
