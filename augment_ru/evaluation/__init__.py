"""How often a model's right answers break."""
