"""Walls at their true place, what is continued beyond surfaces and walls, and what friction is left to its law."""

from types import SimpleNamespace

import numpy as np
import pytest

from plash.grid.cells import WALL, WET, label_cells
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.fields import FaceField
from plash.physics.solids.base import SceneSolids
from plash.physics.solids.cut import Cut
from plash.physics.solids.domain_box import CLOSED, UNBOUNDED, DomainBox
from plash.physics.solids.voxel import Voxel
from plash.physics.solids.wall_faces import NO_SLIP, OF_SIDE
from plash.physics.viscosity.stress_free import continue_stress_free
from plash.scene.bodies import Solid
from plash.scene.shapes import HalfSpace

from .liquids import H, forget_dry, scheme, walls_of


@pytest.mark.parametrize("kind", ["implicit", "coupled"])
@pytest.mark.parametrize("floor", [0.31, 0.5, 0.83])
def test_couette_flow_over_a_floor_that_cuts_cells_is_linear(kind, floor):
    """The floor is at any height in its cells, and the lid is a side of the domain that moves."""
    along, lid = (48, 7), 1.4
    first, size = (-3, -3), tuple(n + 6 for n in along)
    tiles = tiles_over(first, size)
    body = Solid(name="floor", shape=HalfSpace(point=(0, floor * H), normal=(0, 1)), friction=1.0)
    box = DomainBox(along, ((UNBOUNDED, UNBOUNDED), (UNBOUNDED, CLOSED)), ((0, 0), (0, 1)))
    solids = SceneSolids(Cut([body], box, H, True)).at(tiles)
    index = np.meshgrid(*[np.arange(f, f + n) for f, n in zip(first, size, strict=True)], indexing="ij")
    wet = from_dense((index[0] >= 0) & (index[0] < along[0]), tiles, first, False) & ~solids.is_solid
    cells = label_cells(tiles, wet, solids.is_solid, cut_cells=solids.cut_cells)
    solids.walls.velocity[0][from_dense(index[1] >= along[1], tiles, first, False)] = lid
    velocity = forget_dry(FaceField(tiles, np.zeros(cells.faces.shape, np.float32)), cells)
    acts, number = scheme(kind, 0.3), 30.0
    for _ in range(120):
        acts.apply(velocity, cells, solids, None, number * H**2 / 0.3)
    u = to_dense(velocity.pool[0], tiles, (24, 1), (1, along[1] - 1))[0]
    height = np.arange(1, along[1]) + 0.5 - floor
    assert np.allclose(u, lid * height / (along[1] - floor), rtol=2e-3)


def test_each_side_holds_what_is_beyond_it_and_no_more(dimension):
    """A floor that holds, and sides that do not: in their corner too."""
    along = (20, 12, 10)[:dimension]
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in along))
    rough = ((0.0, 0.0), (1.0, 0.0), (0.0, 0.0))[:dimension]
    walls = walls_of(tiles, along, True, rough).walls
    for axis in range(dimension):
        bits = to_dense(walls.bits[axis], tiles, (-2,) * dimension, tuple(n + 4 for n in along))
        height = np.arange(-2, along[1] + 2)
        held = (bits & NO_SLIP) > 0
        expected = np.broadcast_to(
            np.moveaxis((height <= 0 if axis == 1 else height < 0)[None], 0, 0), (1, len(height))
        )
        inside = (slice(2, -2), slice(None), *(slice(2, -2),) * (dimension - 2))
        row = held[inside].all(axis=tuple(a for a in range(dimension) if a != 1))
        assert (row == expected[0]).all()
        beyond_x = held[0]
        assert not beyond_x[3:].any()
        assert ((bits & OF_SIDE) > 0)[0].all()


