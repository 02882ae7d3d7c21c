"""Keeping what people made: trash, backups, and doubts about files, database and clock."""
