"""The command line. `plash --help` lists what it does; importing this loads neither numba nor the scene model."""

from plash.cli.start import main

__all__ = ["main"]
