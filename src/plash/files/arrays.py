"""Named arrays in one file: uncompressed NPZ, which `numpy.load` opens. The same arrays give the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import DamagedError
from plash.files.atomic import Written, read_bytes, write_file


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> Written:
    """Write arrays by name."""

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:  # given a path, numpy would add an ending to it
            np.savez(file, **arrays)

    return write_file(path, fill)


def read_arrays(path: Path, expected: Written | None, remedy: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file, which must be what was written; `remedy` is what to do if it is not."""
    data = read_bytes(path, expected, remedy)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise DamagedError(f"{path}: is damaged: {error}. {remedy}") from None
