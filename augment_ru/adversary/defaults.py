"""The defaults of a search, in a module that loads nothing."""

ATTACKS = ("butterfingers", "eda_delete", "spacing", "punctuation", "casing")
"""The attacks of a search that names none: slips that need no network."""
BUDGET = 50
"""The most queries for a record."""
DRAWS = 3
"""How many random draws of each attack are in the pool."""
