"""Curved walls: what has to flow through them is known for liquid that turns as a whole, inside and outside of them."""

from typing import Any

import numpy as np
import pytest

import plash
from plash.grid.cells import label_cells
from plash.grid.dense import tiles_over
from plash.grid.fields import FaceField
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, DomainBox
from plash.physics.solids.voxel import Voxel
from plash.physics.straight_paths import straight_path_divergence
from plash.scene.bodies import Solid
from plash.solvers.build.liquid import build_liquid

H, DT, W = 0.37, 0.013, 1.9
CELLS = {2: (29, 27), 3: (29, 27, 28)}
MIDDLE = np.array([14.3, 13.4, 13.9]) * H
RADIUS = 9.3 * H


def bodies(shape, dimension, kind=Cut, **options):
    along = CELLS[dimension]
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in along))
    body = Solid(name="body", shape=shape, **options)
    return SceneSolids(kind([body], DomainBox(along, ((CLOSED, CLOSED),) * dimension), H)).at(tiles)


def ball(dimension, radius=RADIUS):
    return plash.Sphere(center=tuple(MIDDLE[:dimension]), radius=radius)


def tank(dimension):
    around = plash.Box(min=(-1,) * dimension, max=(12,) * dimension)
    return plash.Difference(of=(around, ball(dimension)))


def turning(tiles):
    """Liquid that turns about the middle as a whole, in the plane x, y."""
    field = FaceField.filled(tiles)
    centres = tiles.cell_centres(tiles.slots, H).reshape((-1, *tiles.shape, tiles.dimension))
    field.pool[0, 1:] = -W * (centres[..., 1] - MIDDLE[1])
    field.pool[1, 1:] = W * (centres[..., 0] - MIDDLE[0])
    field.pool[2:, 1:] = 0
    return field


def size_of_ball(dimension, radius=RADIUS):
    return np.pi * radius**2 if dimension == 2 else 4 / 3 * np.pi * radius**3


@pytest.mark.parametrize(("shape", "sign"), [(tank, 1), (ball, -1)], ids=["into a tank", "out round a ball"])
def test_what_comes_through_a_round_wall_is_what_liquid_that_turns_loses(dimension, shape, sign):
    """The wall of a tank gives all that div u = -dt W² takes from the liquid in it; that of a ball takes as much."""
    solids = bodies(shape(dimension), dimension)
    walls = solids.standing.curved_walls
    inflow = walls.inflow(turning(solids.tiles), DT, H)
    assert (np.sign(inflow[np.abs(inflow) > 0.2 * np.abs(inflow).max()]) == sign).all()
    total = inflow.sum() * H ** (dimension - 1)
    assert total == pytest.approx(sign * DT * W**2 * size_of_ball(dimension), rel=0.04)


def test_liquid_that_turns_in_a_round_tank_can_keep_its_volume(dimension):
    """What the cells of a full tank want and what comes through its wall is nothing in all."""
    solids = bodies(tank(dimension), dimension)
    cells = label_cells(solids.tiles, ~solids.is_solid, solids.is_solid, None, None, solids.cut_cells)
    field = turning(solids.tiles)
    divergence = straight_path_divergence(field, cells, DT, H)
    before = divergence.sum()
    solids.bend_paths(divergence, field, DT, H)
    assert before * H ** (dimension - 1) == pytest.approx(-DT * W**2 * size_of_ball(dimension), rel=0.02)
    assert abs(divergence.sum()) < 0.04 * abs(before)


def test_curvature_is_that_of_the_wall(dimension):
    """Area times the Hessian, all added up, has the trace of all the curvature there is: (d - 1)/R times the area."""
    small = 6.2 * H
    walls = bodies(ball(dimension, small), dimension).standing.curved_walls
    found = np.trace(walls.bending, axis1=1, axis2=2).sum()
    area = 2 * np.pi * small / H if dimension == 2 else 4 * np.pi * (small / H) ** 2
    assert found == pytest.approx((dimension - 1) * H / small * area, rel=0.04)


