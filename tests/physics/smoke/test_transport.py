"""What the air carries: order, bounds and mass, by fluxes and along paths."""

import numpy as np
import pytest

from plash.grid.cells import label_cells
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import FaceField
from plash.physics.smoke.advection import MacCormack, Trace
from plash.physics.smoke.fluxes import Capacity, carried_by_fluxes


class Wind:
    """A square or cube of n cells, all followed, with an even velocity (cells a step)."""

    def __init__(self, n, velocity):
        self.n, self.d = n, len(velocity)
        self.first, cells = (0,) * self.d, (n,) * self.d
        self.tiles = tiles_over((-1,) * self.d, (n + 2,) * self.d)
        inside = from_dense(np.ones(cells, bool), self.tiles, self.first, False)
        self.cells = label_cells(self.tiles, inside, np.zeros_like(inside))
        self.velocity = FaceField.filled(self.tiles, 0.0)
        self.velocity.pool[:] = np.reshape(velocity, (-1, 1, 1, 1, 1))

    def bump(self, at, width):
        x = np.stack(np.meshgrid(*[np.arange(self.n) + 0.5] * self.d, indexing="ij"), axis=-1)
        values = np.exp(-((x - np.array(at)) ** 2).sum(axis=-1) / width**2).astype(np.float32)
        return from_dense(values, self.tiles, self.first)[None]

    def dense(self, pool):
        return to_dense(pool, self.tiles, self.first, (self.n,) * self.d).astype(np.float64)


def carried(wind, scalars, scheme, steps):
    for _ in range(steps):
        if scheme == "fluxes":
            scalars, _ = carried_by_fluxes(scalars, wind.velocity, wind.cells, Capacity.of(wind.cells), 1.0)
        else:
            advection = MacCormack() if scheme == "maccormack" else Trace()
            paths = advection.paths(wind.velocity, wind.cells, 1.0, 1.0)
            scalars = advection.carried(scalars, paths, wind.cells, on_faces=False)
    return scalars


@pytest.mark.parametrize(("scheme", "order"), [("fluxes", 1.6), ("maccormack", 1.6), ("trace", 0.5)])
def test_a_smooth_bump_is_carried_with_the_order_of_the_scheme(scheme, order):
    errors = []
    for n in (32, 64):
        wind = Wind(n, (0.55, -0.3))
        moved = carried(wind, wind.bump((0.35 * n, 0.6 * n), 0.15 * n), scheme, n // 2)
        wanted = wind.bump((0.35 * n + 0.55 * (n // 2), 0.6 * n - 0.3 * (n // 2)), 0.15 * n)
        errors.append(np.abs(wind.dense(moved[0] - wanted[0])).mean())
    assert np.log2(errors[0] / errors[1]) > order


@pytest.mark.parametrize("velocity", [(0.7, -0.4), (2.3, 1.1), (0.4, -1.2, 0.9)])
@pytest.mark.parametrize("scheme", ["fluxes", "maccormack"])
def test_sharp_edges_stay_in_their_bounds_and_fluxes_keep_all_there_is(velocity, scheme):
    n = 48 if len(velocity) == 2 else 24
    wind = Wind(n, velocity)
    scalars = (wind.bump([n / 2 - 2 * part for part in velocity], n / 8) > 0.4).astype(np.float32)
    before = wind.dense(scalars[0]).sum()
    after = wind.dense(carried(wind, scalars, scheme, 4)[0])
    assert after.min() >= -1e-7
    assert after.max() <= 1.0 + (0.02 if scheme == "fluxes" else 0.0)
    if scheme == "fluxes":
        assert after.sum() == pytest.approx(before, rel=1e-6)


def test_what_flows_out_of_the_envelope_is_counted():
    wind = Wind(32, (1.5, 0.0))
    scalars = wind.bump((26.0, 16.0), 3.0)
    before = wind.dense(scalars[0]).sum()
    left = 0.0
    for _ in range(6):
        scalars, outflow = carried_by_fluxes(scalars, wind.velocity, wind.cells, Capacity.of(wind.cells), 1.0)
        left += outflow.amount[0, :, 1].sum()
        assert outflow.amount[0, :, [0, 2, 3]].max() < 1e-6
    assert left > 0.5 * before
    assert wind.dense(scalars[0]).sum() + left == pytest.approx(before, rel=1e-6)
