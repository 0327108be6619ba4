"""What may change, how much of it does, and what comes out."""
