"""Files of classification."""
