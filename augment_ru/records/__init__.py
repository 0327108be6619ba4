"""Rows of data sets: tasks, fields, places."""
