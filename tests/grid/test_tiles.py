import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plash.errors import DivergedError
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import CellField, FaceField
from plash.grid.tiles import Tiles, pack, unpack

coordinates = st.lists(st.tuples(*[st.integers(-40, 40)] * 3), min_size=1, max_size=60, unique=True)


@given(coordinates)
@settings(max_examples=50, deadline=None)
def test_neighbours_are_the_tiles_next_door(places):
    tiles = Tiles.at(places, 3)
    slot = {tuple(c): s + 1 for s, c in enumerate(tiles.coordinates[1:].tolist())}
    for s in tiles.slots:
        x, y, z = tiles.coordinates[s]
        expected = [
            slot.get((x + dx, y + dy, z + dz), 0) for dz in (-1, 0, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
        ]
        assert tiles.neighbours[s].tolist() == expected


def test_slots_are_in_order_of_z_then_y_then_x():
    tiles = Tiles.at([[5, 0, 1], [-3, 2, 0], [4, 0, 0], [-7, 0, 1]], 3)
    assert tiles.coordinates[1:].tolist() == [[4, 0, 0], [-3, 2, 0], [-7, 0, 1], [5, 0, 1]]


def test_flat_tiles_have_no_neighbours_in_z():
    tiles = Tiles.at([[0, 0, 0], [0, 1, 0], [1, 1, 0]], 2)
    assert np.count_nonzero(tiles.neighbours[:, :9]) == 0
    assert np.count_nonzero(tiles.neighbours[:, 18:]) == 0
    assert tiles.shape == (1, 16, 16)


def test_packing_is_reversible_and_keeps_order():
    places = np.random.default_rng(1).integers(-(2**19), 2**19, (500, 3))
    assert (unpack(pack(places)) == places).all()
    order = np.lexsort((places[:, 0], places[:, 1], places[:, 2]))
    assert (np.diff(pack(places)[order]) > 0).all()


def test_coordinates_beyond_what_a_key_holds_are_refused():
    with pytest.raises(DivergedError, match="1048576"):
        pack(np.array([[0, 1 << 20, 0]]))


def test_no_two_tiles_of_a_colour_touch():
    rng = np.random.default_rng(2)
    tiles = Tiles.at(rng.integers(-6, 6, (300, 3)), 3)
    assert sum(len(c) for c in tiles.colours) == tiles.count
    for colour in tiles.colours:
        others = tiles.neighbours[colour]
        others = np.where(np.arange(27) == 13, 0, others)
        assert not np.isin(others[others > 0], colour).any()


def test_fields_keep_their_values_when_tiles_come_and_go(dimension):
    old = tiles_over((0,) * dimension, (30,) * dimension)
    new = tiles_over((20,) * dimension, (40,) * dimension)
    values = np.random.default_rng(3).random((30,) * dimension).astype(np.float32)
    field = CellField(old, from_dense(values, old, background=-5.0)).moved_to(new)
    assert (
        to_dense(field.pool, new, (20,) * dimension, (10,) * dimension) == values[(slice(20, None),) * dimension]
    ).all()
    assert (to_dense(field.pool, new, (32,) * dimension, (10,) * dimension) == -5.0).all()
    faces = FaceField.filled(old, 2.0).moved_to(new)
    assert (to_dense(faces.pool[1], new, (32,) * dimension, (4,) * dimension) == 2.0).all()


def test_dense_round_trip(dimension):
    first, size = (-9, 3, 5)[:dimension], (21, 30, 11)[:dimension]
    tiles = tiles_over(first, size)
    values = np.random.default_rng(4).random(size)
    assert (to_dense(from_dense(values, tiles, first), tiles, first, size) == values).all()
