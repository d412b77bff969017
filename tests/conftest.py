"""Fields for tests: boxes of cells filled from formulas, with h and rho never one and no box a cube."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from plash.grid.cells import Cells, label_cells
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import FaceField
from plash.grid.tiles import Tiles

os.environ.setdefault("PLASH_COMPILE_JOBS", "1")  # runs compile what they need: tests share the cores already

BOXES = {2: (21, 34), 3: (13, 22, 17)}


@dataclass
class Box:
    """Closed box of cells, one layer of solid round it, with liquid where asked."""

    cells_along: tuple[int, ...]
    tiles: Tiles
    cells: Cells
    h: float = 0.37

    @property
    def dimension(self) -> int:
        return len(self.cells_along)

    def faces(self, value: Callable[..., NDArray]) -> FaceField:
        """A face field from a formula value(axis, *coordinates in metres)."""
        field = FaceField.filled(self.tiles)
        first = (-2,) * self.dimension
        size = tuple(n + 5 for n in self.cells_along)
        for axis in range(self.dimension):
            index = np.meshgrid(*[np.arange(f, f + n) for f, n in zip(first, size, strict=True)], indexing="ij")
            places = [(i + (0.0 if a == axis else 0.5)) * self.h for a, i in enumerate(index)]
            values = np.broadcast_to(value(axis, *places), size).astype(np.float32)
            field.pool[axis] = from_dense(values, self.tiles, first, np.nan)
        return field

    def dense(self, pool: NDArray, extra: int = 0) -> NDArray:
        """The values in the box, and `extra` cells further on each high side."""
        return to_dense(pool, self.tiles, (0,) * self.dimension, tuple(n + extra for n in self.cells_along))


@pytest.fixture(params=[2, 3], ids=["2-D", "3-D"])
def dimension(request) -> int:
    return request.param


@pytest.fixture
def make_box() -> Callable[..., Box]:
    """make_box(dimension, liquid=function of cell indices, walls=True)."""

    def make(dimension: int, liquid=None, solid=None, walls: bool = True, cells=None) -> Box:
        along = cells or BOXES[dimension]
        first, size = (-3,) * dimension, tuple(n + 6 for n in along)
        tiles = tiles_over(first, size)
        index = np.meshgrid(*[np.arange(f, f + n) for f, n in zip(first, size, strict=True)], indexing="ij")
        inside = np.all([(i >= 0) & (i < n) for i, n in zip(index, along, strict=True)], axis=0)
        wet = inside if liquid is None else inside & liquid(*index)
        hard = ~inside & walls
        if solid is not None:
            hard |= solid(*index)
        marked = from_dense(wet, tiles, first, False)
        labels = label_cells(tiles, marked, from_dense(hard, tiles, first, walls))
        return Box(along, tiles, labels)

    return make


@pytest.fixture(scope="session", autouse=True)
def threads_of_this_process():
    """As many as PLASH_TEST_THREADS says: those of processes that share the cores would wait for each other."""
    if "PLASH_TEST_THREADS" in os.environ:
        numba.set_num_threads(int(os.environ["PLASH_TEST_THREADS"]))


@pytest.fixture
def threads():
    """threads(n) sets the number of threads; put back afterwards."""
    before = numba.get_num_threads()
    settings: Any = numba.config
    most = settings.NUMBA_NUM_THREADS
    yield lambda n: numba.set_num_threads(min(n, most))
    numba.set_num_threads(before)


SLOW_FOLDERS = {"end_to_end", "pipeline"}  # whole runs, most of them in processes of their own
# Of the half without those folders, what needs the kernels of whole runs: the other half compiles them meanwhile
LATE_FOLDERS = {"cli", "fuzz", "gallery", "studio"}


def pytest_collection_modifyitems(items):
    """Mark the tests of some folders slow, and put others last."""
    for item in items:
        if SLOW_FOLDERS & set(item.path.parts):
            item.add_marker(pytest.mark.slow)
    items.sort(key=_is_late)


def _is_late(item) -> bool:
    """Whether a test is in one of those folders, among the examples of the source, or beside this file."""
    home, *folders = item.path.relative_to(Path(__file__).parents[1]).parts[:-1]
    return home == "src" or not folders or folders[0] in LATE_FOLDERS
