import numpy as np
import pytest

from plash.render.camera import box_corners, camera_view, facing_view, framing, looking
from plash.scene.camera import Camera


def test_the_middle_of_the_view_is_the_middle_of_the_picture():
    view = looking((3, 4, 5), (1, 0.5, 0.2), 35, (320, 180))
    assert view.project([[1, 0.5, 0.2]])[0] == pytest.approx([160, 90, np.sqrt(4 + 3.5**2 + 4.8**2)])


def test_the_angle_of_view_reaches_from_top_to_bottom():
    view = looking((0, 0, 2), (0, 0, 0), 60, (320, 180))
    height = 2 * np.tan(np.radians(30))
    x, y, depth = view.project([[0, height, 0], [0, -height, 0]]).T
    assert x == pytest.approx([160, 160])
    assert y == pytest.approx([0, 180])
    assert depth == pytest.approx([2, 2])


def test_axes_are_a_right_handed_frame():
    axes = looking((3, 4, 5), (1, 0.5, 0.2), 35, (320, 180), up=(0.2, 1, 0.1)).axes
    assert axes @ axes.T == pytest.approx(np.eye(3))
    assert np.cross(axes[0], axes[1]) == pytest.approx(-axes[2])


@pytest.mark.parametrize("size", [(2, 1, 1), (0.1, 5, 0.1), (30, 1, 4)])
@pytest.mark.parametrize("picture", [(320, 180), (100, 400)])
def test_the_default_camera_sees_the_whole_domain_and_wastes_little(size, picture):
    x, y, depth = camera_view(None, size, picture).project(box_corners(np.zeros(3), np.array(size))).T
    assert depth.min() > 0
    assert min(x.min(), y.min()) >= 0
    assert x.max() <= picture[0]
    assert y.max() <= picture[1]
    assert max((x.max() - x.min()) / picture[0], (y.max() - y.min()) / picture[1]) > 0.85
    assert x.max() + x.min() == pytest.approx(picture[0], abs=0.02 * picture[0])


def test_a_camera_of_the_scene_is_used_as_it_is():
    camera = Camera.model_validate({"from": (2, 1, 3), "to": (1, 0, 0), "fov": 40})
    view = camera_view(camera, (1, 1, 1), (100, 80))
    assert view.position.tolist() == [2, 1, 3]
    assert view.project([[1, 0, 0]])[0, :2] == pytest.approx([50, 40])


def test_a_view_from_straight_above_has_axes():
    view = framing(box_corners(np.zeros(3), np.ones(3)), np.array([0.0, 1, 0]), 20, (64, 64), 0.0)
    assert np.isfinite(view.axes).all()


def test_a_facing_view_keeps_shapes():
    view = facing_view(np.zeros(2), np.array([2.0, 1.0]), (200, 100))
    assert view.project([(0, 0, 0), (2, 1, 0), (0.5, 0.5, 0)])[:, :2] == pytest.approx(
        np.array([[0, 100], [200, 0], [50, 50]])
    )
