import numpy as np

from plash.grid.cells import AIR, BURIED, LIQUID, SOLID, WALL, WET, forget_dry_faces


def test_faces_know_what_they_lie_between(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[1] < 9, solid=lambda *i: (i[0] > 4) & (i[0] < 8) & (i[1] < 5))
    label = box.dense(box.cells.label).astype(int)
    for axis in range(dimension):
        bits = box.dense(box.cells.faces[axis])
        low, high = np.roll(label, 1, axis), label
        inner = (slice(None),) * axis + (slice(1, None),)
        assert (((bits & WET) > 0) == ((low == LIQUID) | (high == LIQUID)))[inner].all()
        assert (((bits & WALL) > 0) == ((low == SOLID) | (high == SOLID)))[inner].all()
        assert (((bits & BURIED) > 0) == ((low == SOLID) & (high == SOLID)))[inner].all()
    assert {AIR, LIQUID, SOLID} == set(np.unique(box.cells.label))


def test_a_marker_in_a_solid_makes_no_liquid(make_box, dimension):
    box = make_box(dimension, solid=lambda *i: i[0] < 3)
    assert (box.dense(box.cells.label)[:3] == SOLID).all()


def test_wet_tiles_hold_every_wet_face(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: (i[0] == 7) & (i[1] == 7))
    wet = (box.cells.faces & WET).any(axis=(0, 2, 3, 4))
    assert (np.flatnonzero(wet) == box.cells.wet_tiles).all()
    assert box.cells.liquid_count == (1 if dimension == 2 else box.cells_along[2])


def test_dry_faces_are_forgotten_and_missing_wet_ones_counted(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[0] < 6)
    field = box.faces(lambda axis, *x: np.ones(x[0].shape))
    assert forget_dry_faces(field, box.cells).sum() == 0
    assert (~np.isnan(field.pool) == ((box.cells.faces & WET) > 0)).all()
    wet = np.argwhere(~np.isnan(field.pool))[0]
    field.pool[tuple(wet)] = np.nan
    assert forget_dry_faces(field, box.cells).sum() == 1
