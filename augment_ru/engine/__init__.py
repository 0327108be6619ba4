"""Applies attacks to records: collects proposed changes, keeps the legal ones, and searches for similar new texts."""
