"""What is kept about a person: given to them as a file, and taken away with their account."""
