"""Which library runs the threads of kernels.

OpenMP's threads wait for each other at the end of every loop. With another program on one of the cores each loop waits
until the system gives that core back, and two threads are slower than one (docs/performance.md). Threads of TBB take
over what one that was put aside has not begun. Numba takes TBB if its library is loaded, but does not look for it where
the package `tbb` puts it. The bits are the same: work is divided by tiles, whoever does it.
"""

from __future__ import annotations

import ctypes
from importlib import metadata
from typing import Any

import numba

_LIBRARIES = ("libtbb.so.12", "tbb12.dll", "libtbb.12.dylib")


def load_tbb() -> bool:
    """Load the library of TBB, if it is installed and the user did not choose another one (NUMBA_THREADING_LAYER).

    Must come before the first kernel runs, which starts the threads.
    """
    settings: Any = numba.config
    if settings.THREADING_LAYER not in ("default", "tbb", "safe", "threadsafe"):
        return False
    try:
        files = metadata.files("tbb") or ()
    except metadata.PackageNotFoundError:
        return False
    for file in files:
        if file.name in _LIBRARIES:
            try:
                ctypes.CDLL(str(file.locate()), mode=ctypes.RTLD_GLOBAL)
            except OSError:  # made for another system: OpenMP runs the threads
                return False
            return True
    return False


def layer_text() -> str:
    """Which library runs the threads on this machine, and what to do if a better one is missing."""
    return "TBB" if load_tbb() else "numba's own choice (pip install tbb: faster beside other programs)"
