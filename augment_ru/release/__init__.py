"""Releases: adversarial test sets that are published as a benchmark and that anyone can check."""
