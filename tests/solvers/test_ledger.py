"""The ledger: what is measured of liquid that comes and goes."""

import math

import numpy as np
import pytest

import plash
from plash.errors import DivergedError
from plash.solvers.build.liquid import build_liquid
from plash.solvers.ledger import Ledger, off_target


def pool(dimension: int, low: float, high: float, **keys) -> plash.Scene:
    """A layer of liquid in a closed box."""
    box = plash.Box(min=(0, low, 0)[:dimension], max=(0.9, high, 0.6)[:dimension])
    size = (0.9, 0.8, 0.6)[:dimension]
    return plash.Scene(domain={"size": size, "resolution": 18}, fill=[{"shape": box}], **keys)


def sink(dimension: int, top: float, **keys) -> dict:
    return {"shape": {"kind": "box", "min": (0, 0, 0)[:dimension], "max": (0.9, top, 0.6)[:dimension]}, **keys}


@pytest.mark.parametrize("free_surface", ["ghost", "staircase"])
def test_what_is_measured_never_falls_below_nothing_at_a_sink(dimension, free_surface):
    """Most of the liquid is in the sink from the start, all of it in the end."""
    made = pool(dimension, 0.25, 0.6, sink=[sink(dimension, 0.5)], solver={"free_surface": free_surface})
    solver = plash.build(made)
    whole = solver.ledger.volume
    for frame in range(1, 6):
        while solver.state.time < frame / 24 - 1e-12:
            report = solver.advance(frame / 24)
            assert 0 <= solver.ledger.volume == report.volume
        if frame == 1:
            assert 0 < solver.ledger.target_volume < 0.4 * whole
            # In the sink it was as much liquid as outside
            assert solver.ledger.volume == pytest.approx(solver.ledger.target_volume, rel=0.35)
    assert solver.ledger.particle_volume == 0
    assert solver.ledger.volume == pytest.approx(0, abs=1e-12)
    assert solver.ledger.volume_error is None


def test_liquid_that_neither_comes_nor_goes_is_what_was_measured(dimension):
    solver = build_liquid(pool(dimension, 0, 0.4))
    solver.advance(1 / 24)
    seen = solver.surface_tracker.volume(solver.state.cells) * solver.h**dimension
    assert solver.ledger.volume == seen


@pytest.mark.parametrize("seen", [0.0, 0.4, 1.0, 1.3])
def test_what_goes_takes_its_share_of_what_is_seen_and_what_comes_is_seen_whole(seen):
    ledger = Ledger(initial=2.0, particle_volume=2.0, volume=2.0 * seen)
    ledger.remove("sink drain", 0.5, is_outflow=True)
    assert ledger.volume == pytest.approx(seen * ledger.particle_volume)
    ledger.bring(0.25)
    assert ledger.volume == pytest.approx(1.5 * seen + 0.25)
    ledger.remove("covered by a solid", 0.75, is_outflow=False)
    assert (ledger.particle_volume, ledger.target_volume) == (1.0, 1.75)
    for _ in range(3):  # more than there is, by rounding
        ledger.remove("left through x_max", np.nextafter(1.0, 2), is_outflow=True)
    assert ledger.volume == ledger.particle_volume == 0


@pytest.mark.parametrize("left", [0.0, 1e-17, -1e-17, 1e-4])
def test_the_error_of_next_to_nothing_is_not_told(left):
    ledger = Ledger(initial=1.0, inflow=2.0, outflow=3.0 - left, volume=0.5)
    assert ledger.volume_error is None
    assert off_target({"initial": 1.0, "inflow": 2.0, "outflow": 2.0, "volume": 0.5}, "volume") == -0.5


@pytest.mark.parametrize("kind", ["liquid", "stable_fluids"])
def test_a_volume_that_is_no_number_ends_the_run_and_is_named(kind):
    solver = plash.build(pool(2, 0, 0.4, solver={"kind": kind}))
    solver.ledger.inflow = math.nan
    with pytest.raises(DivergedError, match=r"step 1 .* inflow in the ledger is nan"):
        solver.advance(1 / 24)
    solver = plash.build(pool(2, 0, 0.4, solver={"kind": kind}))
    solver.ledger.brought["jet"] = math.inf
    with pytest.raises(DivergedError, match=r"brought\['jet'\] in the ledger is inf"):
        solver.advance(1 / 24)
