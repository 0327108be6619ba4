"""Ways to make edits that several attacks share."""
