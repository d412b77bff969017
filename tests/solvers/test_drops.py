"""Drops that appear at random: when, where, how much; the same whatever the steps."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.pipeline.conftest import StopAfter, checksums

import plash
from plash.solvers.build import build

RAIN = """version = 1
[domain]
size = [0.9, 0.6]
cell_size = 0.03
gravity = [0, -5]
[time]
frames = 13
fps = 24
[liquid]
density = 900
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.9, 0.1] }
[[source]]
name = "rain"
kind = "drops"
shape = { kind = "sphere", center = [0.45, 0.45], radius = 0.1 }
rate = "30 s^-1"
radius = "4 cm"
largest = "6 cm"
velocity = [0, -1]
"""


def rain(**overrides):
    return plash.parse_scene(RAIN, "rain.toml", **overrides)


def shower(scene) -> Any:
    solver: Any = build(scene)
    return solver.sources.showers[0]


def times(scene, start, end):
    return [drop.time for drop in shower(scene).between(start, end)]


def test_there_is_one_drop_in_each_interval():
    found = np.array(times(rain(), 0.0, 2.0))
    assert len(found) == 60
    np.testing.assert_array_equal(np.floor(found * 30 - 1e-12), np.arange(60))
    assert np.diff(found).std() > 0.2 / 30


def test_steps_of_any_length_find_the_same_drops():
    ends = np.sort(np.random.default_rng(3).random(200)) * 2
    made = shower(rain())
    parts = [drop.time for start, end in pairwise(ends) for drop in made.between(start, end)]
    assert parts == times(rain(), ends[0], ends[-1])


def test_start_and_stop_hold():
    found = times(rain(**{"source[0].start": "0.3 s", "source[0].stop": "0.7 s"}), 0.0, 5.0)
    assert len(found) in (11, 12)
    assert 0.3 < min(found) < 0.3 + 1 / 30
    assert max(found) < 0.7


def test_drops_are_in_their_shape_and_of_all_sizes():
    made, places, sizes = shower(rain()), [], []
    for drop in made.between(0.0, 10.0):
        particles = drop.particles()
        volume = particles.total_volume() * 0.03**2
        weight = particles.volume / particles.volume.sum()
        places.append((particles.position(0.03) * weight[:, None]).sum(axis=0))
        sizes.append(math.sqrt(volume / math.pi))
    away = np.linalg.norm(np.array(places) - [0.45, 0.45], axis=1)
    assert away.max() < 0.1 + 1e-3
    # Of points spread evenly over a disc half are beyond 0.707 of its radius
    assert np.mean(away > 0.0707) == pytest.approx(0.5, abs=0.1)
    assert 0.04 * 0.995 < min(sizes) < 0.042
    assert 0.058 < max(sizes) < 0.06 * 1.005
    assert np.mean(sizes) == pytest.approx(0.05, abs=0.002)


def test_the_seed_alone_decides():
    assert times(rain(), 0, 1) == times(rain(**{"look.width": 64}), 0, 1)
    assert times(rain(), 0, 1) != times(rain(seed=1), 0, 1)


def test_the_ledger_has_every_drop_that_fell_in_air():
    scene = rain(**{"source[0].rate": 12, "domain.gravity": [0, 0], "source[0].velocity": [0, -3]})
    solver: Any = build(scene)
    while solver.state.time < 0.5:
        solver.advance(solver.state.time + 1 / 24)
    drops = list(solver.sources.showers[0].between(0.0, solver.state.time))
    wanted = sum(drop.particles().total_volume() for drop in drops) * 0.03**2
    assert len(drops) == 6
    assert solver.ledger.brought["rain"] == pytest.approx(wanted, rel=1e-5)
    assert solver.ledger.inflow == pytest.approx(wanted, rel=1e-5)
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.target_volume, rel=1e-5)


def test_a_drop_smaller_than_a_cell_is_one_particle_with_its_volume():
    made = shower(rain(**{"source[0].radius": "1 mm", "source[0].largest": "1 mm"}))
    particles = next(iter(made.between(0.0, 1.0))).particles()
    assert particles.count == 1
    assert float(particles.volume[0]) * 0.03**2 == pytest.approx(math.pi * 1e-6)
    np.testing.assert_array_equal(particles.velocity[:, 0], [0, -1])


def test_no_drop_appears_in_liquid_or_in_a_solid():
    body = {"fill[0].shape.max": [0.9, 0.6]}
    solver: Any = build(rain(**body))
    solver.advance(1 / 24)
    assert solver.ledger.inflow == 0


@pytest.mark.slow
def test_a_stopped_run_goes_on_with_the_same_drops(tmp_path):
    plash.run(rain(), tmp_path / "whole", stages=["simulate"])
    with pytest.raises(plash.PlashError, match="stopped"):
        plash.run(rain(), tmp_path / "run", stages=["simulate"], progress=StopAfter(9))
    plash.resume(tmp_path / "run")
    assert checksums(tmp_path / "run") == checksums(tmp_path / "whole")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"source[0].largest": "1 cm"}, r"source\[0\].largest: 0.01 m is below radius = 0.04 m: exchange them"),
        ({"source[0].rate": 0}, r"source\[0\].rate"),
        ({"solver.kind": "stable_fluids"}, '"drops" has no meaning with solver.kind = "stable_fluids"'),
        ({"solver.surface": "levelset"}, '"drops" does not reach a level set'),
        ({"source[0].shape.center": [9, 9]}, "lies wholly outside the domain"),
    ],
)
def test_what_makes_no_sense_is_refused(overrides, message):
    with pytest.raises(plash.SceneError, match=message):
        rain(**overrides)


def test_check_warns_of_drops_that_no_cell_shows():
    report = plash.check(rain(**{"source[0].radius": "1 cm"}), with_steps=False)
    (found,) = [finding for finding in report.findings if finding.code == "small-feature"]
    assert found.where == 'source[0] "rain"'
    assert "0.67 cells" in found.message
    assert "set domain.resolution = 90" in found.edit


def test_drops_are_written_back_as_they_were_read():
    assert plash.parse_scene(plash.scene_text(rain())) == rain()
