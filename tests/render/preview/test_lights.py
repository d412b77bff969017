import numpy as np
import pytest

from plash.render.camera import looking
from plash.render.preview.lights import MAP_SIZE, dim, shadow_map
from plash.render.preview.raster import Layer, draw_triangles

LAMP = looking((0, 8, 0), (0, 0, 0), 30, (MAP_SIZE, MAP_SIZE), up=(0, 0, -1))
VIEW = looking((0, 3, 0), (0, 0, 0), 40, (200, 200), up=(0, 0, -1))
FLOOR = np.full((200, 200), 3, np.float32)
SHEET = np.array([[-9, 0, -9], [9, 0, -9], [9, 0, 9], [-9, 0, 9]], np.float32)
UPWARDS = np.array([[0, 2, 1], [0, 3, 2]], np.int32)


def light_on_floor(triangles, absorb, grain, softness=0.1):
    vertices, faces = triangles
    behind = np.full((MAP_SIZE, MAP_SIZE), np.inf, np.float32)
    layer = Layer.empty(LAMP, behind)
    draw_triangles(layer, LAMP, vertices, faces)
    light = np.ones((200, 200, 3), np.float32)
    dim(light, VIEW, FLOOR, shadow_map(LAMP, layer, softness, np.array(absorb), grain))
    return light


def slab(height, thick):
    vertices = np.concatenate([SHEET + np.array([0, y, 0]) for y in (height, height - thick)]).astype(np.float32)
    return vertices, np.concatenate([UPWARDS, UPWARDS[:, ::-1] + 4]).astype(np.int32)


def test_light_fades_through_liquid_as_its_depth_says():
    light = light_on_floor(slab(0.9, 0.5), (3.0, 1.0, 0.2), 0.0)
    assert light[100, 100] == pytest.approx(np.exp([-1.5, -0.5, -0.1]), rel=1e-3)


def test_what_is_opaque_leaves_no_light_behind_it():
    light = light_on_floor(slab(0.9, 0.5), (np.inf,) * 3, 0.01)
    assert light[100, 100] == pytest.approx(0, abs=1e-6)


def test_the_lit_side_of_a_thing_does_not_shade_itself():
    light = light_on_floor(slab(0.0, 0.5), (np.inf,) * 3, 0.01)
    assert (light == 1).all()


def test_a_shadow_has_the_size_of_the_thing_and_is_softer_further_away(ball):
    widths = []
    for height, close in ((0.3, 0.1), (1.2, 0.35)):
        mesh = ball((0, height, 0), 0.25)
        light = light_on_floor((mesh.vertices, mesh.faces), (np.inf,) * 3, 0.01)[100, :, 0]
        widths.append(((light > 0.05) & (light < 0.95)).sum())
        # A point lamp at 8 m over a ball would give this radius; half the light is lost about there
        radius = 0.25 * 8 / (8 - height) * VIEW.focal / 3
        assert (light < 0.5).sum() == pytest.approx(2 * radius, rel=close)
    assert widths[1] > 1.3 * widths[0]


def test_no_shadow_beyond_the_map(ball):
    mesh = ball((0, 0.5, 0), 0.2)
    light = light_on_floor((mesh.vertices, mesh.faces), (np.inf,) * 3, 0.01)
    assert (light[:20] == 1).all()
    assert (light <= 1).all()
