"""Constraint functions, for rules that no token pattern can state: one file each, found by its name."""
