"""The command line: the commands, their options, and messages about wrong usage."""
