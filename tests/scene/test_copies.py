"""Copies of scenes with other values: checked, and never silently the old scene."""

import pytest

import plash
from plash.errors import SceneError
from plash.scene import Box, Domain, Fill, Scene, Sphere


def scene_of(**tables):
    return Scene(
        domain=Domain(size=(1, 1), resolution=32), fill=[Fill(shape=Box(min=(0, 0), max=(0.5, "40 cm")))], **tables
    )


@pytest.mark.parametrize(
    "update",
    [
        {"domain": {"resolution": 16}},
        {"resolution": 16},
        {"domain.resolution": 16},
        {"domain": Domain(size=(1, 1), resolution=16)},
        {"domain": {"size": ("100 cm", 1), "resolution": 16}},
        {"domain": {"cell_size": "62.5 mm"}},
        {"cell_size": 0.0625},
    ],
)
def test_copy_has_the_new_value_however_it_is_named(update):
    scene = scene_of(title="Pool", time={"frames": 9})
    copy = scene.model_copy(update=update)
    assert copy.domain.cells == (16, 16)
    assert (copy.title, copy.time.frames, copy.fill) == ("Pool", 9, scene.fill)
    assert scene.domain.resolution == 32


def test_tables_in_tables_and_entries_of_lists_are_updated_too():
    copy = scene_of().model_copy(update={"domain": {"sides": {"y_max": "open"}}, "fill[0].shape.max": (0.25, 0.25)})
    assert copy.domain.side("y_max") == "open"
    assert copy.domain.resolution == 32
    assert copy.fill[0].shape == Box(min=(0, 0), max=(0.25, 0.25))
    other = scene_of().model_copy(update={"solver": {"kind": "stable_fluids"}})
    assert other.solver.kind == "stable_fluids"


def test_copy_of_a_part_merges_and_is_checked():
    fill = Fill(shape=Box(min=(0, 0), max=(1, 1)), velocity=(1, 0))
    assert fill.model_copy(update={"shape": {"max": (2, 2)}}) == Fill(
        shape=Box(min=(0, 0), max=(2, 2)), velocity=(1, 0)
    )
    ball = fill.model_copy(update={"shape": {"kind": "sphere", "center": (0, 0), "radius": "5 cm"}})
    assert ball.shape == Sphere(center=(0, 0), radius=0.05)
    with pytest.raises(SceneError, match="must be above min"):
        fill.model_copy(update={"shape": {"max": (-1, 2)}})


@pytest.mark.parametrize(
    ("update", "words"),
    [
        ({"resolutoin": 16}, "is not a parameter"),
        ({"domain": {"resolutoin": 16}}, 'Did you mean "resolution"'),
        ({"domain": {"resolution": -1}}, "domain.resolution: -1 is out of range"),
        ({"domain": 3}, "domain: 3 is the wrong type"),
        ({"fill": []}, "the scene holds no liquid"),
        ({"fill": {"shape": 1}}, "it must be a list of tables"),
        ({"fill[3].velocity": (0, 0)}, "has no fill[3]"),
        ({"liquid": {"density": "3 m"}}, "not a density"),
    ],
)
def test_wrong_update_is_refused(update, words):
    with pytest.raises(SceneError) as error:
        scene_of().model_copy(update=update)
    assert words in str(error.value)


def test_functions_and_everything_else_survive_a_copy():
    scene = scene_of()
    shape = plash.FunctionShape(function=lambda points: points[:, 1] - 0.3)
    scene = scene.model_copy(update={"fill": [Fill(shape=shape)]})
    copy = scene.model_copy(update={"frames": 3})
    assert copy.fill[0].shape.function is shape.function
    assert copy.time.frames == 3
    assert scene.model_copy() == scene
    assert scene.model_copy(deep=True).domain == scene.domain


@pytest.mark.parametrize("name", plash.gallery())
def test_every_scene_of_the_gallery_is_the_same_after_a_copy(name):
    scene = plash.load_scene(name)
    assert scene.model_copy(update={"title": scene.title}) == scene
    assert scene.model_copy(update={"time": {"frames": scene.time.frames}}) == scene
