"""Constraints that no pattern can state, one file each; a file is found by its name."""
