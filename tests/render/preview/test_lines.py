import numpy as np
import pytest

from plash.render.camera import looking
from plash.render.preview.lines import line_cover

VIEW = looking((0, 0, 4), (0, 0, 0), 40, (300, 200))
ACROSS = np.array([[[-9.0, 0, 0], [9, 0, 0]]])


def test_a_line_is_as_wide_as_asked():
    for width in (1.0, 2.6, 5.0):
        cover = line_cover(VIEW, ACROSS, width)
        assert cover.sum(axis=0) == pytest.approx(width, rel=1e-4)


def test_a_sloping_line_is_as_wide_as_asked():
    cover = line_cover(VIEW, np.array([[[-9.0, -6, 0], [9, 6, 0]]]), 3.0)
    assert cover.sum() == pytest.approx(3 * np.hypot(300, 200), rel=0.02)


def test_a_line_is_hidden_by_what_is_in_front():
    depth = np.full((200, 300), 5, np.float32)
    depth[:, 150:] = 3
    cover = line_cover(VIEW, ACROSS, 2.0, depth)
    assert (cover[:, :150].max(axis=0) > 0).all()
    assert (cover[:, 150:] == 0).all()
    assert (line_cover(VIEW, ACROSS, 2.0, depth, slack=1.5).max(axis=0) > 0).all()


def test_a_line_past_the_camera_is_cut():
    cover = line_cover(VIEW, np.array([[[0.0, -1, -50], [0, -1, 50]]]), 2.0)
    assert (cover[-50:].max(axis=1) > 0).all()
    assert np.isfinite(cover).all()
    assert (line_cover(VIEW, np.array([[[0.0, 0, 9], [1, 0, 9]]]), 2.0) == 0).all()
