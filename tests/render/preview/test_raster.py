import numpy as np
import pytest

from plash.render.camera import looking
from plash.render.preview.balls import draw_balls
from plash.render.preview.raster import Layer, draw_triangles

VIEW = looking((0, 0, 4), (0, 0, 0), 40, (300, 200))
SHEET = np.array([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], np.float32)
SQUARE = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def liquid_layer(view=VIEW, behind=np.inf):
    return Layer.empty(view, np.full((view.height, view.width), behind, np.float32))


def ball_silhouette_area(view, radius, distance):
    """In samples, of a ball in the middle of the picture."""
    return np.pi * (view.focal * radius) ** 2 / (distance**2 - radius**2)


def test_the_silhouette_of_a_ball_has_the_right_area(ball):
    mesh = ball((0, 0, 0), 0.8)
    layer = Layer.empty(VIEW)
    draw_triangles(layer, VIEW, mesh.vertices, mesh.faces)
    assert (layer.index >= 0).sum() == pytest.approx(ball_silhouette_area(VIEW, 0.8, 4), rel=3e-3)
    assert layer.depth.min() == pytest.approx(3.2, rel=1e-3)


def test_exact_balls_agree_with_their_meshes(ball):
    by_mesh, exact = liquid_layer(), liquid_layer()
    for center, radius in (((0.5, 0.2, 0.1), 0.5), ((-0.9, -0.4, 1.0), 0.3)):
        mesh = ball(center, radius)
        draw_triangles(by_mesh, VIEW, mesh.vertices, mesh.faces)
        draw_balls(exact, VIEW, np.array([center]), np.array([radius]))
    both = (by_mesh.index >= 0) & (exact.index >= 0)
    assert (by_mesh.index >= 0).sum() == pytest.approx((exact.index >= 0).sum(), rel=5e-3)
    assert by_mesh.thickness.sum() == pytest.approx(exact.thickness.sum(), rel=5e-3)
    assert np.median(np.abs(by_mesh.depth[both] - exact.depth[both])) < 1e-3


def test_the_nearer_triangle_is_seen_whatever_the_order():
    for order in ([0, 1], [1, 0]):
        layer = Layer.empty(VIEW)
        vertices = np.concatenate([SHEET + np.array([0, 0, z]) for z in (0.5, -0.5)]).astype(np.float32)
        draw_triangles(layer, VIEW, vertices, np.concatenate([SQUARE + 4 * k for k in order]).astype(np.int32))
        assert layer.depth == pytest.approx(3.5)


def test_every_sample_of_a_sheet_belongs_to_exactly_one_triangle():
    rng = np.random.default_rng(3)
    n = 40
    x, y = np.meshgrid(np.linspace(-4, 4, n), np.linspace(-4, 4, n))
    shift = rng.uniform(-0.05, 0.05, (2, n, n))
    vertices = np.stack([x + shift[0], y + shift[1], np.zeros_like(x)], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a, a + n + 1, a + n], 1)])
    layer = liquid_layer()
    draw_triangles(layer, VIEW, vertices, faces.astype(np.int32))
    assert (layer.index >= 0).all()
    assert layer.thickness == pytest.approx(-4.0, rel=1e-5)


def slab(thick):
    vertices = np.concatenate([SHEET, SHEET - [0, 0, thick]]).astype(np.float32)
    return vertices, np.concatenate([SQUARE, SQUARE[:, ::-1] + 4]).astype(np.int32)


def test_thickness_of_a_slab_is_exact():
    layer = liquid_layer()
    draw_triangles(layer, VIEW, *slab(0.7))
    assert layer.depth == pytest.approx(4, rel=1e-6)
    assert layer.thickness == pytest.approx(0.7, rel=1e-5)


def test_thickness_ends_at_what_is_opaque():
    layer = liquid_layer(behind=4.3)
    draw_triangles(layer, VIEW, *slab(0.7))
    assert layer.thickness == pytest.approx(0.3, rel=1e-5)
    hidden = liquid_layer(behind=3.9)
    draw_triangles(hidden, VIEW, *slab(0.7))
    assert (hidden.index == -1).all()
    assert (hidden.thickness == 0).all()


def test_the_back_is_the_front_of_what_is_turned_inside_out():
    vertices, faces = slab(0.7)
    layer, back = liquid_layer(VIEW, 9.0), Layer.empty(VIEW)
    draw_triangles(layer, VIEW, vertices, faces, back)
    alone, turned = liquid_layer(VIEW, 9.0), liquid_layer(VIEW, 9.0)
    draw_triangles(alone, VIEW, vertices, faces)
    draw_triangles(turned, VIEW, vertices, np.ascontiguousarray(faces[:, ::-1]))
    assert np.array_equal(layer.depth, alone.depth)
    assert np.array_equal(layer.thickness, alone.thickness)
    assert np.array_equal(back.index, turned.index)
    assert np.isfinite(back.depth).any()
    assert np.allclose(back.depth, turned.depth, rtol=1e-6)


def test_inside_a_slab_thickness_begins_at_the_camera():
    view = looking((0, 0, -0.2), (0, 0, -1), 40, (60, 40))
    layer = liquid_layer(view)
    draw_triangles(layer, view, *slab(0.7))
    assert (layer.index == -1).all()
    assert layer.thickness == pytest.approx(0.5, rel=1e-5)


def test_triangles_that_reach_behind_the_camera_are_cut():
    floor = SHEET[:, [0, 2, 1]] * [1, 1, -1] - [0, 1, 0]
    layer = Layer.empty(VIEW)
    draw_triangles(layer, VIEW, floor.astype(np.float32), SQUARE)
    rows = np.flatnonzero((layer.index >= 0).any(axis=1))
    # At the bottom row the floor is 1 m below a ray that falls by half the angle of view
    assert rows.max() == VIEW.height - 1
    assert layer.depth[-1] == pytest.approx(VIEW.focal / (VIEW.height / 2 - 0.5), rel=1e-4)
    assert layer.depth[rows.min()].max() < 13.1


def test_what_is_behind_the_camera_is_not_seen(ball):
    layer = Layer.empty(VIEW)
    mesh = ball((0, 0, 9), 1.0)
    draw_triangles(layer, VIEW, mesh.vertices, mesh.faces)
    draw_balls(layer, VIEW, np.array([[0, 0, 9.0], [0, 0, 4.1]]), np.array([1.0, 0.5]))
    assert (layer.index == -1).all()


def test_threads_do_not_change_a_bit(ball, threads):
    layers = []
    for count in (1, 2):
        threads(count)
        layer = liquid_layer()
        for center in ((0, 0, 0), (0.3, 0.1, 0.4)):
            mesh = ball(center, 0.5)
            draw_triangles(layer, VIEW, mesh.vertices, mesh.faces)
            draw_balls(layer, VIEW, np.array([center]) + 0.2, np.array([0.4]))
        layers.append(layer)
    for name in ("depth", "index", "thickness"):
        assert np.array_equal(getattr(layers[0], name), getattr(layers[1], name)), name
