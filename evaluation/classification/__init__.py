"""Classification: systems give each text of a corpus one of a list of classes; people say which is right."""
