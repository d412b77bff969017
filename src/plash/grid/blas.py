"""Spares a process `scipy.linalg`, which numba would import only to see that it is there."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import PathFinder
from pathlib import Path

_BLAS = "scipy.linalg.cython_blas"
_ASKS = "numba.np.arraymath"  # the module of numba's that imports it


def find_blas() -> None:
    """Show numba the one module of `scipy.linalg` that it asks for, before its first function is compiled or loaded.

    The rest takes a fifth of a second to import, and kernels have no linear algebra. Functions that do have some
    import it when they are compiled. Where the module is not found, numba looks for it by itself.
    """
    if _BLAS in sys.modules or _ASKS in sys.modules:
        return
    scipy = importlib.util.find_spec("scipy")
    folders = [] if scipy is None else scipy.submodule_search_locations or []
    found = PathFinder.find_spec(_BLAS, [str(Path(folder) / "linalg") for folder in folders])
    if found is None or found.loader is None:
        return
    try:
        sys.modules[_BLAS] = importlib.util.module_from_spec(found)
        found.loader.exec_module(sys.modules[_BLAS])
        importlib.import_module(_ASKS)
    except ImportError:  # a library that only scipy's own import would find
        return
    finally:
        sys.modules.pop(_BLAS, None)