def test_liquid_that_turns_is_continued_exactly(dimension):
    """Two layers beyond the surface have the velocity of the same rotation."""
    along = (24, 22, 20)[:dimension]
    tiles = tiles_over((-2,) * dimension, tuple(n + 4 for n in along))
    centres = tiles.cell_centres(tiles.slots, 1.0)
    wet = np.zeros((tiles.count + 1, *tiles.shape), np.bool_)
    wet[1:] = (np.linalg.norm(centres - 10.3, axis=1) < 6.2).reshape(wet[1:].shape)
    cells = label_cells(tiles, wet, np.zeros_like(wet))
    spin = np.array([[0, -0.3, 0.2], [0.3, 0, -0.15], [-0.2, 0.15, 0]])[:dimension, :dimension]
    exact = np.full(cells.faces.shape, np.nan, np.float32)
    for axis in range(dimension):
        place = centres.copy()
        place[:, axis] -= 0.5
        exact[axis, 1:] = (0.7 + place @ spin[axis]).reshape(exact[axis, 1:].shape)
    velocity = forget_dry(FaceField(tiles, exact.copy()), cells)
    before = np.count_nonzero(~np.isnan(velocity.pool))
    continue_stress_free(velocity, cells)
    known = ~np.isnan(velocity.pool)
    assert np.count_nonzero(known) > 1.3 * before
    assert np.allclose(velocity.pool[known], exact[known], atol=1e-5)


def test_nothing_is_continued_into_walls(dimension):
    along = (20, 12, 10)[:dimension]
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in along))
    solids = walls_of(tiles, along)
    wet = np.zeros(solids.is_solid.shape, np.bool_)
    wet[1:] = (tiles.cell_centres(tiles.slots, 1.0)[:, 1] < 5).reshape(wet[1:].shape)
    cells = label_cells(tiles, wet & ~solids.is_solid, solids.is_solid)
    velocity = forget_dry(FaceField(tiles, np.ones(cells.faces.shape, np.float32)), cells)
    before = velocity.copy()
    continue_stress_free(velocity, cells)
    closed = (cells.faces & WALL) > 0
    assert np.array_equal(velocity.pool[closed], before.pool[closed], equal_nan=True)


@pytest.mark.parametrize("by_viscosity", [True, False])
def test_viscosity_or_the_law_of_friction_stops_liquid(dimension, by_viscosity):
    """At walls of friction 1: never both on open faces; beyond the wall there is a mirror image, or nothing."""
    along = (20, 12, 10)[:dimension]
    tiles = tiles_over((-3,) * dimension, tuple(n + 6 for n in along))
    box = DomainBox(along, ((CLOSED, CLOSED),) * dimension, ((0, 0), (1, 0), (0, 0))[:dimension])
    solids = SceneSolids(Voxel([], box, H, by_viscosity)).at(tiles)
    cells = label_cells(tiles, ~solids.is_solid, solids.is_solid)
    velocity = FaceField(tiles, np.zeros(cells.faces.shape, np.float32))
    velocity.pool[0] = 2.0
    solids.enforce_no_flux(velocity, cells, 0.01)
    solids.enforce_slip(velocity, cells, 0.01)
    column = to_dense(velocity.pool[0], tiles, (9, *(4,) * (dimension - 1)), (1,) * dimension)
    beside = to_dense(velocity.pool[0], tiles, (9, 0, 4)[:dimension], (1,) * dimension)
    beyond = to_dense(velocity.pool[0], tiles, (9, -1, 4)[:dimension], (1,) * dimension)
    assert column.item() == 2.0
    assert beside.item() == (2.0 if by_viscosity else 0.0)
    assert beyond.item() == (-2.0 if by_viscosity else 0.0)


def test_a_scheme_needs_no_more_of_solids_than_their_walls_and_cells():
    along = (20, 12)
    tiles = tiles_over((-3, -3), (26, 18))
    solids = walls_of(tiles, along, True, 1.0)
    cells = label_cells(tiles, ~solids.is_solid, solids.is_solid)
    one, other = (forget_dry(FaceField(tiles, np.ones(cells.faces.shape, np.float32)), cells) for _ in range(2))
    scheme("implicit", 0.3).apply(one, cells, solids, None, 0.1)
    scheme("implicit", 0.3).apply(
        other, cells, SimpleNamespace(walls=solids.walls, is_solid=solids.is_solid), None, 0.1
    )
    assert one.pool.tobytes() == other.pool.tobytes()
    assert np.nanmax(one.pool[0][(cells.faces[0] & WET) > 0]) <= 1.0
