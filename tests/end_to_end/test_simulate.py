"""The Python API, from a name to frames."""

import os
import subprocess
import sys

import numpy as np
import pytest

import plash

SMALL = {"resolution": 24, "frames": 4}


def test_a_frame_holds_what_it_should():
    scene = plash.load_scene("dam_break", **SMALL)
    *_, frame = plash.simulate(scene)
    n = len(frame.particles.position)
    assert frame.particles.position.shape == (n, 3)
    assert frame.particles.velocity.shape == (n, 3)
    assert frame.particles.volume.sum() == pytest.approx(frame.ledger.particle_volume, rel=1e-6)
    assert frame.velocity(frame.particles.position[:5]).shape == (5, 3)
    inside = frame.velocity(frame.particles.position)
    assert np.isfinite(inside).all()
    assert np.abs(inside - frame.particles.velocity).mean() < 0.3 * np.abs(inside).mean()
    report = frame.report
    assert report.frame == 4
    assert report.liquid_cells > 0
    assert report.tiles > 0
    assert report.particles == n
    assert 0 < report.iterations < 20
    assert report.residual <= 1.1e-5
    assert sum(report.seconds.values()) > 0
    assert {"sort_particles", "particles_to_grid", "move_particles"} <= set(report.seconds)


def test_frames_are_snapshots_that_later_ones_do_not_change():
    scene = plash.load_scene("dam_break_2d", **SMALL)
    simulation = plash.simulate(scene)
    first = next(simulation)
    before = first.particles.position.copy()
    volume = first.ledger.volume
    list(simulation)
    assert (first.particles.position == before).all()
    assert first.ledger.volume == volume


def test_two_runs_of_a_scene_are_equal_to_the_bit():
    runs = []
    for _ in range(2):
        *_, frame = plash.simulate(plash.load_scene("drop_in_pool", **SMALL))
        runs.append(frame.particles.position.tobytes())
    assert runs[0] == runs[1]


def test_another_seed_is_another_run():
    ends = [list(plash.simulate(plash.load_scene("dam_break_2d", seed=s, **SMALL)))[-1] for s in (0, 1)]
    assert ends[0].particles.position.tobytes() != ends[1].particles.position.tobytes()


def test_shapes_may_be_functions():
    scene = plash.Scene(
        domain={"size": (1.0, 0.8), "resolution": 32},
        time={"frames": 3},
        fill=[{"shape": plash.HeightShape(height=lambda x: 0.3 + 0.1 * np.cos(np.pi * x))}],
        solid=[{"name": "bump", "shape": lambda points: np.linalg.norm(points - [0.5, 0.0], axis=1) - 0.1}],
    )
    frames = list(plash.simulate(scene))
    area = 0.3 * 1.0 - np.pi * 0.1**2 / 2
    assert frames[0].ledger.particle_volume == pytest.approx(area, rel=0.02)
    assert len(frames) == 3


def test_a_fill_wholly_inside_a_solid_is_a_scene_error():
    with pytest.raises(plash.SceneError, match="no liquid is left"):
        list(
            plash.simulate(
                plash.Scene(
                    domain={"size": (1.0, 1.0), "resolution": 16},
                    fill=[{"shape": {"kind": "sphere", "center": (0.5, 0.5), "radius": 0.1}}],
                    solid=[{"shape": {"kind": "sphere", "center": (0.5, 0.5), "radius": 0.3}}],
                )
            )
        )


def test_the_liquid_falls_down():
    scene = plash.load_scene("dam_break", **SMALL)
    heights = [frame.particles.position[:, 1].mean() for frame in plash.simulate(scene)]
    assert (np.diff(heights) < 0).all()


def test_compiled_and_cached_kernels_give_the_same_bits(tmp_path):
    """Two processes with one new cache: the first compiles its kernels, the second loads them."""
    program = (
        "import hashlib, plash\n"
        "scene = plash.load_scene('dam_break_2d', resolution=24, frames=4)\n"
        "*_, frame = plash.simulate(scene)\n"
        "print(hashlib.sha256(frame.particles.position.tobytes()).hexdigest())\n"
    )
    environment = {**os.environ, "PLASH_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert len(runs[0].stdout.strip()) == 64
    assert runs[0].stdout == runs[1].stdout
