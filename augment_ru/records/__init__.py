"""Rows of datasets: tasks, fields, offsets."""
