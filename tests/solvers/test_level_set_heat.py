"""Heat in a liquid whose surface is a level set: what conducts, what is carried along, and where every joule went."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import plash
from plash.files.arrays import read_arrays
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.frames import write_frame
from plash.solvers.build import read_snapshot

H = 1 / 32
LIQUID = {"density": 870.0, "temperature": 290.0, "thermal_diffusivity": 4e-4, "thermal_expansion": 3e-4}


def warm(fill: Any, frames: int = 13, **keys: Any) -> plash.Scene:
    domain = {"size": (1.1, 1.0), "cell_size": H, "gravity": (0, -9.7), **keys.pop("domain", {})}
    return plash.Scene(
        domain=cast(Any, domain),
        time={"fps": 24, "frames": frames},
        liquid=cast(Any, {**LIQUID, **keys.pop("liquid", {})}),
        solver=plash.Solver(surface="levelset", **keys.pop("solver", {})),
        fill=fill,
        **keys,
    )


def two_columns(**keys: Any) -> plash.Scene:
    """A warm column falls over towards a cool one."""
    left, right = plash.Box(min=(0, 0), max=(0.4, 0.5)), plash.Box(min=(0.7, 0), max=(1.1, 0.3))
    return warm([{"shape": left, "temperature": 330.0}, {"shape": right}], **keys)


def inside(frame: Any) -> Any:
    shown = frame.snapshot
    wet = (shown.phi.pool < 0) & ~np.isnan(shown.velocity[0])
    wet[0] = False
    return shown.temperature[wet]


def total(heat: dict[str, float]) -> float:
    return sum(amount for name, amount in heat.items() if name != "now")


def test_still_liquid_between_a_warm_floor_and_its_insulating_surface_warms_as_the_series_says() -> None:
    depth, kappa, time = 0.25, 2e-2, 0.5
    scene = warm(
        [{"shape": plash.Box(min=(0, 0), max=(1.1, depth))}],
        domain={"gravity": (0, 0), "side_temperature": {"y_min": 330.0}},
        liquid={"thermal_diffusivity": kappa, "thermal_expansion": 0.0},
        solver={"max_dt": 0.01},
    )
    *_, last = plash.simulate(scene)
    assert last.time == pytest.approx(time)
    y = (np.arange(8) + 0.5) * H
    odd = 2 * np.arange(60) + 1
    mode = np.sin(odd * np.pi * y[:, None] / (2 * depth)) * np.exp(-((odd * np.pi / (2 * depth)) ** 2) * kappa * time)
    exact = 330.0 - 40.0 * (4 / np.pi / odd * mode).sum(axis=1)
    shown: Any = last.snapshot
    found = shown.temperature_at(np.stack([np.full(8, 0.55), y], axis=1))
    assert found == pytest.approx(exact, abs=0.01 * 40)


def test_nothing_gets_warmer_than_the_warmest_and_the_ledger_has_all_of_it() -> None:
    for frame in plash.simulate(two_columns(frames=19)):
        heat = frame.ledger.heat
        assert heat["now"] == pytest.approx(total(heat), rel=1e-12)
        assert inside(frame).min() >= 290.0 - 1e-3
        assert inside(frame).max() <= 330.0 + 1e-3
    # No wall is warm: all that changes is what tracing back makes and loses, a small part of what moved
    assert heat["walls"] == pytest.approx(0.0, abs=1e-6)
    moved = 0.2 * (330.0 - 290.0)
    assert abs(heat["carrying"]) < 0.25 * moved
    assert np.ptp(inside(frame)) > 5.0


def test_a_warm_spout_brings_its_heat_and_a_heater_holds_its_place() -> None:
    opening = plash.Disc(center=(0.3, 0.9), radius=0.08, normal=(0, -1))
    tap = plash.Spout(name="tap", shape=opening, speed=0.6, temperature=350.0)
    place = plash.Box(min=(0.8, 0), max=(1.0, 0.1))
    stove = plash.HeatSource(name="stove", shape=place, temperature=360.0)
    scene = warm([{"shape": plash.Box(min=(0, 0), max=(1.1, 0.25))}], frames=13, source=[tap, stove])
    *_, last = plash.simulate(scene)
    heat, ledger = last.ledger.heat, last.ledger
    assert heat["inflow"] == pytest.approx(ledger.inflow * 350.0)
    assert heat["heaters"] > 0
    assert heat["now"] == pytest.approx(total(heat), rel=1e-12)
    shown: Any = last.snapshot
    assert shown.temperature_at(np.array([[0.9, 0.05]]))[0] > 350.0
    assert shown.temperature_at(np.array([[0.3, 0.8]]))[0] == pytest.approx(350.0, abs=1.0)
    assert inside(last).max() <= 360.0 + 1e-3


def test_warm_liquid_rises_in_cold() -> None:
    blob = {"shape": plash.Sphere(center=(0.55, 0.2), radius=0.12), "temperature": 340.0}
    pool = {"shape": plash.Box(min=(0, 0), max=(1.1, 0.6))}
    scene = warm([blob, pool], liquid={"thermal_expansion": 4e-3})
    *_, last = plash.simulate(scene)
    shown: Any = last.snapshot
    excess = np.where(shown.phi.pool < 0, shown.temperature - 290.0, 0.0)[1:]
    y = shown.phi.tiles.cell_centres(shown.phi.tiles.slots, H)[:, 1].reshape(excess.shape)
    assert (excess * y).sum() / excess.sum() > 0.2 + H


def test_a_blob_that_appears_is_warm_and_a_stopped_run_goes_on_with_the_same_bits(tmp_path: Any) -> None:
    blob = plash.Blob(name="drop", time=0.06, shape=plash.Sphere(center=(0.8, 0.7), radius=0.1), temperature=345.0)
    scene = two_columns(source=[blob], solver={"levelset_volume": "shift"})
    straight: Any = plash.build(scene)
    for number in range(1, 6):
        if number == 2:
            write_checkpoint(tmp_path / "stop.npz", straight, Place(1, 1))
            resumed: Any = plash.build(scene)
            read_checkpoint(tmp_path / "stop.npz", resumed, scene, None, "")
        while straight.state.time < number / 24:
            straight.advance(number / 24)
    for number in range(2, 6):
        while resumed.state.time < number / 24:
            resumed.advance(number / 24)
    assert straight.ledger.brought["drop"] == pytest.approx(np.pi * 0.1**2, rel=0.03)
    assert np.array_equal(straight.heat.temperature.pool, resumed.heat.temperature.pool)
    assert np.array_equal(straight.state.level_set.phi.pool, resumed.state.level_set.phi.pool)
    assert straight.ledger == resumed.ledger
    shown = straight.snapshot()
    assert shown.temperature_at(np.array([[0.8, 0.69]]))[0] > 340.0


def test_frames_and_surfaces_have_the_temperature(tmp_path: Any) -> None:
    scene = two_columns(frames=3)
    *_, last = plash.simulate(scene)
    write_frame(tmp_path / "frame.npz", last.snapshot, 3, last.time)
    again: Any = read_snapshot(read_arrays(tmp_path / "frame.npz", None, ""), scene)
    shown: Any = last.snapshot
    assert np.array_equal(again.temperature, shown.temperature)
    mesh = again.surface(scene, last.time)
    assert mesh.scalars["temperature"].max() == pytest.approx(330.0, abs=0.5)
    assert mesh.scalars["temperature"].min() == pytest.approx(290.0, abs=0.5)
    plain = plash.build(warm([{"shape": plash.Box(min=(0, 0), max=(1.1, 0.25))}])).snapshot()
    with pytest.raises(ValueError, match="carries no temperature"):
        cast(Any, plain).temperature_at(np.zeros((1, 2)))


def test_honey_is_thin_where_it_is_warm() -> None:
    points = [{"temperature": 290.0, "dynamic_viscosity": 20.0}, {"temperature": 330.0, "dynamic_viscosity": 0.2}]
    solver: Any = plash.build(two_columns(liquid={"viscosity_at": points}))
    solver.advance(1 / 240)
    field = solver.state.viscosity
    label = solver.state.cells.label == 1
    assert field.pool[label].min() == pytest.approx(0.2 / 870.0, rel=0.05)
    assert field.pool[label].max() == pytest.approx(20.0 / 870.0, rel=0.05)
