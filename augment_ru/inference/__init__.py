"""Load and run neural networks."""
