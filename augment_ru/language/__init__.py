"""Knowledge of Russian: annotation, dictionary forms, letter case."""
