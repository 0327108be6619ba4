"""What is known of Russian words: annotation, lemmas, letter case."""
