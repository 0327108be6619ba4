"""Evaluation: measure how often attacks break the right predictions of a model."""
