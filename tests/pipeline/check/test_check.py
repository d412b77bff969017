import math
import re
from typing import Any

import pytest

import plash
from plash.pipeline.check.findings import liquid_volume
from plash.pipeline.progress import Silent
from plash.solvers.build.liquid import build_liquid

BOX = {"kind": "box", "min": [0, 0, 0], "max": [0.5, 0.6, 1.0]}
EXPLICIT = {"viscosity": "explicit"}
JELLY_SLAB = {"shape": BOX | {"max": [0.5, 0.3, 1]}, "shear_modulus": 5e3}


def scene(fill=None, solid=(), **rest):
    return plash.Scene(
        domain={"size": (2, 1, 1), "resolution": 40} | rest.pop("domain", {}),
        fill=fill or [{"shape": BOX}],
        solid=solid,
        **rest,
    )


def ball(radius, center=(1.3, 0.5, 0.5), name="ball"):
    return {"name": name, "shape": {"kind": "sphere", "center": center, "radius": radius}}


def found(scene):
    return {(f.level, f.code, f.where): f for f in plash.check(scene, with_steps=False).findings}


@pytest.mark.slow
def test_gallery_scenes_have_no_findings_that_spoil_them():
    # The round corner of a tumbler takes 1 % of its fill, the wall of a wine glass is as thin as such glass is, and
    # waves in toothpaste are fast
    known = {"whisky_ice": {"fill-in-solid"}, "wine_glass": {"small-feature"}, "toothpaste": {"tiny-steps"}}
    for name in plash.gallery():
        codes = {code for level, code, _ in found(plash.load_scene(name)) if level != "note"}
        assert codes == known.get(name, set()), name


@pytest.mark.parametrize(
    ("trouble", "level", "code", "where", "number", "edit"),
    [
        (scene(solid=[ball(0.3, (0.5, 0.3, 0.5))]), "warning", "fill-in-solid", "fill[0]", "18%", "difference"),
        (scene(solid=[ball(2.0, (0.25, 0.3, 0.5))]), "error", "fill-in-solid", "fill[0]", "all of it", "out of"),
        (scene(solid=[ball(0.02)]), "warning", "thin-solid", 'solid[0] "ball"', "0.80 cells", "resolution = 100"),
        (scene(solid=[ball(0.04)]), "warning", "small-feature", 'solid[0] "ball"', "1.60 cells", "resolution = 50"),
        (scene([{"shape": BOX | {"max": [0.5, 0.06, 1]}}]), "warning", "small-feature", "fill[0]", "1.20 cells", "67"),
        (scene([JELLY_SLAB]), "warning", "coarse-body", "fill[0]", "6.0 cells", "resolution = 54"),
        (scene([{"shape": BOX | {"max": [0.5, 0.1, 1]}}]), "note", "film", "domain.resolution", "0.5", "resolution to"),
        (
            scene(solid=[ball(0.3, (3, 3, 3))]),
            "warning",
            "outside-domain",
            'solid[0] "ball"',
            "(2.7, 2.7, 2.7)",
            "move",
        ),
        (
            scene(solid=[ball(0.3, (0.5, -0.3, 0.5))]),
            "warning",
            "outside-domain",
            'solid[0] "ball"',
            "does not meet the liquid; pictures show it",
            "part of the set",
        ),
        (scene([{"shape": BOX | {"max": [0.5, 1.6, 1]}}]), "note", "outside-domain", "fill[0]", "0.6 m", "size"),
        (scene([{"shape": BOX, "velocity": (300, 0, 0)}]), "warning", "tiny-steps", "fill[0].velocity", "250", "fps"),
        (
            scene(liquid={"dynamic_viscosity": 900}, solver=EXPLICIT),
            "warning",
            "tiny-steps",
            "liquid viscosity",
            "90 for",
            "resolution",
        ),
        (
            scene(liquid={"dynamic_viscosity": 9e4}, solver=EXPLICIT),
            "warning",
            "tiny-steps",
            "liquid viscosity",
            "90",
            "resolution = 2 or less",
        ),
        (
            scene(time={"fps": 0.5}),
            "warning",
            "tiny-steps",
            "domain.gravity",
            "40 for each frame of 2 s",
            "raise time.fps",
        ),
        (
            scene(solid=[ball(0.1) | {"motion": {"velocity": (300, 0, 0)}}]),
            "warning",
            "tiny-steps",
            'solid[0] "ball".motion',
            "125 steps",
            "resolution = 12 or less (now 40)",
        ),
        (scene(solver={"max_dt": "100 us"}), "warning", "tiny-steps", "solver.max_dt", "417", "raise"),
        (scene(domain={"size": (2, 1.03, 1)}), "note", "domain-rounded", "domain.size[1]", "20.60 cells", "0.05 m"),
    ],
    ids=lambda value: value if isinstance(value, str) and "-" in value else "",
)
def test_trouble_is_found_with_its_number_and_the_edit(trouble, level, code, where, number, edit):
    finding = found(trouble)[level, code, where]
    assert number in finding.message
    assert edit in finding.edit


