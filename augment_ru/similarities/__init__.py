"""Similarities, one file each, found by its name; a file that starts with an underscore is a part of one."""
