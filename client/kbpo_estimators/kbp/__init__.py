"""Knowledge base population: which labels a claim needs, and what is known of it before it is judged."""
