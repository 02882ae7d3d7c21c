"""What the API is about: one module for each, with its serializers."""
