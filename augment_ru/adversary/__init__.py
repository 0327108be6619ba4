"""Search for the smallest legal change of a text that turns a model's right answer wrong."""