def test_flat_walls_at_any_angle_are_no_curved_ones(dimension):
    normal = (0.43, 1.0, -0.27)[:dimension]
    for shape in (
        plash.HalfSpace(point=(2.0, 3.6, 2.0)[:dimension], normal=normal),
        plash.HalfSpace(point=(2.0, 3.6, 2.0)[:dimension], normal=(0, 1, 0)[:dimension]),
    ):
        solids = bodies(shape, dimension)
        assert (solids.cut_cells.volume < 1).sum() > 20
        assert len(solids.standing.curved_walls.bending) == 0


def test_only_what_slides_along_a_wall_bends(dimension):
    """Velocities straight away from a ball ask for nothing; ten times the speed along it asks for a hundred times."""
    solids = bodies(ball(dimension), dimension)
    walls, tiles = solids.standing.curved_walls, solids.tiles
    away = FaceField.filled(tiles)
    centres = tiles.cell_centres(tiles.slots, H).reshape((-1, *tiles.shape, dimension))
    for axis in range(dimension):
        shifted = centres.copy()
        shifted[..., axis] -= H / 2
        away.pool[axis, 1:] = W * (shifted[..., axis] - MIDDLE[axis])
    along = turning(tiles)
    most = np.abs(walls.inflow(along, DT, H)).max()
    assert np.abs(walls.inflow(away, DT, H)).max() < 0.02 * most
    fast = FaceField(tiles, 10 * along.pool)
    assert np.allclose(walls.inflow(fast, DT, H), 100 * walls.inflow(along, DT, H), rtol=1e-5)


def test_faces_that_are_not_known_are_replaced_by_those_across_the_cell(dimension):
    solids = bodies(ball(dimension), dimension)
    walls, field = solids.standing.curved_walls, FaceField.filled(solids.tiles)
    field.pool[:, 1:] = 0.8
    whole = walls.inflow(field, DT, H)
    for axis in range(dimension):
        field.pool[axis][walls.places] = np.nan
    known = walls.inflow(field, DT, H)
    assert np.isfinite(known).all()
    both = np.ones(len(known), bool)
    for axis in range(dimension):
        both &= ~np.isnan(field.pool[axis][solids.tiles.beside(walls.places, axis, 1)])
    assert both.sum() > 5
    assert np.allclose(known[both], whole[both])


def test_an_edge_counts_as_rounded_by_a_cell(dimension):
    shape = plash.Box(min=(2.13,) * dimension, max=(6.57,) * dimension)
    bending = bodies(shape, dimension).standing.curved_walls.bending
    assert len(bending) > 0
    # The area of a wall in a cell is two faces at most
    assert np.abs(bending).max() <= 2


def test_whole_cells_have_no_curved_walls(dimension):
    assert len(bodies(ball(dimension), dimension, Voxel).standing.curved_walls.bending) == 0


def test_within_two_cells_of_a_body_that_moves_nothing_is_wanted(dimension):
    radius = 4.2
    mover: Any = {
        "name": "ball",
        "shape": ball(dimension, radius * H),
        "motion": {"velocity": (0.2, 0.1, -0.3)[:dimension]},
    }
    size = tuple(n * H for n in CELLS[dimension])
    scene = plash.Scene(
        domain={"size": size, "cell_size": H},
        fill=[{"shape": plash.Box(min=(0,) * dimension, max=(size[0], 0.6 * size[1], *size[2:]))}],
        solid=[mover],
    )
    solids, *_ = build_liquid(scene).label(1e-6)
    tiles = solids.tiles
    divergence = np.ones((tiles.count + 1, *tiles.shape))
    solids.bend_paths(divergence, turning(tiles), DT, H)
    gap = np.linalg.norm(tiles.cell_centres(tiles.slots, H) - MIDDLE[:dimension], axis=1) / H - radius
    zero = divergence[1:].reshape(-1) == 0
    assert zero[np.abs(gap) < 1.9].all()
    assert not zero[gap > 2.1].any()
