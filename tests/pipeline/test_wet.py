"""Wet solids as a stage of a run: made from the frame before, mended, the same for any threads, and off if asked."""

from typing import Any

import numpy as np
import pytest

import plash

FRAMES = 6
pytestmark = pytest.mark.slow


def scene():
    """A block of water falls on a ball; solids dry within a few frames."""
    return plash.Scene(
        domain=plash.Domain(size=(0.9, 0.6, 0.7), resolution=18),
        time=plash.Time(fps=24, frames=FRAMES),
        fill=[plash.Fill(shape=plash.Box(min=(0.2, 0.3, 0.2), max=(0.6, 0.5, 0.5)), velocity=(0, -2, 0))],
        solid=[plash.Solid(shape=plash.Sphere(center=(0.45, 0.1, 0.35), radius=0.15))],
        look=plash.Look(width=64, drying_time=0.2),
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("wet") / "run"
    plash.run(scene(), out, stages=["simulate", "mesh", "wet", "render"], threads=1)
    return out


def drying(time) -> dict[str, Any]:
    return {"look.drying_time": time}


def files(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "wet").iterdir())}


def test_what_falls_on_a_ball_wets_it(run):
    opened = plash.open_run(run)
    first, last = opened[1].wetness, opened[FRAMES].wetness
    assert not first.wet.any()
    assert last.wet.max() == 1
    assert 0 < last.film.mean() < 0.9


def test_what_is_lost_is_made_again_with_the_same_bits(run):
    before = files(run)
    (run / "wet" / "wet.0003.npz").unlink()
    (run / "wet" / "wet.0005.npz").write_bytes(b"nothing")
    (run / "wet" / "wet.0006.npz").unlink()
    plash.resume(run, stages=["wet"])
    assert files(run) == before


def test_threads_do_not_change_a_bit(run, tmp_path):
    plash.run(scene(), tmp_path / "two", stages=["simulate", "wet"], threads=2)
    assert files(tmp_path / "two") == files(run)


def test_another_drying_time_simulates_nothing_and_none_leaves_solids_dry(run):
    picture, frame = plash.open_run(run)[FRAMES].picture, (run / "particles" / "particles.0004.npz").stat().st_mtime_ns
    wet = plash.open_run(run)[FRAMES].wetness.wet.sum()
    plash.resume(run, **drying(5.0))
    assert plash.open_run(run)[FRAMES].wetness.wet.sum() > wet
    plash.resume(run, **drying(0.0))
    opened = plash.open_run(run)
    assert "wet" not in opened.manifest.wanted
    assert (run / "particles" / "particles.0004.npz").stat().st_mtime_ns == frame
    assert not np.array_equal(opened[FRAMES].picture, picture)
