"""How kernels walk: every thing in one chunk, every cell in one tile."""

from typing import Any

import numba
import numpy as np
import pytest

from plash.grid.dense import tiles_over
from plash.grid.loops import (
    ABOVE,
    BACK,
    BELOW,
    CENTRE,
    FRONT,
    LEFT,
    RIGHT,
    chunk_range,
    chunk_slice,
    chunk_slots,
    corner_step,
    home_of,
    neighbour_number,
)


def plain(inlined: Any) -> Any:
    """A piece of a kernel as it is written."""
    return inlined.py_func


@pytest.mark.parametrize("n", [0, 1, 7, 16, 1000])
@pytest.mark.parametrize("chunks", [1, 3, 16])
def test_chunks_are_everything_once_and_in_order(n, chunks):
    some, slots, pieces = (
        [plain(part)(c, chunks, n) for c in range(chunks)] for part in (chunk_range, chunk_slots, chunk_slice)
    )
    assert [i for part in some for i in part] == list(range(n))
    assert max(map(len, some)) - min(map(len, some)) <= 1
    assert [t for part in slots for t in part] == list(range(1, n + 1))
    assert np.concatenate([np.arange(n)[piece] for piece in pieces]).tolist() == list(range(n))


def test_neighbours_have_the_numbers_of_the_table():
    steps = [(0, 0, 0), (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
    assert [plain(neighbour_number)(*step) for step in steps] == [CENTRE, LEFT, RIGHT, BELOW, ABOVE, FRONT, BACK]


@numba.njit
def found(neighbours, t, x, y, z, BZ, BY, BX):
    """Pieces of kernels cannot be called from Python."""
    return home_of(neighbours, t, x, y, z, BZ, BY, BX)


def test_a_cell_counted_from_any_tile_is_at_home_in_its_own(dimension):
    cells = (48,) * 2 if dimension == 2 else (24,) * 3
    tiles = tiles_over((0,) * dimension, cells)
    BZ, BY, BX = tiles.shape
    rng = np.random.default_rng(0)
    middle = int(tiles.slots_of_coordinates(np.array([[1, 1, dimension - 2]]))[0])
    for _ in range(200):
        x, y, z = (int(rng.integers(-size, 2 * size)) if size > 1 else 0 for size in (BX, BY, BZ))
        slot, *place = found(tiles.neighbours, middle, x, y, z, BZ, BY, BX)
        assert (tiles.origins[slot] + place == tiles.origins[middle] + [x, y, z]).all()
        assert all(0 <= p < size for p, size in zip(place, (BX, BY, BZ), strict=True))


def test_corners_are_counted_along_x_first():
    assert [plain(corner_step)(corner) for corner in (0, 1, 2, 4, 7)] == [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (1, 1, 1),
    ]
