"""A level set that moves with a given velocity: it goes there exactly, walls do not hold it, and nothing else acts."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import plash
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint

H = 1 / 40


def wind(points: Any, time: float) -> Any:
    """A wind that turns with the time: its path is known."""
    return np.stack([np.full(len(points), 0.4), np.full(len(points), 0.6 * np.cos(2.0 * time))], axis=1)


def driven(flow: Any, **keys: Any) -> plash.Scene:
    solver = plash.Solver(surface="levelset", flow=flow, courant=1.0, **keys.pop("solver", {}))
    return plash.Scene(
        domain={"size": (1.3, 1.0), "cell_size": H},
        time={"fps": 24, "frames": 13},
        solver=solver,
        fill=[{"shape": plash.Sphere(center=(0.4, 0.4), radius=0.2)}],
        **keys,
    )


def middle(frame: Any) -> Any:
    samples = frame.snapshot.samples()
    return (samples.amount[:, None] * samples.position).sum(axis=0) / samples.amount.sum()


def test_a_disc_goes_where_the_wind_takes_it_and_keeps_its_size() -> None:
    frames = list(plash.simulate(driven(wind)))
    time = frames[-1].time
    expected = np.array([0.4 + 0.4 * time, 0.4 + 0.3 * np.sin(2.0 * time)])
    assert middle(frames[-1]) == pytest.approx(expected, abs=0.01 * H)
    assert frames[-1].ledger.volume == pytest.approx(frames[0].ledger.volume, rel=5e-3)
    shown: Any = frames[-1].snapshot
    assert shown.velocity_at(expected[None])[0] == pytest.approx([0.4, 0.6 * np.cos(2.0 * time)], rel=1e-5)


def test_gravity_and_walls_do_nothing() -> None:
    solver: Any = plash.build(driven(lambda points, time: np.full(points.shape, (-0.5, 0.0))))
    while solver.state.time < 1.0:
        solver.advance(1.0)
    places = solver.state.level_set.particles.place[solver.state.level_set.particles.sign < 0] * H
    assert places.mean(axis=0) == pytest.approx([-0.1, 0.4], abs=0.3 * H)


@pytest.mark.slow
def test_disc_of_the_gallery_comes_back_as_it_was() -> None:
    scene = plash.load_scene("zalesak", resolution=50, courant=1.0)
    first, *_, last = plash.simulate(scene)
    assert last.ledger.volume == pytest.approx(last.ledger.initial, rel=0.03)
    assert middle(last) == pytest.approx(middle(first), abs=0.2 / 50)


def test_it_goes_on_with_the_same_bits_after_a_stop_and_for_any_threads(tmp_path: Any) -> None:
    made = driven(wind)
    straight: Any = plash.build(made)
    straight.advance(1 / 24)
    write_checkpoint(tmp_path / "stop.npz", straight, Place(1, 1))
    resumed: Any = plash.build(made)
    read_checkpoint(tmp_path / "stop.npz", resumed, made, None, "")
    for solver, threads in ((straight, 1), (resumed, 2)):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
        while solver.state.time < 4 / 24:
            solver.advance(4 / 24)
    numba.set_num_threads(1)
    assert np.array_equal(straight.state.level_set.phi.pool, resumed.state.level_set.phi.pool)
    assert straight.ledger == resumed.ledger


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"solver": {"surface": "particles"}}, "solver.flow: has no meaning without surface"),
        ({"force": [{"kind": "constant", "acceleration": (1, 0)}]}, "has no meaning with solver.flow"),
        ({"solid": [{"name": "pillar", "shape": plash.Sphere(center=(1, 0.5), radius=0.1)}]}, "solid"),
    ],
)
def test_what_it_would_not_feel_is_refused(keys: Any, message: str) -> None:
    solver: Any = {"surface": "levelset", "flow": wind, **keys.pop("solver", {})}
    with pytest.raises(plash.SceneError, match=message):
        plash.Scene(
            domain={"size": (1.3, 1.0), "cell_size": H},
            solver=solver,
            fill=[{"shape": plash.Sphere(center=(0.4, 0.4), radius=0.2)}],
            **keys,
        )


def test_a_function_that_gives_no_velocity_is_named() -> None:
    with pytest.raises(plash.SceneError, match=r"solver.flow: the function <lambda> gave an array of shape \(2,\)"):
        plash.build(driven(lambda points, time: np.zeros(2)))
