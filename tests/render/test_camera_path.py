import math
from typing import Any

import numpy as np
import pytest

from plash.render.camera import box_corners, camera_view
from plash.render.preview.preview import preview_of
from plash.scene import Camera, CameraKey

SIZE = (2.0, 1.0, 1.2)
PIXELS = (160, 90)
KEYS: Any = [
    {"time": 1, "from": (3, 1, 3), "to": (1, 0.3, 0.6)},
    {"time": 2, "from": (0, 1, 4), "to": (1, 0.3, 0.6), "fov": 50},
    {"time": 4, "from": (-2, 2, 2), "to": (0.5, 0.3, 0.6), "fov": 30},
]


def view(camera, time):
    return camera_view(camera, SIZE, PIXELS, time)


def test_a_camera_without_motion_is_the_same_at_all_times():
    camera = Camera.model_validate({"from": (3, 1, 3), "to": (1, 0.3, 0.6)})
    assert not camera.moves
    assert np.array_equal(view(camera, 0).packed, view(camera, 7).packed)


def test_keys_are_passed_at_their_times_and_held_outside():
    camera = Camera(key=KEYS, fov=40)
    assert camera.moves
    for time, place, fov in ((0, (3, 1, 3), 40), (1, (3, 1, 3), 40), (2, (0, 1, 4), 50), (9, (-2, 2, 2), 30)):
        assert view(camera, time).position == pytest.approx(place)
        assert view(camera, time).fov == pytest.approx(fov)


def test_between_keys_the_camera_moves_without_jumps_or_kinks():
    camera = Camera(key=KEYS)
    times = np.arange(0.5, 4.5, 0.01)
    places = np.array([view(camera, time).position for time in times])
    speed = np.diff(places, axis=0) / 0.01
    assert np.abs(speed).max() < 5
    assert np.abs(np.diff(speed, axis=0)).max() < 0.2
    assert np.abs(speed[0]).max() == 0
    assert np.abs(speed[-1]).max() == 0


def test_a_key_may_leave_to_the_camera_what_does_not_change():
    keys = [{"time": 0}, {"time": 1, "from": (0, 1, 3)}]
    camera = Camera.model_validate({"from": (3, 1, 3), "to": (1, 0, 0), "key": keys})
    assert view(camera, 1).position == pytest.approx((0, 1, 3))
    assert isinstance(camera.key[0], CameraKey)


def test_a_turntable_comes_back_and_keeps_its_distance():
    camera = Camera.model_validate({"from": (3, 1, 3), "to": (1, 0.3, 0.6), "turn": "90 deg/s"})
    there, back = view(camera, 0), view(camera, 4)
    assert there.packed == pytest.approx(back.packed)
    quarter = view(camera, 1)
    # Counter-clockwise from above: from (2, 2.4) off the middle in x and z to (2.4, -2)
    assert quarter.position == pytest.approx((1 + 2.4, 1, 0.6 - 2))


def test_a_turntable_without_a_place_sees_the_whole_domain_from_everywhere():
    camera = Camera(turn=1.0)
    corners = box_corners(np.zeros(3), np.array(SIZE))
    for time in np.linspace(0, math.tau, 12):
        x, y, depth = view(camera, time).project(corners).T
        assert depth.min() > 0
        assert x.min() >= 0
        assert x.max() <= PIXELS[0]
        assert y.min() >= 0
        assert y.max() <= PIXELS[1]


def test_the_built_in_renderer_follows_the_camera_too(make_scene, block_of_liquid):
    moving = preview_of(make_scene(camera=Camera(turn="90 deg/s")))
    first, later, again = (moving.picture(block_of_liquid(3, time)) for time in (0.0, 1.0, 0.0))
    assert np.array_equal(first, again)
    assert np.abs(first.astype(int) - later).mean() > 3
