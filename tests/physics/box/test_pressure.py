"""The projection in a box: Z3, Z4, with and without bodies."""

import numpy as np
import pytest

from plash.grid.box import at_faces, box_divergence
from plash.linear.transforms import BoxSolver
from plash.physics.box.obstacles import NoObstacles, SolidCells
from plash.physics.box.pressure import BoxProjection, ProjectionRoundSolids

SHAPES = {2: (21, 34), 3: (13, 17, 22)}
H = 0.37


def bodies(shape):
    solid = np.zeros(shape, bool)
    solid[(slice(3, 8),) * len(shape)] = True
    solid[..., :9, 14] = True  # a wall one cell thick
    return SolidCells(solid, np.zeros(shape))


def cases(dimension):
    shape = SHAPES[dimension]
    box = BoxSolver(shape, H)
    yield NoObstacles(), BoxProjection(box)
    yield bodies(shape), ProjectionRoundSolids(box, bodies(shape), 1e-13)


def random_velocity(obstacles, dimension, seed=0):
    velocity = np.random.default_rng(seed).standard_normal((dimension, *SHAPES[dimension]))
    obstacles.close(velocity)
    return velocity


def test_the_divergence_is_round_off(dimension):
    for obstacles, projection in cases(dimension):
        velocity = random_velocity(obstacles, dimension)
        before = np.abs(box_divergence(velocity, H)).max()
        projection.project(velocity)
        assert np.abs(box_divergence(velocity, H)).max() < 1e-11 * before


def test_a_projection_is_a_projection(dimension):
    """P(Pu) = Pu, and energy does not grow."""
    for obstacles, projection in cases(dimension):
        velocity = random_velocity(obstacles, dimension)
        once = velocity.copy()
        projection.project(once)
        twice = once.copy()
        projection.project(twice)
        assert np.abs(twice - once).max() < 1e-11
        assert (once**2).sum() < (velocity**2).sum()


def test_bodies_let_nothing_through(dimension):
    obstacles, projection = list(cases(dimension))[1]
    velocity = random_velocity(obstacles, dimension)
    projection.project(velocity)
    assert (velocity[obstacles.is_closed] == 0.0).all()


def test_a_uniform_force_moves_nothing(dimension):
    """In a closed box it is the gradient of a pressure."""
    for obstacles, projection in cases(dimension):
        velocity = np.ones((dimension, *SHAPES[dimension])) * 1.7
        obstacles.close(velocity)
        projection.project(velocity)
        assert np.abs(velocity).max() < 1e-11


def test_a_checkerboard_at_centres_does_not_hide(dimension):
    """Its central differences are zero; as faces see it, it is all but gone."""
    sign = 1.0 - 2.0 * (np.indices(SHAPES[dimension]).sum(axis=0) % 2)
    velocity = at_faces(np.stack([sign] * dimension))
    assert not velocity.any()
    on_faces = np.stack([sign] * dimension)
    NoObstacles().close(on_faces)
    before = (on_faces**2).sum()
    BoxProjection(BoxSolver(SHAPES[dimension], H)).project(on_faces)
    assert (on_faces**2).sum() < 0.7 * before
    assert np.abs(box_divergence(on_faces, H)).max() < 1e-12


def test_round_off_is_not_projected_for_ever():
    """A field that is free of divergence already needs no iterations, whatever the tolerance."""
    shape = SHAPES[2]
    solids = bodies(shape)
    projection = ProjectionRoundSolids(BoxSolver(shape, H), solids, 1e-13)
    velocity = random_velocity(solids, 2)
    projection.project(velocity)
    assert projection.project(velocity).iterations <= 12
    assert projection.project(np.zeros_like(velocity)).iterations == 0


@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
def test_the_residual_is_what_was_asked_for(tolerance):
    shape = SHAPES[3]
    solids = bodies(shape)
    velocity = random_velocity(solids, 3)
    before = np.linalg.norm(box_divergence(velocity, H))
    found = ProjectionRoundSolids(BoxSolver(shape, H), solids, tolerance).project(velocity)
    after = np.linalg.norm(box_divergence(velocity, H))
    assert found.residual <= tolerance
    assert after == pytest.approx(found.residual * before, rel=1e-3)


def test_a_flow_that_has_died_down_is_projected_as_well():
    """Far below what a single number can hold, and by a power of two: bit for bit the same."""
    shape = SHAPES[2]
    solids = bodies(shape)
    projection = ProjectionRoundSolids(BoxSolver(shape, H), solids, 1e-6)
    fast = random_velocity(solids, 2)
    slow = fast * 2.0**-160
    found = [projection.project(velocity) for velocity in (fast, slow)]
    assert found[0].iterations == found[1].iterations > 0
    assert np.array_equal(fast, slow * 2.0**160)
