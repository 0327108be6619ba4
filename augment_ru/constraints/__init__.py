"""Constraints: rule files that say what no edit may touch, and the code that runs them."""
