"""What attacks share: ways to make edits."""
