"""The list of kernels is that of the source, and scenes find theirs in it."""

import importlib
import json
import subprocess
import sys

import plash
from plash.grid.kernel_calls import calls_so_far
from plash.pipeline.warm.kernel_list import all_kernels, as_list, call_data, call_from, kernels_for, traits


def small(**keys):
    return plash.load_scene("dam_break_2d", resolution=16, frames=2, **keys)


def test_every_kernel_of_the_list_is_in_the_source():
    """If this fails: python -m plash.pipeline.warm.kernel_list writes the list again."""
    for call in all_kernels():
        assert hasattr(importlib.import_module(call.kernel.module), call.kernel.name)


def test_kernels_of_a_scene_have_its_dimension():
    """A list that was merged line by line names wrong ones; if this fails: see above."""
    for name in plash.gallery():
        scene = plash.load_scene(name)
        tiles = (1, 16, 16) if scene.dimension == 2 else (8, 8, 8)
        shapes = {call.kernel.numbers[0] for call in kernels_for(scene, is_drawn=True) if call.kernel.numbers}
        assert {shape for shape in shapes if isinstance(shape, tuple)} <= {tiles}


def test_the_list_has_all_that_a_dam_break_uses():
    """If this fails: python -m plash.pipeline.warm.kernel_list writes the list again."""
    program = [sys.executable, "-m", "plash.pipeline.warm.kernel_list", "dam_break_2d"]
    scenes = json.loads(subprocess.run(program, check=True, capture_output=True).stdout)
    assert [scene["traits"] for scene in scenes] == [["2-D", "liquid"], ["2-D", "drawn", "liquid"]]
    for scene, is_drawn in zip(scenes, (False, True), strict=True):
        used = [call_from(entry) for entry in scene["kernels"]]
        assert len(used) > 60
        assert set(map(str, used)) <= {str(call) for call in kernels_for(small(), is_drawn)}


def test_a_call_becomes_data_and_comes_back():
    for _ in plash.simulate(small()):
        pass
    calls = list(calls_so_far())
    assert any(isinstance(argument, list) for call in calls for argument in call.arguments)
    assert [call_from(json.loads(json.dumps(call_data(call)))) for call in calls] == calls
    # Kernels that are compiled are not compiled again, and so no new kind of call appears
    for call in calls:
        call.compile()
    assert list(calls_so_far()) == calls


def test_a_scene_needs_what_scenes_need_that_have_nothing_it_lacks():
    plain = kernels_for(small(), is_drawn=False)
    drawn = kernels_for(small(), is_drawn=True)
    assert set(map(str, plain)) < set(map(str, drawn))
    flip = small(transfer="flip")
    assert traits(flip, is_drawn=False) == {"2-D", "liquid", "transfer=flip"}
    assert set(map(str, plain)) <= set(map(str, kernels_for(flip, is_drawn=False)))
    space = plash.load_scene("dam_break")
    assert not any("1, 16, 16" in str(call.kernel.numbers) for call in kernels_for(space, is_drawn=True))


def test_kernels_that_scenes_share_are_listed_once():
    first, second = ["plash.grid.tiles", "a", None, ["int64"]], ["plash.grid.tiles", "b", None, ["int64"]]
    listed = as_list([{"traits": ["2-D"], "kernels": [first]}, {"traits": ["3-D"], "kernels": [second, first]}])
    assert listed["kernels"] == [first, second]
    assert [scene["kernels"] for scene in listed["scenes"]] == [[0], [0, 1]]
