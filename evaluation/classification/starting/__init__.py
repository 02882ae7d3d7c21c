"""What a researcher starts from: an example of a file, and a small system."""
