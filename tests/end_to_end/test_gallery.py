"""Every scene that comes with plash, with every free surface."""

import numpy as np
import pytest

import plash


@pytest.mark.parametrize("surface", ["ghost", "staircase", "cells"])
@pytest.mark.parametrize("name", plash.gallery())
def test_every_scene_runs_with_every_surface(name, surface):
    overrides = {"solver.free_surface": surface}
    scene = plash.load_scene(name, resolution=24 if "2d" in name else 16, frames=4, **overrides)
    frames = list(plash.simulate(scene))
    first, last = frames[0], frames[-1]
    assert np.isfinite(last.particles.position).all()
    assert np.isfinite(last.particles.velocity).all()
    assert last.ledger.particle_volume == pytest.approx(last.ledger.target_volume, rel=1e-6)
    assert not any(last.ledger.leaks.values())
    assert sum(step.unknown_reads for frame in frames for step in frame.steps) == 0
    # Nothing gains speed from nowhere: not more than falling through the domain gives
    drop = np.sqrt(2 * 9.81 * scene.domain.size[1])
    speeds = [np.hypot.reduce(fill.velocity) for fill in scene.fill]
    started = max(speeds + [source.peak(scene.dimension) for source in scene.source])
    assert np.linalg.norm(last.particles.velocity, axis=1).max() < 3 * (drop + started)
