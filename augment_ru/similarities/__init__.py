"""Similarities. Each is a module or folder that has its name; a module that starts with an underscore is a helper."""
