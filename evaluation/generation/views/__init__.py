"""Pages of generated text."""
