"""Every page of the site as a picture that is looked at, and what is measured on it."""
