"""The surface of a density in a box."""

from dataclasses import replace

import numpy as np
import pytest

import plash
from plash.mesh.box_surface import box_surface
from plash.scene.meshing import Meshing

H = 0.37


def ball(shape, radius=3.3):
    centres = [np.arange(n) + 0.5 - n / 2 for n in shape]
    distance = np.sqrt(sum(part**2 for part in np.meshgrid(*centres, indexing="ij"))) - radius
    return np.clip(0.5 - distance, 0, 1).astype(np.float32)


def surface(density, level=0.5, solids=(), velocity=None, **meshing):
    still = np.zeros((density.ndim, *density.shape), np.float32) if velocity is None else velocity
    return box_surface(density, still, level, H, Meshing(**meshing), solids)


def test_a_ball_has_its_volume_and_is_closed():
    mesh = surface(ball((13, 13, 15), 5.3))
    assert mesh.volume == pytest.approx(4 / 3 * np.pi * (5.3 * H) ** 3, rel=0.03)
    assert mesh.open_edges() == 0
    assert np.allclose(mesh.vertices.mean(axis=0), np.array([7.5, 6.5, 6.5]) * H, atol=0.02)


def test_a_full_box_is_the_box(dimension):
    """Kuo 5.3: the surface goes on along the walls, and ends on them."""
    shape = (6, 9) if dimension == 2 else (6, 9, 7)
    for detail in (1, 2):
        mesh = surface(np.ones(shape, np.float32), detail=detail)
        assert mesh.volume == pytest.approx(np.prod(shape) * H**dimension, rel=1e-5)
        assert np.allclose(mesh.vertices.max(axis=0)[:dimension], np.array(shape[::-1]) * H, atol=1e-5)


def test_a_flat_pool_is_level(dimension):
    shape = (8, 9) if dimension == 2 else (8, 9, 7)
    density = np.zeros(shape, np.float32)
    density[(*(slice(None),) * (dimension - 2), slice(0, 4))] = 1.0
    density[(*(slice(None),) * (dimension - 2), 4)] = 0.5
    assert surface(density).vertices[:, 1].max() == pytest.approx(4.5 * H, abs=1e-3 * H)


def test_an_isotherm_is_the_surface_of_what_is_warmer(dimension):
    """Kuo 3.1: another scalar in place of the density. It falls by 100 K a metre from 360 K at the left."""
    size = (0.8, 0.48, 0.6)[:dimension]
    hot = plash.Fill(shape=plash.Box(min=(0,) * dimension, max=(0.2,) * dimension), temperature=360.0)
    scene = plash.Scene(
        domain={"size": size, "cell_size": 0.04}, solver={"kind": "stable_fluids", "isotherm": 327.0}, fill=[hot]
    )
    drawn = plash.build(scene).snapshot().as_grids()
    falling = 360 - 100 * (np.arange(20) + 0.5) * 0.04
    drawn = replace(drawn, temperature=np.broadcast_to(falling, drawn.density.shape).astype(np.float32))
    assert drawn.surface(scene, 0.0).volume == pytest.approx(0.33 * np.prod(size[1:]), rel=1e-3)
    hotter = scene.with_values(solver=scene.solver.with_values(isotherm=370.0))
    assert len(drawn.surface(hotter, 0.0).faces) == 0


def test_a_lower_level_holds_more():
    density = ball((12, 12))
    volumes = [surface(density, level).volume for level in (0.2, 0.5, 0.8)]
    assert volumes[0] > volumes[1] > volumes[2]


def test_no_liquid_has_no_surface(dimension):
    assert len(surface(np.zeros((5,) * dimension, np.float32)).faces) == 0


def test_liquid_reaches_into_solids_so_that_no_gap_shows():
    """Beside a body the density inside is zero; the surface goes on beyond the face all the same."""
    solid = plash.Solid(shape=plash.Box(min=(0, 0, 0), max=(4 * H, 9 * H, 9 * H)))
    density = np.ones((9, 9, 12), np.float32)
    density[..., :4] = 0.0
    assert surface(density).vertices[:, 0].min() == pytest.approx(4 * H, abs=0.02)
    assert surface(density, solids=[solid]).vertices[:, 0].min() < 3.5 * H


def test_vertices_have_the_velocity_of_the_fluid(dimension):
    shape = (9, 11) if dimension == 2 else (9, 11, 12)
    velocity = np.stack([np.indices(shape)[dimension - 1 - axis] + 0.5 for axis in range(dimension)]).astype(np.float32)
    mesh = surface(ball(shape, 2.5), velocity=H * velocity)
    assert np.allclose(mesh.velocity[:, :dimension], mesh.vertices[:, :dimension], atol=1e-4)


def test_what_the_fluid_carries_is_found_at_the_vertices(dimension):
    shape = (9, 11) if dimension == 2 else (9, 11, 8)
    warmth = np.broadcast_to(300 + 2 * (np.arange(shape[-1]) + 0.5) * H, shape).astype(np.float32)
    still = np.zeros((dimension, *shape), np.float32)
    mesh = box_surface(ball(shape), still, 0.5, H, Meshing(), (), {"temperature": warmth})
    np.testing.assert_allclose(mesh.scalars["temperature"], 300 + 2 * mesh.vertices[:, 0], rtol=1e-6)
