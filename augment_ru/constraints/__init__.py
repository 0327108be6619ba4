"""What no edit may touch: rule files and how they run."""
