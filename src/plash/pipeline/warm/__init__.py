"""Kernels are compiled ahead of need, in as many processes as there are cores."""
