"""Smoke and solids that move: they push it aside and draw it after them."""

import numpy as np
import pytest
from tests.solvers.smokes import puff, smoke_scene

from plash.grid.cells import LIQUID
from plash.solvers.build.smoke import build_smoke


def moved(time, size, velocity, fills, **settings):
    """A solver after a ball of 0.2 m has moved for so long."""
    start = (0.4, 0.6, 0.5)[: len(size)]
    ball = {"name": "ball", "shape": {"kind": "sphere", "center": start, "radius": 0.2}}
    body = ball | {"motion": {"velocity": velocity}}
    scene = smoke_scene(size, 0.05, "closed", solver={"rise": 0, **settings}, fill=fills, solid=[body])
    solver = build_smoke(scene)
    while solver.state.time < time - 1e-12:
        solver.advance(time)
    return solver


@pytest.mark.parametrize(
    ("solids", "size", "velocity", "conserve"),
    [
        ("cut", (2.0, 1.4), (0.5, 0.1), True),
        ("cut", (2.0, 1.4), (3.0, 0.0), True),
        ("cut", (2.0, 1.4), (0.5, 0.1), False),
        ("voxel", (2.0, 1.4), (0.5, 0.1), True),
        ("voxel", (2.0, 1.4), (0.5, 0.1), False),
        pytest.param("cut", (1.5, 1.2, 1.0), (0.5, 0.1, 0.0), True, marks=pytest.mark.slow),
    ],
)
def test_even_smoke_stays_even_round_a_body_that_moves(solids, size, velocity, conserve):
    room = {"shape": {"kind": "box", "min": (-1,) * len(size), "max": (3,) * len(size)}, "density": 1.5}
    solver = moved(0.8 / velocity[0], size, velocity, [room], solids=solids, conserve=conserve)
    is_air = (solver.cells.label == LIQUID) & solver.state.envelope.is_inside[:, None, None, None]
    density = solver.state.scalars[0][is_air]
    np.testing.assert_allclose(density, 1.5, rtol=1e-4)
    assert solver.ledger.volume == pytest.approx(solver.ledger.initial, rel=0.01)


def test_a_body_that_moves_through_a_puff_takes_none_of_it_along():
    solver = moved(1.3, (2.0, 1.4), (1.0, 0.0), [puff((1.0, 0.7), 0.3, density=1.5)], solids="voxel")
    ledger = solver.ledger
    assert ledger.volume == pytest.approx(ledger.initial, rel=0.03)
    assert abs(ledger.removed["drift of advection"]) < 1e-6 * ledger.initial
    solid = solver.cells.label != LIQUID
    assert not np.any(solver.state.scalars[:, solid])
