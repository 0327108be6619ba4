"""The normalizers: one file for each, with the name of the normalizer. Files that begin with `_` are shared by them."""
