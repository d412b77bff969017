"""Every scene that comes with plash, with every free surface."""

import numpy as np
import pytest

import plash

pytestmark = pytest.mark.slow

KINDS = {name: plash.load_scene(name).solver.kind for name in plash.gallery()}
THIN = {"paint_mix"}  # a layer that coarser cells do not hold
LEVEL_SETS = [name for name in KINDS if getattr(plash.load_scene(name).solver, "surface", "") == "levelset"]


@pytest.mark.parametrize("surface", ["ghost", "staircase", "cells"])
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind == "liquid" and name not in LEVEL_SETS])
def test_every_scene_runs_with_every_surface(name, surface):
    overrides = {"solver.free_surface": surface}
    shipped = plash.load_scene(name)
    coarse = 24 if shipped.dimension == 2 or name in THIN else 16
    scene = plash.load_scene(name, resolution=coarse, frames=4, **overrides)
    frames = list(plash.simulate(scene))
    assert [frame.number for frame in frames] == [1, 2, 3, 4]
    assert [frame.time for frame in frames] == pytest.approx([number / scene.time.fps for number in range(4)])
    last = frames[-1]
    assert np.isfinite(last.particles.position).all()
    assert np.isfinite(last.particles.velocity).all()
    assert last.ledger.particle_volume == pytest.approx(last.ledger.target_volume, rel=1e-6)
    assert not any(last.ledger.leaks.values())
    assert sum(step.unknown_reads for frame in frames for step in frame.steps) == 0
    # Nothing gains speed from nowhere: not more than falling through the domain gives
    drop = np.sqrt(2 * 9.81 * scene.domain.size[1])
    speeds = [np.hypot.reduce(fill.velocity) for fill in scene.fill]
    started = max(speeds + [source.peak(scene.dimension) for source in scene.source if isinstance(source, plash.Spout)])
    assert np.linalg.norm(last.particles.velocity, axis=1).max() < 3 * (drop + started)


@pytest.mark.parametrize("name", LEVEL_SETS)
def test_every_scene_with_a_level_set_runs(name):
    scene = plash.load_scene(name, resolution=16, frames=4)
    *_, last = plash.simulate(scene)
    # With so few cells the disc of a known motion has a radius of 2.4 of them
    most = 0.03 if scene.solver.flow is None else 0.05
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=most)
    assert last.snapshot.energy(1000.0, (0.0, -9.81, 0.0))["kinetic"] > 0


@pytest.mark.parametrize("advection", ["semi_lagrangian", "maccormack"])
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind == "stable_fluids"])
def test_every_scene_of_stable_fluids_runs(name, advection):
    scene = plash.load_scene(name, resolution=16, frames=4, **{"solver.advection": advection})
    first, *_, last = plash.simulate(scene)
    assert 0.0 <= last.density.min() < last.density.max() <= 1.0
    assert np.isfinite(last.grids.velocity).all()
    assert last.ledger.volume == pytest.approx(first.ledger.volume + last.ledger.inflow, rel=0.1)
    assert 0.1 < np.linalg.norm(last.grids.velocity, axis=0).max() < 5.0


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind == "smoke"])
def test_every_scene_of_smoke_runs(name):
    scene = plash.load_scene(name, resolution=24, frames=4)
    *_, last = plash.simulate(scene)
    volume = last.volume
    assert volume.density.min() >= 0.0
    assert volume.density.max() > 0.01
    assert last.ledger.volume == pytest.approx(last.ledger.target_volume, rel=1e-5)
    middle = volume.tiles.cell_centres(volume.tiles.slots, volume.h)
    assert 0.01 < np.linalg.norm(last.velocity(middle), axis=1).max() < 20.0
