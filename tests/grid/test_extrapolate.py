import numpy as np

from plash.grid.extrapolate import extrapolate


def with_known(box, known):
    return box.faces(lambda axis, *x: np.where(known(*[p / box.h for p in x]), 1.5 + axis, np.nan))


def test_known_values_are_left_alone(make_box, dimension):
    box = make_box(dimension)
    field = box.faces(lambda axis, *x: np.where(x[0] < 2.0, np.sin(3 * x[1] + axis), np.nan))
    before = field.copy()
    extrapolate(field, 3)
    known = ~np.isnan(before.pool)
    assert (field.pool[known] == before.pool[known]).all()


def test_a_constant_stays_that_constant(make_box, dimension):
    box = make_box(dimension)
    field = with_known(box, lambda *x: x[0] < 5)
    extrapolate(field, 4)
    for axis in range(dimension):
        values = field.pool[axis][~np.isnan(field.pool[axis])]
        assert (values == 1.5 + axis).all()


def test_it_reaches_exactly_as_many_layers_as_asked(make_box, dimension):
    box = make_box(dimension)
    for layers in (1, 2, 5):
        field = with_known(box, lambda *x: x[0] < 4)
        extrapolate(field, layers)
        row = box.dense(field.pool[1])[:, 3, *([4] * (dimension - 2))]
        assert np.flatnonzero(np.isnan(row))[0] == 4 + layers


def test_a_layer_is_the_mean_of_the_layer_before(make_box, dimension):
    box = make_box(dimension)
    rng = np.random.default_rng(0)
    field = box.faces(lambda axis, *x: np.where(x[0] < 4 * box.h, rng.standard_normal(x[0].shape), np.nan))
    before = box.dense(field.pool[1])
    extrapolate(field, 1)
    after = box.dense(field.pool[1])
    # The first unknown column has one known neighbour, the one to its left
    assert np.allclose(after[4], before[3])


def test_where_it_is_wanted_it_is_what_it_is_everywhere(make_box, dimension):
    box = make_box(dimension)
    rng = np.random.default_rng(3)
    start = box.faces(lambda axis, *x: np.where(rng.random(x[0].shape) < 0.02, rng.standard_normal(x[0].shape), np.nan))
    whole, part = start.copy(), start.copy()
    extrapolate(whole, 3)
    wanted = rng.random(whole.pool.shape[:2]) < 0.2
    wanted[:, 0] = False
    extrapolate(part, 3, wanted)
    assert wanted.any()
    assert np.array_equal(part.pool[wanted], whole.pool[wanted], equal_nan=True)
    assert np.isnan(part.pool).sum() > np.isnan(whole.pool).sum()


def test_nothing_known_stays_unknown(make_box, dimension):
    box = make_box(dimension)
    field = with_known(box, lambda *x: x[0] < -100)
    extrapolate(field, 3)
    assert np.isnan(field.pool).all()


def test_same_bits_for_any_number_of_threads(make_box, dimension, threads):
    box = make_box(dimension)
    results = []
    for n in (1, 2):
        threads(n)
        field = box.faces(lambda axis, *x: np.where(x[1] < 2.0, np.cos(5 * x[0] * x[1]), np.nan))
        extrapolate(field, 5)
        results.append(field.pool)
    assert results[0].tobytes() == results[1].tobytes()
