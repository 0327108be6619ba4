"""Functions that rule files may name where no token pattern will do, one file each."""
