"""Named arrays in one file: uncompressed NPZ, which `numpy.load` opens. The same arrays give the same bytes.

What is read may come from anywhere: sizes are compared with the bytes that are there before anything is made of them,
and whoever asks for an array says what it must be (`Arrays.take`).
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from plash.carried import Limit
from plash.errors import DamagedError
from plash.files.atomic import Written, read_bytes, write_file

_ENDING = ".npy"


@dataclass(frozen=True, eq=False)
class Arrays:
    """The arrays of a file, and its name in messages."""

    path: Path
    remedy: str
    by_name: Mapping[str, NDArray[Any]]

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def damaged(self, what: str) -> DamagedError:
        """That something is wrong with the file."""
        return DamagedError(f"{self.path}: is damaged: {what}. {self.remedy}")

    def take(
        self,
        name: str,
        dtype: DTypeLike,
        shape: tuple[int | None, ...],
        low: Limit = -np.inf,
        high: Limit = np.inf,
        unknown: Callable[[NDArray[Any]], NDArray[np.bool_]] | None = None,
    ) -> NDArray[Any]:
        """An array that is as it must be.

        Args:
            name: Of the array.
            dtype: Type of its numbers.
            shape: Length along each axis; None where any will do.
            low: What no number is below; may have an entry for each row.
            high: What no number is above.
            unknown: Which entries stand for what is not known and may be no finite numbers, such as `numpy.isnan`.

        Raises:
            DamagedError: There is no such array, or another.
        """
        if name not in self.by_name:
            raise self.damaged(f"it has no array {name!r}")
        values = self.by_name[name]
        if values.dtype != np.dtype(dtype):
            raise self.damaged(f"{name!r} holds {values.dtype}, not {np.dtype(dtype)}")
        fits = len(shape) == values.ndim and all(
            wanted in (None, found) for wanted, found in zip(shape, values.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            raise self.damaged(f"{name!r} has shape {values.shape}, not ({wanted})")
        is_truth = values.dtype == np.bool_
        numbers: NDArray[Any] = values.view(np.uint8) if is_truth else values
        wrong = ~np.isfinite(numbers) if unknown is None else ~(np.isfinite(numbers) | unknown(numbers))
        if wrong.any():
            raise self.damaged(f"{name!r} has {np.count_nonzero(wrong)} entries that are no finite numbers")
        outside = np.count_nonzero((numbers < low) | (numbers > (1 if is_truth else high)))
        if outside:
            raise self.damaged(f"{name!r} has {outside} entries outside of what is possible")
        return values


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> Written:
    """Write arrays by name."""

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:  # given a path, numpy would add an ending to it
            np.savez(file, **arrays)

    return write_file(path, fill)


def read_arrays(path: Path, expected: Written | None, remedy: str) -> Arrays:
    """The arrays of a file, which must be what was written; `remedy` is what to do if it is not."""
    data = read_bytes(path, expected, remedy)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = file.infolist()
            # As they are written: nothing is packed, and no two share their bytes
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("it is compressed, which plash never does")
            if sum(member.file_size for member in members) > len(data):
                raise ValueError("its arrays together are larger than the file")
            found = {member.filename.removesuffix(_ENDING): _array(file.read(member)) for member in members}
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError, RuntimeError, OverflowError, struct.error) as error:
        raise DamagedError(f"{path}: is damaged: {error}. {remedy}") from None
    return Arrays(path, remedy, found)


def _array(data: bytes) -> NDArray[Any]:
    """The array in an NPY file, whose header must speak of the bytes that follow it."""
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("an array has a header of another version than plash writes")
    try:
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    except MemoryError:
        raise ValueError("the header of an array cannot be read") from None
    if dtype.kind not in "biuf" or dtype.shape or dtype.byteorder == ">":
        raise ValueError("an array holds something else than numbers")
    count = 1
    for length in shape:
        count *= length
    body = data[file.tell() :]
    if len(shape) > 8 or min(shape, default=0) < 0 or count * dtype.itemsize != len(body):
        raise ValueError(f"an array of shape {str(shape)[:60]} has {len(body)} bytes")
    return np.frombuffer(body, dtype).reshape(shape, order="F" if by_columns else "C").copy()
