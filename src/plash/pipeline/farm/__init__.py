"""Runs on many machines: what is left to do is sent to the workers of a Dask scheduler, and taken in as it is done."""
