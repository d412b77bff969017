import numpy as np

from plash.grid.cells import WET
from plash.physics.forces import Forces, Gravity

DT = 0.013


def test_gravity_adds_g_dt_to_wet_faces_and_touches_no_other(make_box, dimension):
    box = make_box(dimension, liquid=lambda *i: i[1] < 9)
    field = box.faces(lambda axis, *x: np.full(x[0].shape, 0.25 * axis))
    before = field.copy()
    g = (1.5, -9.81, 0.75)[:dimension]
    Gravity(g).add(field, box.cells, 0.0, DT)
    known = ~np.isnan(before.pool)
    for axis in range(dimension):
        wet = ((box.cells.faces[axis] & WET) > 0) & known[axis]
        assert np.allclose(field.pool[axis][wet] - before.pool[axis][wet], g[axis] * DT, rtol=1e-5)
        dry = ~wet & known[axis]
        assert (field.pool[axis][dry] == before.pool[axis][dry]).all()


def test_forces_add_up_and_none_is_none(make_box, dimension):
    box = make_box(dimension)
    one, two, none = (box.faces(lambda axis, *x: np.zeros(x[0].shape)) for _ in range(3))
    half, whole = (tuple(part * a for a in (2.0, -4.0, 1.0)[:dimension]) for part in (0.5, 1.0))
    Forces([Gravity(half), Gravity(half)]).add(one, box.cells, 0.0, DT)
    Gravity(whole).add(two, box.cells, 0.0, DT)
    Forces([]).add(none, box.cells, 0.0, DT)
    assert np.allclose(np.nan_to_num(one.pool), np.nan_to_num(two.pool), rtol=1e-5)
    assert not np.nan_to_num(none.pool).any()
