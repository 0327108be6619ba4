"""The defaults of a search against a model, in a module that loads nothing."""

ATTACKS = ("butterfingers", "eda_delete", "spacing", "punctuation", "casing")
"""The attacks of a search that names none: slips that need no network."""
BUDGET = 50
"""The most queries for a record."""
LEAST = 2
"""The fewest times that a model is asked about a text again, unless the model states that it is deterministic."""
DRAWS = 3
"""How many random draws of each attack are in the pool."""
