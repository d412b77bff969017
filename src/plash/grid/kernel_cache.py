"""Where machine code is kept: a file for each kernel and each kind of arguments, named after both.

Numba numbers such files and keeps a list of them beside the kernels. Two processes that compile at once can give one
number to two kernels, and then each takes the other's code for its own. It also looks for them by the path of the
source, so that the same plash in another environment compiles everything again. Here the name tells all: what is
found is what was asked for, and the folder (`cache_folder`) says from which source it is.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numba
from numba.core import caching
from numba.core.runtime.nrt import rtsys

from plash.grid.blas import find_blas
from plash.grid.cache_folder import cache_folder

_numba: Any = caching


class _InFolder(_numba._CacheLocator):  # type: ignore[misc]
    """Finds the folder of a kernel's module."""

    def __init__(self, py_func: Any) -> None:
        self._line, self._folder = py_func.__code__.co_firstlineno, cache_folder(py_func.__module__)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _InFolder:
        """That of a kernel."""
        return cls(py_func)

    def get_cache_path(self) -> str:
        """The folder's path."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Nothing: the folder's name tells the source."""
        return ""

    def get_disambiguator(self) -> str:
        """What tells kernels of one name apart."""
        return str(self._line)


class _CompiledInFolder(_numba.CompileResultCacheImpl):  # type: ignore[misc]
    """Packs and unpacks compiled functions, for that folder."""

    _locator_classes = (_InFolder,)


class _FileByName(_numba.IndexDataCacheFile):  # type: ignore[misc]
    """The file of a kernel and its arguments."""

    def save(self, key: object, data: object) -> None:
        """Write machine code for what numba asks it by: types of arguments, processor, and the numbers closed over."""
        self._save_data(self._file_name(key), data)

    def load(self, key: object) -> Any:
        """Machine code for that, or None."""
        try:
            return self._load_data(self._file_name(key))
        except FileNotFoundError:
            return None

    def _file_name(self, key: object) -> str:
        digest = hashlib.sha256(repr((numba.__version__, key)).encode()).hexdigest()[:24]
        return f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"


class KernelCache(_numba.FunctionCache):  # type: ignore[misc]
    """What numba asks for the machine code of one kernel. Only when it asks is the folder found: most never run."""

    _impl_class = _CompiledInFolder

    def __init__(self, function: Any) -> None:
        self._function, self._is_found = function, False

    @property
    def cache_path(self) -> str:
        """Path of the folder."""
        self._find()
        return str(super().cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for some kinds of arguments, or None.

        Numba would first load all that it can compile, which takes a sixth of a second. Machine code needs only the
        functions that count references; where there is none, the compiler loads the rest by itself.
        """
        self._find()
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
            if found is not None:
                return found
        find_blas()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the kernel for some kinds of arguments."""
        self._find()
        super().save_overload(sig, data)

    def _find(self) -> None:
        if not self._is_found:
            super().__init__(self._function)
            self._cache_file = _FileByName(self._cache_path, self._impl.filename_base, "")
            self._is_found = True
