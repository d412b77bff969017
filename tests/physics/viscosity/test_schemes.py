"""What holds for viscosity that is solved for: rigid bodies feel nothing, momentum stays, energy goes."""

import numpy as np
import pytest

from plash.errors import DivergedError
from plash.grid.cells import WET, label_cells
from plash.grid.dense import tiles_over, to_dense
from plash.grid.fields import CellField, FaceField
from plash.physics.viscosity import viscous_solve
from plash.physics.viscosity.auto import AutoViscosity
from plash.physics.viscosity.stress_weights import Scheme, stress_operator
from plash.physics.viscosity.viscous_faces import FREE, ViscousFaces
from plash.physics.viscosity.viscous_solve import TOLERANCE, solve_viscosity

from .liquids import H, forget_dry, scheme, walls_of

SIZES = {2: (40, 26), 3: (22, 18, 16)}
SOLVED = ("implicit", "coupled")


def ball(dimension, radius=7.3):
    return lambda *x: np.sqrt(sum((p - c) ** 2 for p, c in zip(x, (13.2, 11.4, 8.1), strict=False))) - radius


def strand(*x):
    return np.maximum(np.abs(x[0] - 9.3 - 2 * np.sin(x[1] / 4)) - 1.4, 3 - x[1])


def pool(*x):
    return x[1] - 9.6 - 0.5 * np.sin(x[0] / 3)


class Liquid:
    """Liquid where φ < 0 (in cells), between walls that may hold it."""

    def __init__(self, dimension, phi, closed=False, friction=0.0):
        self.along = SIZES[dimension]
        self.tiles = tiles_over((-2,) * dimension, tuple(n + 4 for n in self.along))
        self.solids = walls_of(self.tiles, self.along, closed, friction)
        values = np.full((self.tiles.count + 1, *self.tiles.shape), 1.0)
        centres = self.tiles.cell_centres(self.tiles.slots, 1.0)
        values[1:] = np.clip(phi(*centres.T), -1, 1).reshape(values[1:].shape)
        field = CellField(self.tiles, (H * values).astype(np.float32))
        wet = (values < 0) & ~self.solids.is_solid
        self.cells = label_cells(self.tiles, wet, self.solids.is_solid, phi=field)

    def faces(self, value):
        """A velocity from a formula value(axis, *coordinates in cells), known where there is liquid."""
        made = FaceField.filled(self.tiles)
        for axis in range(self.tiles.dimension):
            centres = self.tiles.cell_centres(self.tiles.slots, 1.0)
            centres[:, axis] -= 0.5
            made.pool[axis, 1:] = np.asarray(value(axis, *centres.T)).reshape(made.pool[axis, 1:].shape)
        return forget_dry(made, self.cells)

    def random(self, seed=3):
        rng = np.random.default_rng(seed)
        return self.faces(lambda axis, *x: rng.standard_normal(x[0].shape))

    def operator(self, kind, velocity, number):
        """The matrix, with nu dt/h² = number."""
        found = ViscousFaces.of(velocity, self.cells, self.solids)
        return found, stress_operator(found, self.cells, number * H**2, 1.0, Scheme(H, kind == "coupled", True))

    def act(self, kind, velocity, number):
        return scheme(kind, number * H**2).apply(velocity, self.cells, self.solids, None, 1.0)


def known(field):
    return ~np.isnan(field.pool)


@pytest.mark.parametrize("kind", SOLVED)
@pytest.mark.parametrize("number", [0.7, 1e5])
def test_liquid_in_free_fall_feels_nothing(dimension, kind, number):
    """Not a bit: what changes is solved for, and that is zero."""
    liquid = Liquid(dimension, ball(dimension))
    velocity = liquid.faces(lambda axis, *x: np.full(x[0].shape, 1.5 - 2.2 * axis))
    before = velocity.copy()
    step = liquid.act(kind, velocity, number)
    assert step.iterations == 0
    assert (velocity.pool[known(before)] == before.pool[known(before)]).all()
    assert (known(velocity) == known(before)).all()


@pytest.mark.parametrize("number", [1.0, 1e4])
def test_coupled_viscosity_leaves_rigid_rotation_alone(dimension, number):
    """Velocities have 24 bits, and it is those of the differences that are rubbed away."""
    liquid = Liquid(dimension, ball(dimension))
    spin = np.array([[0, -0.3, 0.2], [0.3, 0, -0.15], [-0.2, 0.15, 0]])[:dimension, :dimension]
    velocity = liquid.faces(lambda axis, *x: 0.4 + sum(spin[axis, b] * x[b] for b in range(dimension)))
    before = velocity.copy()
    liquid.act("coupled", velocity, number)
    moved = np.abs(velocity.pool - before.pool)[known(before)].max()
    assert moved < 1e-5
    by_itself = before.copy()
    liquid.act("implicit", by_itself, number)
    assert np.abs(by_itself.pool - before.pool)[known(before)].max() > 0.1


