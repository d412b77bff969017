"""What a camera without a place looks at."""

import numpy as np
import pytest

from plash.render.camera import box_corners, camera_view
from plash.render.framing import seen_size
from plash.render.preview.preview import picture_size
from plash.scene import Box, Domain, Fill, Scene, Solid


def make_scene(**keys):
    shallow = Fill(shape=Box(min=(0, 0, 0), max=(3.0, 0.4, 1.5)))
    return Scene(domain=Domain(size=(3, 2.4, 1.5), resolution=30), **{"fill": [shallow], **keys})


def test_a_shallow_pool_in_a_high_box_is_seen_large():
    assert seen_size(make_scene()) == pytest.approx([3, 1.6 * 0.4, 1.5])


def test_it_is_a_thing_of_the_scene_alone():
    assert np.array_equal(seen_size(make_scene(time={"frames": 3})), seen_size(make_scene(time={"frames": 300})))


def test_liquid_that_falls_faster_is_expected_to_splash_higher():
    fast = Fill(shape=Box(min=(0, 0, 0), max=(3.0, 0.4, 1.5)), velocity=(0, -3, 0))
    assert seen_size(make_scene(fill=[fast]))[1] == pytest.approx(1.6 * (0.4 + 9 / (2 * 9.81)))


@pytest.mark.parametrize(
    "keys",
    [
        {"domain": Domain(size=(3, 2.4, 1.5), gravity=(0, 0, 0))},
        {"force": [{"kind": "constant", "acceleration": (1, 0, 0)}]},
    ],
)
def test_where_liquid_may_go_anywhere_the_whole_domain_is_seen(keys):
    block = Fill(shape=Box(min=(0, 0, 0), max=(3.0, 0.4, 1.5)))
    scene = Scene(**{"domain": Domain(size=(3, 2.4, 1.5), resolution=30), "fill": [block], **keys})
    assert seen_size(scene)[1] == pytest.approx(2.4, rel=0.05)


def test_solids_are_in_the_picture_and_nothing_is_higher_than_the_domain():
    tower = Solid(shape=Box(min=(1, 0, 0.5), max=(1.2, 1.1, 0.7)))
    assert seen_size(make_scene(solid=[tower]))[1] == pytest.approx(1.1)
    endless = Solid(shape=Box(min=(1, 0, 0.5), max=(1.2, 50, 0.7)))
    assert seen_size(make_scene(solid=[endless]))[1] == pytest.approx(2.4)


def test_the_camera_is_nearer_than_for_the_box():
    scene = make_scene()
    near = camera_view(None, seen_size(scene), picture_size(scene))
    far = camera_view(None, (3, 2.4, 1.5), picture_size(scene))
    middle = np.array([1.5, 0.3, 0.75])
    assert np.linalg.norm(near.position - middle) < 0.9 * np.linalg.norm(far.position - middle)
    x, y, _ = near.project(box_corners(np.zeros(3), np.array([3, 0.4, 1.5]))).T
    assert min(x.min(), y.min()) >= 0
    assert x.max() <= picture_size(scene)[0]
    assert y.max() <= picture_size(scene)[1]
