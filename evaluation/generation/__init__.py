"""Generation: systems write a text for each input, and people say how good it is."""
