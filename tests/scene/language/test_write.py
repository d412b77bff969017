import os
import tomllib
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plash.errors import SceneError
from plash.scene import (
    Box,
    Capsule,
    Cylinder,
    Difference,
    Domain,
    Fill,
    HalfSpace,
    HeightShape,
    Liquid,
    Scene,
    Solid,
    Solver,
    Sphere,
    Time,
    Union,
    gallery,
    load_scene,
    parse_scene,
    scene_text,
    write_scene,
)
from plash.scene.domain import SideKind

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=100)
SIDE_KINDS = st.sampled_from(get_args(SideKind))
numbers = st.floats(-1e6, 1e6)
positive = st.floats(1e-6, 1e6)


def vectors(dimension, entries=numbers):
    return st.tuples(*[entries] * dimension)


def directions(dimension):
    return vectors(dimension).filter(any)


def moves(dimension):
    axis = directions(3) if dimension == 3 else st.none()
    rotation = st.fixed_dictionaries({"angle": numbers, "about": vectors(dimension), "axis": axis})
    return {"rotation": st.none() | rotation, "translation": st.none() | vectors(dimension)}


def shapes(dimension):
    points, moved = vectors(dimension), moves(dimension)

    def box(low, size, **move):
        return Box(min=low, max=tuple(a + b for a, b in zip(low, size, strict=True)), **move)

    def rod(kind, base, offset, radius, **move):
        return kind(base=base, top=tuple(a + b for a, b in zip(base, offset, strict=True)), radius=radius, **move)

    primitives = (
        st.builds(box, points, vectors(dimension, st.floats(1e-3, 1e6)), **moved)
        | st.builds(Sphere, center=points, radius=positive, **moved)
        | st.builds(
            rod,
            st.sampled_from([Cylinder, Capsule]),
            points,
            vectors(dimension, st.floats(1, 9)),
            positive,
            **moved,
        )
        | st.builds(HalfSpace, point=points, normal=directions(dimension), **moved)
    )
    return st.recursive(
        primitives,
        lambda inner: st.builds(
            lambda kind, of, move: kind(of=of, **move),
            st.sampled_from([Union, Difference]),
            st.lists(inner, min_size=1, max_size=3),
            st.fixed_dictionaries(moved),
        ),
        max_leaves=4,
    )


@st.composite
def scenes(draw):
    dimension = draw(st.sampled_from([2, 3]))
    size = draw(vectors(dimension, st.floats(0.5, 2)))
    cells = draw(st.sampled_from([{}, {"resolution": 17}, {"cell_size": 0.0123}]))
    gravity = draw(st.just({}) | st.fixed_dictionaries({"gravity": vectors(dimension)}))
    names = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"][: 2 * dimension]
    sides = draw(SIDE_KINDS | st.dictionaries(st.sampled_from(names), SIDE_KINDS))
    fills = [Fill(shape=Box(min=(0,) * dimension, max=size))]
    if draw(st.booleans()):
        fills.append(Fill(shape=Box(min=(0,) * dimension, max=size), velocity=draw(vectors(dimension))))
    solids = [
        Solid(name=name, shape=draw(shapes(dimension))) for name in draw(st.lists(NAMES, max_size=3, unique=True))
    ]
    return Scene(
        title=draw(st.text(st.characters(codec="utf-8"))),
        domain=Domain(size=size, sides=sides, **cells, **gravity),
        time=Time(fps=draw(st.floats(1e-3, 1e6)), frames=draw(st.integers(1, 10**6))),
        solver=Solver(
            transfer=draw(st.sampled_from(["semi_lagrangian", "pic", "flip", "apic"])),
            flip_ratio=draw(st.floats(0, 1)),
            seed=draw(st.integers(0, 2**63 - 1)),
            max_dt=draw(st.none() | positive),
            steps_cross_frames=draw(st.booleans()),
            particles_per_cell=draw(st.sampled_from([None, 1, 64])),
        ),
        liquid=Liquid(material="honey", density=draw(st.none() | positive)),
        fill=fills,
        solid=solids,
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scenes())
def test_scene_read_back_is_the_same_to_the_last_bit(scene):
    text = scene_text(scene)
    again = parse_scene(text)
    assert again == scene
    assert scene_text(again) == text


@pytest.mark.parametrize("name", gallery())
def test_gallery_scene_read_back_is_the_same(name, tmp_path):
    scene = load_scene(name)
    write_scene(scene, tmp_path / "again.toml")
    assert load_scene(tmp_path / "again.toml") == scene


def test_defaults_are_left_out_but_domain_and_time_are_told():
    scene = Scene(domain=Domain(size=(1, 1)), fill=[Fill(shape=Box(min=(0, 0), max=(1, 1)))])
    data = tomllib.loads(scene_text(scene))
    assert data == {
        "version": 1,
        "domain": {"size": [1.0, 1.0], "resolution": 64},
        "time": {"fps": 24.0, "frames": 120},
        "fill": [{"shape": {"kind": "box", "min": [0.0, 0.0], "max": [1.0, 1.0]}}],
    }


def test_explicit_default_is_the_same_scene_and_the_same_text():
    box = Box(min=(0, 0), max=(1, 1))
    silent = Scene(domain=Domain(size=(1, 1)), fill=[{"shape": box}])
    explicit = Scene(
        domain=Domain(size=(1, 1), resolution=64, gravity=(0, -9.81), sides="closed"),
        solver=Solver(transfer="apic", jitter=0.25),
        liquid=Liquid(material="water"),
        fill=[{"shape": box, "velocity": (0, 0)}],
    )
    assert explicit == silent
    assert scene_text(explicit) == scene_text(silent)


def test_function_shapes_are_refused_each_by_its_place(tmp_path):
    height = HeightShape(height=lambda x: x)
    scene = Scene(
        domain=Domain(size=(1, 1)),
        fill=[Fill(shape=lambda points: points[:, 0])],
        solid=[Solid(shape=Union(of=[Sphere(center=(0, 0), radius=1), height]))],
    )
    with pytest.raises(SceneError, match="Python function") as error:
        write_scene(scene, tmp_path / "scene.toml")
    assert [problem.key for problem in error.value.problems] == [
        "fill[0].shape.function",
        "solid[0].shape.of[1].height",
    ]
    assert os.listdir(tmp_path) == []


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "scene.toml"
    path.write_text("old")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_scene(load_scene("dam_break"), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["scene.toml"]


def test_written_file_replaces_the_old_one_and_can_be_read_by_all(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text("old")
    write_scene(load_scene("dam_break"), path)
    assert os.listdir(tmp_path) == ["scene.toml"]
    (tmp_path / "plain").write_text("")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
