"""Where machine code is kept: a file for each kernel and each kind of arguments, named after both.

Numba numbers such files and keeps a list of them beside the kernels. Two processes that compile at once can give one
number to two kernels, and then each takes the other's code for its own. It also looks for them by the path of the
source, so that the same plash in another environment compiles everything again. Here the name tells all: what is
found is what was asked for, and the folder (`compile.cache_folder`) says from which source it is.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numba
from numba.core import caching

_numba: Any = caching


class _InFolder(_numba.UserProvidedCacheLocator):  # type: ignore[misc]
    """Finds the folder that is set, and not one in it for each path of the source."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """No folder of its own."""
        return ""


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
    """What numba asks for the machine code of one kernel, in the folder `numba.config.CACHE_DIR` as it is now."""

    _impl_class = _CompiledInFolder

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = _FileByName(self.cache_path, self._impl.filename_base, "")
