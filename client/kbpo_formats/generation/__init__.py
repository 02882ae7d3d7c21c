"""Files of generation: what a system wrote, and metrics of it."""
