"""Solvers in files: they go on with the same bits, and what is not sound is refused."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.errors import DamagedError

KINDS: dict[str, Any] = {
    "liquid": {},
    "levelset": {"surface": "levelset"},
    "stable_fluids": {"kind": "stable_fluids"},
    "smoke": {"kind": "smoke"},
}


def scene(kind, **more):
    return plash.Scene(
        domain={"size": (0.7, 0.5), "resolution": 14},
        solver=KINDS[kind],
        fill=[plash.Fill(shape=plash.Box(min=(0, 0), max=(0.3, 0.25)), velocity=(0.3, 0))],
        **more,
    )


def advanced(solver, time):
    while solver.state.time < time:
        solver.advance(time)
    return solver


@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_goes_on_with_the_same_bits(kind, tmp_path):
    solver = advanced(plash.build(scene(kind)), 0.03)
    plash.save_solver(solver, scene(kind), tmp_path / "state.npz")
    again = plash.load_solver(tmp_path / "state.npz")
    assert again.state.time == solver.state.time
    for one, other in zip(*(advanced(each, 0.06).snapshot().arrays().items() for each in (solver, again)), strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])
    assert again.ledger == solver.ledger


def test_every_damaged_byte_is_noticed_or_harmless(tmp_path):
    plash.save_solver(plash.build(scene("stable_fluids")), scene("stable_fluids"), tmp_path / "state.npz")
    data = bytearray((tmp_path / "state.npz").read_bytes())
    middle = data.index(b"scene.npy") + 200
    data[middle] ^= 0x55
    (tmp_path / "bad.npz").write_bytes(data)
    with pytest.raises(DamagedError, match=r"bad\.npz: is damaged.*plash\.save_solver"):
        plash.load_solver(tmp_path / "bad.npz")
    (tmp_path / "short.npz").write_bytes(data[:300])
    with pytest.raises(DamagedError):
        plash.load_solver(tmp_path / "short.npz")
    with pytest.raises(DamagedError, match="none"):
        plash.load_solver(tmp_path / "none.npz")


def test_a_scene_with_functions_is_given_again(tmp_path):
    whole = scene("liquid", force=[lambda points, time: 0 * points + [1.0, 0.0]])
    plash.save_solver(plash.build(whole), whole, tmp_path / "state.npz")
    with pytest.raises(plash.SceneError, match=r"plash\.load_solver\(path, scene\)"):
        plash.load_solver(tmp_path / "state.npz")
    assert plash.load_solver(tmp_path / "state.npz", whole).state.time == 0
    with pytest.raises(plash.SceneError, match="another one than the scene given"):
        plash.load_solver(tmp_path / "state.npz", scene("liquid"))


def test_what_was_there_stays_if_it_cannot_be_written(tmp_path, monkeypatch):
    solver = plash.build(scene("stable_fluids"))
    plash.save_solver(solver, scene("stable_fluids"), tmp_path / "state.npz")
    before = (tmp_path / "state.npz").read_bytes()
    monkeypatch.setattr(np, "savez", lambda *a, **k: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(plash.PlashError, match="no space left"):
        plash.save_solver(advanced(solver, 0.01), scene("stable_fluids"), tmp_path / "state.npz")
    assert (tmp_path / "state.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]
