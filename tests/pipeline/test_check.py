import math

import pytest

import plash
from plash.pipeline.findings import liquid_volume

BOX = {"kind": "box", "min": [0, 0, 0], "max": [0.5, 0.6, 1.0]}


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


def test_gallery_scenes_have_no_findings_that_spoil_them():
    for name in plash.gallery():
        levels = {level for level, _, _ in found(plash.load_scene(name))}
        assert levels <= {"note"}, name


@pytest.mark.parametrize(
    ("trouble", "level", "code", "where", "number", "edit"),
    [
        (scene(solid=[ball(0.3, (0.5, 0.3, 0.5))]), "warning", "fill-in-solid", "fill[0]", "18%", "difference"),
        (scene(solid=[ball(2.0, (0.25, 0.3, 0.5))]), "error", "fill-in-solid", "fill[0]", "all of it", "out of"),
        (scene(solid=[ball(0.02)]), "warning", "thin-solid", 'solid[0] "ball"', "0.80 cells", "resolution = 100"),
        (scene(solid=[ball(0.04)]), "warning", "small-feature", 'solid[0] "ball"', "1.60 cells", "resolution = 50"),
        (scene([{"shape": BOX | {"max": [0.5, 0.06, 1]}}]), "warning", "small-feature", "fill[0]", "1.20 cells", "67"),
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
        (scene(liquid={"dynamic_viscosity": 900}), "warning", "tiny-steps", "liquid viscosity", "90 for", "resolution"),
        (scene(solver={"max_dt": "100 us"}), "warning", "tiny-steps", "solver.max_dt", "417", "raise"),
        (scene(domain={"size": (2, 1.03, 1)}), "note", "domain-rounded", "domain.size[1]", "20.60 cells", "0.05 m"),
    ],
    ids=lambda value: value if isinstance(value, str) and "-" in value else "",
)
def test_trouble_is_found_with_its_number_and_the_edit(trouble, level, code, where, number, edit):
    finding = found(trouble)[level, code, where]
    assert number in finding.message
    assert edit in finding.edit


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
    solver = plash.build(plash.load_scene("dam_break", resolution=32))
    assert estimate.cells == 32 * 16 * 16
    assert estimate.particles == pytest.approx(solver.state.particles.count, rel=0.06)


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


def test_what_does_not_fit_is_said(monkeypatch):
    monkeypatch.setattr("plash.pipeline.check.free_memory", lambda: 1e8)
    monkeypatch.setattr("plash.pipeline.check.free_disk", lambda folder: 1e6)
    codes = {finding.code for finding in plash.check(scene(), with_steps=False).findings}
    assert {"memory", "disk"} <= codes
