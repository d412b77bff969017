import numpy as np
import pytest

from plash.render.mitsuba.environment import sky_environment, studio_environment
from plash.render.tone import toned

UP = np.array([0.0, 1.0, 0.0])


def levels(curve, exposure=0.0):
    light = np.linspace(0, 4, 200).reshape(1, -1, 1).repeat(3, axis=2)
    return toned(light, exposure, curve)[0, :, 0].astype(int)


@pytest.mark.parametrize("curve", ["filmic", "plain"])
def test_more_light_is_never_darker_and_none_is_black(curve):
    assert (np.diff(levels(curve)) >= 0).all()
    assert levels(curve)[0] == 0
    assert levels(curve)[-1] > 240


def test_a_stop_is_twice_the_light():
    light = np.full((1, 1, 3), 0.1)
    assert np.array_equal(toned(2 * light, 0.0, "filmic"), toned(light, 1.0, "filmic"))


def test_film_keeps_middle_grey_and_detail_in_highlights():
    grey = np.full((1, 1, 3), 0.18)
    assert abs(int(toned(grey, 0, "filmic")[0, 0, 0]) - int(toned(grey, 0, "plain")[0, 0, 0])) <= 12
    bright = np.array([[[1.2] * 3, [2.0] * 3]])
    filmic, plain = toned(bright, 0, "filmic")[0, :, 0], toned(bright, 0, "plain")[0, :, 0]
    assert plain[0] == plain[1] == 255
    assert filmic[0] < filmic[1] <= 255


def falling(light):
    """Light on a level white floor, from the picture of all directions."""
    rows, columns, _ = light.shape
    angle = np.pi * (np.arange(rows) + 0.5) / rows
    weight = np.maximum(np.cos(angle), 0) * np.sin(angle) * (np.pi / rows) * (2 * np.pi / columns) / np.pi
    return (weight[:, None, None] * light).sum(axis=(0, 1))


def test_every_light_gives_the_floor_the_same_brightness():
    lamp = np.array([-0.6, 0.7, 0.4]) / np.linalg.norm([-0.6, 0.7, 0.4])
    fill = np.array([0.8, 0.6, 0.0])
    studio = studio_environment(lamp, fill, np.full(3, 0.3))
    sky = sky_environment(lamp, np.full(3, 0.5))
    assert falling(studio).mean() == pytest.approx(1.25, rel=0.02)
    assert falling(sky).mean() == pytest.approx(1.25, rel=0.05)


@pytest.mark.slow
def test_the_backdrop_is_as_bright_as_the_rim_of_the_floor():
    lamp, rim = np.array([0.0, 0.6, -0.8]), np.array([0.2, 0.3, 0.4])
    for light in (studio_environment(lamp, np.array([0.8, 0.6, 0.0]), rim), sky_environment(lamp, rim)):
        below = light[len(light) * 70 // 128 :].reshape(-1, 3)
        assert below == pytest.approx(np.broadcast_to(rim * falling(light), below.shape), rel=1e-3)


def test_the_studio_is_brightest_at_its_lamp_and_the_sky_at_its_sun():
    lamp = np.array([0.0, 0.6, -0.8])
    for light in (studio_environment(lamp, np.array([0.8, 0.6, 0.0]), np.ones(3)), sky_environment(lamp, np.ones(3))):
        row, column = np.unravel_index(light.sum(axis=2).argmax(), light.shape[:2])
        up, along = np.pi * (row + 0.5) / len(light), 2 * np.pi * (column + 0.5) / light.shape[1]
        found = [np.sin(up) * np.sin(along), np.cos(up), -np.sin(up) * np.cos(along)]
        assert np.dot(found, lamp) > 0.85
