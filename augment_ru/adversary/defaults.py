"""The defaults of a search against a model, in a module that imports nothing."""

ATTACKS = ("butterfingers", "eda_delete", "spacing", "punctuation", "casing")
"""The attacks of a search that names none: they imitate writing errors, and need no neural network."""
BUDGET = 50
"""The most queries (texts that the model is asked about) for a record."""
LEAST = 2
"""How often, at least, a model is asked again about a text that broke its answer, unless the model states that it is
deterministic."""
DRAWS = 3
"""How often each attack draws random changes for the pool (the changes that a search may choose)."""
