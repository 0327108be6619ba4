"""The tasks, one declarative schema a file; a file is found by its name."""
