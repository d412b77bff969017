"""What `plash check` says about sources, sinks and pumps."""

import pytest

from plash.pipeline.check.findings import findings, liquid_volume
from plash.scene import Scene, Spout

DISC = {"kind": "disc", "center": (0.5, 0.5), "normal": (0, 1), "radius": 0.1}


def scene(**parts) -> Scene:
    source = Spout(**{"name": "jet", "shape": DISC, "speed": 1.0, **parts.pop("spout", {})})
    return Scene(domain={"size": (1.2, 1), "resolution": 24}, source=[source], **parts)


def codes(made: Scene) -> list[tuple[str, str]]:
    return [(finding.level, finding.code) for finding in findings(made)]


def test_a_sound_scene_has_no_findings():
    box = {"kind": "box", "min": (0, 0), "max": (0.3, 0.2)}
    assert codes(scene(sink=[{"shape": box}], pump=[{"shape": box, "velocity": (1, 0)}])) == []


@pytest.mark.parametrize(("reach", "level"), [(0.5, "warning"), (0.7, "error")])
def test_a_spout_in_a_solid_is_found(reach, level):
    solid = {"name": "block", "shape": {"kind": "box", "min": (0.3, 0.3), "max": (reach, 0.8)}}
    found = findings(scene(solid=[solid]))
    assert [(finding.level, finding.code) for finding in found] == [(level, "source-in-solid")]
    assert 'source[0] "jet"' in found[0].where


def test_a_nozzle_that_ends_at_its_opening_is_no_obstacle():
    solid = {"name": "nozzle", "shape": {"kind": "box", "min": (0.3, 0.2), "max": (0.7, 0.5)}}
    assert codes(scene(solid=[solid])) == []


def test_what_is_too_small_or_too_fast_for_the_grid_is_found():
    thin = {"shape": {"kind": "box", "min": (0.3, 0.101), "max": (0.7, 0.109)}}
    assert codes(scene(sink=[thin])) == [("error", "empty-region")]
    assert codes(scene(spout={"shape": {**DISC, "radius": 0.05}})) == [("warning", "small-feature")]
    assert codes(scene(spout={"speed": 180.0})) == [("warning", "tiny-steps")]
    solid = {"name": "block", "shape": {"kind": "box", "min": (0, 0), "max": (1.2, 0.3)}}
    sink = {"shape": {"kind": "box", "min": (0.2, 0.1), "max": (0.6, 0.2)}}
    assert codes(scene(solid=[solid], sink=[sink])) == [("error", "region-in-solid")]


def test_a_strand_that_gets_too_thin_is_found():
    disc = {"kind": "disc", "center": (0.6, 0.9), "normal": (0, -1), "radius": 0.15}

    def strand(viscosity):
        liquid = {"density": 1000, "dynamic_viscosity": viscosity}
        found = findings(scene(liquid=liquid, spout={"shape": disc, "speed": 0.2}))
        return [finding for finding in found if finding.code == "thin-strand"]

    (finding,) = strand(10.0)
    assert "0.0143 m thin" in finding.message  # 0.3 m times 0.2 m/s over the 4.21 m/s of a free fall
    assert strand(1e5) == []  # hangs together
    assert strand(1e-3) == []  # water breaks into drops anyway


def test_the_volume_to_expect_counts_what_comes_in():
    assert liquid_volume(scene(time={"fps": 10, "frames": 20})) == pytest.approx(0.4, rel=0.01)
    assert liquid_volume(scene(time={"fps": 10, "frames": 2000})) == pytest.approx(1.2)
