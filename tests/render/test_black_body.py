import numpy as np
import pytest

from plash.render.smoke.black_body import glow_colors


def test_the_hotter_the_whiter():
    glow = glow_colors([1000, 1500, 2000, 3000, 6500])
    colors = glow / glow.max(axis=1, keepdims=True)
    assert np.all(np.diff(colors[:, 1]) > 0)
    assert np.all(np.diff(colors[1:, 2]) > 0)
    # Light of 6500 K is the white of screens, within the tint of daylight
    assert colors[-1] == pytest.approx(np.ones(3), abs=0.08)


def test_brightness_grows_with_the_fourth_power():
    bright = glow_colors([1200.0, 2400.0]).max(axis=1)
    assert bright[1] / bright[0] == pytest.approx(16)


def test_what_is_cold_does_not_glow():
    assert not glow_colors([0.0, 293.0, 690.0]).any()
