"""Texts: their characters, words and annotation, and batches of texts."""
