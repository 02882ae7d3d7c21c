"""Classification: accuracy and macro-averages from labels that all systems share."""
