"""File formats: reading rows and writing them."""
