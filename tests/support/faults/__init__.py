"""Fuzzers: they feed every part of augment-ru with what may come from others, and say what breaks a promise.

`python -m tests.long --minutes 60` runs them long, tests/test_faults.py a few cases of each.
"""
