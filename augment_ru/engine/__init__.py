"""Applies attacks to records: collects proposals, keeps legal changes, searches for what passes, makes results."""
