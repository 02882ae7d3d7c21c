"""What a researcher starts from: examples of files, and a small system."""
