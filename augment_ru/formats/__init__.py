"""Read and write rows in files of several formats."""
