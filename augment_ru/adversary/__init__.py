"""The search against a model: the smallest legal change of a text that turns the model's right answer wrong."""
