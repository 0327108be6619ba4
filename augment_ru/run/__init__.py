"""Run work in this process, in several processes of this machine, or on a Ray cluster."""
