"""What `plash check` says about sources of smoke, and about wind."""

from typing import Any

import pytest
from tests.solvers.smokes import smoke_scene

import plash
from plash.pipeline.check.estimate import estimate
from plash.pipeline.check.findings import findings

H = 0.05


def found(shape=None, sides="open", solver=None, **keys):
    shape = shape or {"kind": "sphere", "center": (0.8, 0.4), "radius": 0.2}
    parts = {"solid": keys.pop("solid", [])}
    source = {"kind": "smoke", "name": "pot", "shape": shape, "density_rate": 2.0, **keys}
    if source["kind"] == "heat":
        source.pop("density_rate")
    scene = smoke_scene((1.6, 1.2), H, sides, source=[source], solver=solver or {}, **parts)
    return findings(scene)


def ball(x, y, radius):
    return {"kind": "sphere", "center": (x, y), "radius": radius}


def test_a_sound_source_has_no_findings():
    assert found() == []
    assert found(velocity=(0.3, 0.8), motion={"velocity": (0.2, 0.0)}) == []
    assert found({"kind": "half_space", "point": (0, 0.2), "normal": (0, 1)}) == []


@pytest.mark.parametrize(("kind", "words"), [("smoke", "right in all"), ("heat", "warms a part")])
def test_a_source_smaller_than_a_cell_is_said_to_be_spread(kind, words):
    keys = {"temperature": 400.0} if kind == "heat" else {}
    (finding,) = found(ball(0.8, 0.4, 0.01), kind=kind, **keys)
    assert (finding.level, finding.code, finding.where) == ("warning", "small-feature", 'source[0] "pot"')
    assert "0.02 m across, 0.40 cells of 0.05 m" in finding.message
    assert words in finding.message
    assert "the 4 cells" in finding.message
    assert "0.1 m across" in finding.edit
    assert "domain.resolution = 160" in finding.edit


def test_a_source_too_small_to_blow_is_found():
    blown = [f for f in found(ball(0.825, 0.425, 0.02), velocity=(0.0, 1.0)) if f.where.endswith("velocity")]
    assert [f.code for f in blown] == ["small-feature"]
    assert "along y" in blown[0].message
    assert found(ball(0.825, 0.425, 0.06), velocity=(1.0, 1.0)) == []


def test_a_source_that_gives_nothing_is_an_error():
    (empty,) = found({"kind": "difference", "of": [ball(0.8, 0.4, 0.2), ball(0.8, 0.4, 0.21)]})
    assert (empty.level, empty.code) == ("error", "empty-region")
    late = {"start": 0.5, "motion": {"velocity": (5.0, 0.0)}}
    (gone,) = found(**late)
    assert "has no part in the domain at all times: no smoke comes out" in gone.message
    assert "source[0].motion" in gone.edit
    assert found(sides="unbounded", **late) == []
    block = [{"name": "block", "shape": {"kind": "box", "min": (0.5, 0.1), "max": (1.1, 0.7)}}]
    (covered,) = found(solid=block)
    assert (covered.level, covered.code) == ("error", "region-in-solid")


@pytest.mark.parametrize(
    ("keys", "where", "words"),
    [
        ({"density_rate": 0.0}, 'source[0] "pot"', "gives neither smoke nor heat nor fuel"),
        ({"start": 40.0}, 'source[0] "pot".start', "begins at 40 s, and the last frame is at"),
        ({"fuel": 1.0}, 'source[0] "pot".fuel', "begins 50 K above the air (solver.ignition)"),
        ({"fuel": 1.0, "temperature": 330.0}, 'source[0] "pot".fuel', "more than 36.85 K above it"),
    ],
)
def test_a_source_of_which_nothing_comes_is_found(keys, where, words):
    (finding,) = found(**keys)
    assert (finding.level, finding.code, finding.where) == ("warning", "no-effect", where)
    assert words in finding.message
    assert "source[0]." in finding.edit
    assert found(fuel=1.0, temperature=350.0) == []
    assert found(density_rate=0.0, velocity=(0.0, 0.5)) == []


def test_a_source_that_blows_too_fast_for_its_cells_is_found():
    (fast,) = found(velocity=(0.0, 300.0))
    assert (fast.level, fast.code, fast.where) == ("warning", "tiny-steps", 'source[0] "pot".velocity')


def test_heat_that_does_not_rise_without_gravity_is_found():
    source = {"kind": "smoke", "name": "pot", "shape": ball(0.8, 0.4, 0.2), "temperature": 400.0}
    (still,) = findings(smoke_scene((1.6, 1.2), H, "open", (0.0, 0.0), source=[source]))
    assert (still.level, still.where) == ("note", "solver.rise")
    assert "solver.up" in still.edit
    assert (
        findings(smoke_scene((1.6, 1.2), H, "open", (0, 0), source=[source], solver={"rise": 0.03, "up": (1, 0)})) == []
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["smoke", "stable_fluids"])
def test_an_estimate_of_endless_steps_ends(kind, monkeypatch):
    """A frame that needs ten million steps is not waited for."""
    monkeypatch.setattr(f"plash.pipeline.check.estimate_{'smoke' if kind == 'smoke' else 'box'}._LONGEST", 0.2)
    domain: Any = {"size": (1.6, 1.2), "cell_size": H}
    if kind == "smoke":
        pot: Any = {"kind": "smoke", "shape": ball(0.8, 0.4, 0.2), "density_rate": 1.0, "velocity": (0.0, 1e7)}
        scene = plash.Scene(domain=domain, time={"frames": 3}, solver={"kind": kind}, source=[pot])
    else:
        block: Any = {"shape": {"kind": "box", "min": (0, 0), "max": (0.8, 0.8)}}
        pump: Any = {"shape": ball(0.8, 0.4, 0.2), "velocity": (0.0, 1e7)}
        scene = plash.Scene(domain=domain, time={"frames": 3}, solver={"kind": kind}, fill=[block], pump=[pump])
    assert estimate(scene).steps > 1_000_000


def test_wind_that_cannot_blow_is_found():
    assert found(sides="unbounded", solver={"wind": (0.5, 0.0)}) == []
    (closed,) = found(sides="closed", solver={"wind": (0.5, 0.0)})
    assert (closed.level, closed.code, closed.where) == ("warning", "no-effect", "solver.wind")
    assert "[0.5, 0] m/s" in closed.message
    assert "domain.sides.x_min, domain.sides.x_max" in closed.edit
    half = {"x_min": "open", "x_max": "closed", "y_min": "closed", "y_max": "open"}
    (wall,) = found(sides=half, solver={"wind": (0.5, 0.0)})
    assert wall.code == "wind-at-wall"
    assert "against x_max, which lets no air" in wall.message
