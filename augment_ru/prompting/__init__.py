"""Build the prompts for language models, and read their replies."""