@pytest.mark.parametrize("kind", SOLVED)
@pytest.mark.parametrize("number", [1.0, 1e5])
def test_a_blob_keeps_its_momentum(dimension, kind, number):
    """The matrix is not singular, however large it is: its mean must not be taken out."""
    liquid = Liquid(dimension, ball(dimension))
    velocity = liquid.random()
    velocity.pool[0] += np.float32(0.8)
    found, operator = liquid.operator(kind, velocity, number)
    before = (operator.mass * found.velocity).astype(np.float64).sum(axis=(1, 2, 3, 4))
    start = found.velocity.copy()
    solve_viscosity(operator, found)
    after = (operator.mass * found.velocity).astype(np.float64).sum(axis=(1, 2, 3, 4))
    change = np.linalg.norm(operator.mass * (found.velocity - start))
    assert np.abs(after - before).max() < TOLERANCE * change * np.sqrt(operator.mass.astype(bool).sum())
    assert after[0] > 0.75 * operator.mass[0].sum()
    if kind == "implicit" and number > 1e3:
        inside = found.velocity[0][found.kinds[0] == FREE]
        assert np.allclose(inside, inside.mean(), atol=0.02)


@pytest.mark.parametrize("kind", SOLVED)
@pytest.mark.parametrize("friction", [0.0, 1.0])
def test_energy_never_grows(dimension, kind, friction):
    liquid = Liquid(dimension, pool, closed=True, friction=friction)
    for number in (0.1, 10.0, 1e4):
        found, operator = liquid.operator(kind, liquid.random(), number)
        before = (operator.mass * found.velocity.astype(np.float64) ** 2).sum()
        solve_viscosity(operator, found)
        assert (operator.mass * found.velocity.astype(np.float64) ** 2).sum() < before


@pytest.mark.parametrize("kind", SOLVED)
def test_a_spike_spreads_by_its_moments(dimension, kind):
    """Implicit Euler adds 2 nu dt to the variance along each axis; the whole stress 4 nu dt along its own (Z6)."""
    liquid = Liquid(dimension, lambda *x: np.full(x[0].shape, -1.0))
    centre, number = 10, 0.2
    place = np.array([centre, *(centre + 0.5,) * (dimension - 1)])
    velocity = liquid.faces(lambda axis, *x: np.abs(np.array(x) - place[:, None]).max(axis=0) < 0.25)
    liquid.act(kind, velocity, number)
    first, size = (centre - 7,) * dimension, (15,) * dimension
    u = to_dense(velocity.pool[0], liquid.tiles, first, size).astype(np.float64)
    v = to_dense(velocity.pool[1], liquid.tiles, first, size).astype(np.float64)
    assert u.sum() == pytest.approx(1.0, abs=2e-3)
    assert v.sum() == pytest.approx(0.0, abs=2e-3)
    for axis in range(dimension):
        profile = u.sum(axis=tuple(a for a in range(dimension) if a != axis))
        wanted = 4 * number if kind == "coupled" and axis == 0 else 2 * number
        assert (profile * (np.arange(15) - 7) ** 2).sum() == pytest.approx(wanted, rel=0.03)


@pytest.mark.parametrize("kind", ["explicit", *SOLVED])
def test_taylor_green_vortices_decay_by_their_own_factor(kind):
    """u = sin x cos y, v = -cos x sin y between walls that do not hold: an eigenvector of all schemes (Z14)."""
    liquid = Liquid(2, lambda *x: np.full(x[0].shape, -1.0), closed=True)
    nx, ny = liquid.along

    # A stream function has no divergence on the staggered grid: take its differences
    def stream(x, y):
        return np.sin(np.pi * x / nx) * np.sin(np.pi * y / ny)

    velocity = liquid.faces(
        lambda axis, x, y: (
            stream(x, y + 0.5) - stream(x, y - 0.5) if axis == 0 else stream(x - 0.5, y) - stream(x + 0.5, y)
        )
    )
    before = velocity.copy()
    number = 0.2 if kind == "explicit" else 40.0
    wave = 4 * (np.sin(np.pi / (2 * nx)) ** 2 + np.sin(np.pi / (2 * ny)) ** 2)
    liquid.act(kind, velocity, number)
    factor = 1 - number * wave if kind == "explicit" else 1 / (1 + number * wave)
    inside = known(before) & (np.abs(before.pool) > 1e-3)
    assert np.allclose(velocity.pool[inside] / before.pool[inside], factor, atol=3e-4)


