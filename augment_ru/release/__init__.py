"""Releases: adversarial test sets for publication as a benchmark, which anyone can check."""
