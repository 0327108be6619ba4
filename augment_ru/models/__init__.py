"""Models that `augment-ru evaluate` runs: one file for each kind, with a function of that name that makes the model."""
