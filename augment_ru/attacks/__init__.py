"""The attacks: one file for each, with the name of the attack."""
