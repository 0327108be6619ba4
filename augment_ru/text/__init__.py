"""Texts: characters, documents, batches."""