@pytest.mark.parametrize(
    "slow",
    [
        {"liquid": {"dynamic_viscosity": 9e4}, "solver": EXPLICIT},
        {"fill": [{"shape": BOX, "velocity": (300, 0, 0)}]},
        {"domain": {"gravity": (0, -1e5, 0)}},
    ],
    ids=["viscosity", "speed", "gravity"],
)
def test_the_resolution_of_the_edit_cures_tiny_steps(slow):
    (finding,) = (f for f in plash.check(scene(**slow), with_steps=False).findings if f.code == "tiny-steps")
    coarser = int(re.search(r"domain.resolution = (\d+) or less", finding.edit)[1])
    cured = scene(**slow | {"domain": slow.get("domain", {}) | {"resolution": max(coarser, 2)}})
    assert "tiny-steps" not in {f.code for f in plash.check(cured, with_steps=False).findings}


@pytest.mark.parametrize("viscosity", ["auto", "implicit", "coupled"])
def test_viscosity_that_is_solved_for_needs_no_tiny_steps(viscosity):
    thick = scene(liquid={"dynamic_viscosity": 9e4}, solver={"viscosity": viscosity})
    assert "tiny-steps" not in {f.code for f in plash.check(thick, with_steps=False).findings}


def test_a_shortest_step_makes_them_few():
    slow = scene(liquid={"dynamic_viscosity": 9e4}, solver={"min_dt": "2 ms"} | EXPLICIT)
    assert "tiny-steps" not in {f.code for f in plash.check(slow, with_steps=False).findings}


def test_a_run_says_before_it_begins_that_it_needs_many_steps(tmp_path):
    class Listener(Silent):
        said: tuple[str, ...] = ()

        def note(self, text):
            self.said += (text,)

        def begin(self, frames, to_do):
            self.said += ("begin",)

    thick = plash.load_scene(
        "dam_break_2d", resolution=64, frames=1, **{"liquid.kinematic_viscosity": 1.0, "solver.viscosity": "explicit"}
    )
    (finding,) = (f for f in plash.check(thick, with_steps=False).findings if f.code == "tiny-steps")
    first, again = Listener(), Listener()
    plash.run(thick, tmp_path / "run", stages=["simulate"], progress=first)
    assert first.said[0].startswith(f"{finding.where}: {finding.message} [tiny-steps]. To change it, {finding.edit}")
    assert "171 for each frame" in first.said[0]
    assert first.said[1:] == ("begin",)
    plash.run(thick, tmp_path / "run", stages=["simulate"], progress=again)
    assert again.said == ("begin",)


def test_the_edit_cures_the_finding():
    thin = scene(solid=[ball(0.02)])
    assert found(thin)
    assert not found(scene(solid=[ball(0.02)], domain={"resolution": 100}))


def test_a_scene_that_cannot_run_is_refused():
    report = plash.check(scene(solid=[ball(2.0, (0.25, 0.3, 0.5))]))
    assert report.estimate is None
    with pytest.raises(plash.SceneError, match=r"fill\[0\]: all of it lies inside solids"):
        report.raise_errors()


def test_liquid_volume_is_known_to_a_per_cent():
    whole = scene(solid=[ball(0.2, (0.5, 0.3, 0.5))])
    exact = 0.3 - 0.5 * 4 / 3 * math.pi * 0.2**3
    assert liquid_volume(whole) == pytest.approx(exact, rel=0.02)


def test_counts_are_those_of_the_run():
    estimate = plash.check(plash.load_scene("dam_break", resolution=32), with_steps=False).estimate
    solver = build_liquid(plash.load_scene("dam_break", resolution=32))
    assert estimate.cells == 32 * 16 * 16
    assert estimate.particles == pytest.approx(solver.state.particles.count, rel=0.06)


@pytest.mark.slow
def test_predictions_come_close_to_the_run(tmp_path):
    scene = plash.load_scene("dam_break_2d", resolution=96, frames=12)
    estimate = plash.check(scene).estimate
    plash.run(scene, tmp_path / "run")
    used = sum(path.stat().st_size for path in (tmp_path / "run").rglob("*"))
    steps = sum(1 for _ in (tmp_path / "run" / "log.jsonl").read_text().splitlines())
    assert 0.5 < estimate.disk / used < 2
    assert 0.6 < estimate.steps / steps < 1.7
    assert set(estimate.seconds) == {"simulate", "mesh", "render"}
    assert all(seconds > 0 for seconds in estimate.seconds.values())


@pytest.mark.slow
def test_a_container_that_is_filled_is_run_on_trial():
    walls: list[Any] = [
        {"kind": "box", "min": (0.2, 0.1), "max": (0.8, 0.6)},
        {"kind": "box", "min": (0.3, 0.2), "max": (0.7, 1)},
    ]
    shape: Any = {"kind": "difference", "of": walls}
    jar = plash.Scene(
        domain={"size": (1.2, 0.9), "resolution": 48},
        time={"frames": 3},
        fill=[{"inside": "jar", "level": 0.3}],
        solid=[{"name": "jar", "shape": shape}],
    )
    cost = plash.check(jar).estimate
    assert cost.steps >= 2
    assert cost.liquid_cells == pytest.approx(0.4 * 0.3 / jar.domain.h**2, rel=0.05)


def test_what_does_not_fit_is_said(monkeypatch):
    monkeypatch.setattr("plash.pipeline.check.check.free_memory", lambda: 1e8)
    monkeypatch.setattr("plash.pipeline.check.check.free_disk", lambda folder: 1e6)
    codes = {finding.code for finding in plash.check(scene(), with_steps=False).findings}
    assert {"memory", "disk"} <= codes
