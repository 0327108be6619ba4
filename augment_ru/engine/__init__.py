"""Applies attacks to records: proposals, legality, search, results."""