@pytest.mark.parametrize(
    ("phi", "most"),
    [(pool, (9, 12, 20)), ("ball", (9, 18, 40)), (strand, (10, 33, 140))],
    ids=["pool", "ball", "strand"],
)
def test_a_handful_of_iterations(dimension, phi, most):
    """Hardly more for larger numbers; local rotations of thin strands are what the blocks do not see."""
    phi = ball(dimension) if phi == "ball" else phi
    liquid = Liquid(dimension, phi, closed=phi is pool)
    for number, limit in zip((1.0, 100.0, 1e4), most, strict=True):
        step = liquid.act("coupled", liquid.random(), number)
        assert 0 < step.iterations <= limit
        assert step.residual <= TOLERANCE
        assert liquid.act("implicit", liquid.random(), number).iterations <= 10


@pytest.mark.parametrize("kind", SOLVED)
def test_the_matrix_is_symmetric_and_its_diagonal_is_told(dimension, kind):
    liquid = Liquid(dimension, pool, closed=True, friction=1.0)
    _, operator = liquid.operator(kind, liquid.random(), 7.0)
    rng = np.random.default_rng(1)
    x, y = (np.where(operator.diagonal > 0, rng.standard_normal(operator.diagonal.shape), 0.0) for _ in range(2))
    nothing, ax, ay = operator.zeros(np.float64), operator.zeros(np.float64), operator.zeros(np.float64)
    operator.residual(x, nothing, ax)
    operator.residual(y, nothing, ay)
    assert (y * ax).sum() == pytest.approx((x * ay).sum(), rel=1e-9)
    assert -(x * ax).sum() > 0
    single = operator.zeros()
    assert operator.apply(x.astype(np.float32), single) == pytest.approx(-(x * ax).sum(), rel=1e-5)
    for place in np.argwhere(operator.diagonal > 0)[::97]:
        unit = operator.zeros(np.float64)
        unit[tuple(place)] = 1.0
        operator.residual(unit, nothing, ax)
        assert -ax[tuple(place)] == pytest.approx(operator.diagonal[tuple(place)], rel=1e-5)


def test_what_is_not_found_ends_the_step(monkeypatch):
    liquid = Liquid(2, ball(2))
    monkeypatch.setattr(viscous_solve, "_MOST_ITERATIONS", 2)
    with pytest.raises(DivergedError, match=r"viscosity not found: residual .* after 2 iterations, wanted"):
        liquid.act("coupled", liquid.random(), 1e3)


def test_auto_takes_the_explicit_scheme_where_it_is_stable(dimension):
    """The same bits as explicit below its limit, and as coupled above; no step is too long."""
    liquid = Liquid(dimension, pool, closed=True)
    for number, kind in ((0.9 / (2 * dimension), "explicit"), (1.1 / (2 * dimension), "coupled")):
        one, other = liquid.random(), liquid.random()
        auto = AutoViscosity(scheme("explicit", number * H**2), scheme("coupled", number * H**2))
        auto.apply(one, liquid.cells, liquid.solids, None, 1.0)
        liquid.act(kind, other, number)
        assert one.pool.tobytes() == other.pool.tobytes()
        assert auto.longest_step(H, dimension) == float("inf")
    thick = CellField.filled(liquid.tiles, 2.0 * H**2)
    assert auto.apply(liquid.random(), liquid.cells, liquid.solids, thick, 1.0).iterations > 0


def test_a_field_of_one_value_is_that_viscosity(dimension):
    liquid = Liquid(dimension, pool, closed=True, friction=1.0)
    for kind in SOLVED:
        acts = scheme(kind, 1e-9)
        one, other = liquid.random(), liquid.random()
        acts.apply(one, liquid.cells, liquid.solids, CellField.filled(liquid.tiles, 3.0 * H**2), 1.0)
        liquid.act(kind, other, 3.0)
        wet = (liquid.cells.faces & WET) > 0
        assert np.allclose(one.pool[wet], other.pool[wet], atol=2e-4)


def test_one_and_two_threads_give_the_same_bits(dimension, threads):
    liquid = Liquid(dimension, pool, closed=True, friction=1.0)
    bits = set()
    for count in (1, 2):
        threads(count)
        velocity = liquid.random()
        liquid.act("coupled", velocity, 30.0)
        bits.add(velocity.pool.tobytes())
    assert len(bits) == 1
