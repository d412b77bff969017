import numpy as np
import pytest

from plash.render.camera import looking
from plash.render.preview.raster import Layer, draw_triangles
from plash.render.preview.surfaces import DrawnTriangles, Seen, see_triangles, shine

VIEW = looking((0, 0, 4), (0, 0, 0), 40, (300, 200))


def seen_of(mesh, normals, colors=None, view=VIEW):
    layer, seen = Layer.empty(view), Seen.nothing(view, np.ones(3))
    draw_triangles(layer, view, mesh.vertices, mesh.faces)
    colors = np.ones_like(mesh.vertices) if colors is None else colors
    see_triangles(seen, view, layer, DrawnTriangles(mesh.vertices, mesh.faces, normals, colors))
    return layer, seen


def lit(seen, to_lamp=(0.0, 0.6, 0.8)):
    light = np.ones_like(seen.color)
    return shine(seen, light, light, np.array(to_lamp))


def test_a_flat_triangle_has_one_colour(ball):
    mesh = ball((0, 0, 0), 0.8)
    layer, seen = seen_of(mesh, None)
    light = lit(seen)[:, :, 0]
    for face in np.unique(layer.index[layer.index >= 0])[::50]:
        assert np.ptp(light[layer.index == face]) < 1e-6


def test_smooth_normals_are_those_of_the_ball(ball):
    mesh = ball((0, 0, 0), 0.8)
    layer, seen = seen_of(mesh, mesh.normals)
    hit = layer.index >= 0
    rows, columns = np.nonzero(hit)
    ray = np.stack([(columns - 149.5) / VIEW.focal, (99.5 - rows) / VIEW.focal, -np.ones(len(rows))], axis=1)
    point = VIEW.position + layer.depth[hit][:, None] * ray
    assert np.abs(seen.normal[hit] - point / 0.8).max() < 0.02
    assert np.linalg.norm(seen.normal[hit], axis=1) == pytest.approx(1, abs=1e-5)


def test_colours_are_interpolated_without_distortion(ball):
    mesh = ball((0.3, 0.2, 0), 0.8)
    layer, seen = seen_of(mesh, mesh.normals, colors=mesh.vertices)
    hit = layer.index >= 0
    columns = np.nonzero(hit)[1]
    x = (columns + 0.5 - 150) / VIEW.focal * layer.depth[hit]
    assert np.abs(seen.color[hit][:, 0] - x).max() < 2e-3


def test_a_symmetric_thing_in_symmetric_light_is_symmetric(ball):
    mesh = ball((0, 0, 0), 0.8)
    _, seen = seen_of(mesh, mesh.normals)
    light = lit(seen)
    assert np.abs(light - light[:, ::-1]).max() < 0.02 * light.max()


def test_the_side_towards_the_lamp_is_brighter(ball):
    mesh = ball((0, 0, 0), 0.8)
    _, seen = seen_of(mesh, mesh.normals)
    light = lit(seen)[:, 150, 0]
    assert light[60] > 1.5 * light[140]
