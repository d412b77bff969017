"""The stages of a run, one file each; `registry.py` lists them in order."""
