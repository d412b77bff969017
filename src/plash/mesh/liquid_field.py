"""The liquid between its particles: how far each sample of a lattice is from the surface, and how fast the liquid is.

Surfaces are marched from it (`plash.mesh.reconstruct`), and other programs get it as grids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plash.carried import NO_SCALARS
from plash.grid.fields import CellField
from plash.grid.sparse_grid import BAND, GridKind, SparseGrid
from plash.grid.tiles import Tiles
from plash.levelset.redistance import redistance
from plash.mesh.drops import with_drops
from plash.mesh.fill import carried_near, distance_of_fill, opened_round, reach, scattered, scattered_volume, widened
from plash.mesh.films import shown_of_films
from plash.mesh.lattice import Lattice, SolidDistance, cut_off, open_share, solid_distance
from plash.particles.particles import Particles
from plash.particles.positions import split_positions
from plash.particles.sort import sort_particles
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.meshing import Meshing


@dataclass(frozen=True, eq=False)
class LiquidField:
    """A liquid on the samples of a lattice; lengths are in its spacings.

    Attributes:
        lattice: Where samples, walls and solids are.
        particles: In units of the lattice, in tile order.
        tiles: Where samples are.
        filled: The volume, seen with the width of a cell.
        solid: The distance to solids where they are near.
        phi: Distance to the surface, negative inside, as if there were no walls.
        cut: The same, positive beyond walls and deep in solids.
        hidden: Volume of films on solids that are too thin to be shown.
    """

    lattice: Lattice
    particles: Particles
    tiles: Tiles
    filled: NDArray[np.float32]
    solid: SolidDistance
    phi: NDArray[np.float32]
    cut: CellField
    hidden: float


def liquid_field(
    position: NDArray[np.float64],
    velocity: NDArray[np.float32],
    volume: NDArray[np.float64],
    h: float,
    meshing: Meshing,
    domain: Domain,
    solids: Sequence[Solid],
    scalars: Mapping[str, NDArray[np.float32]] = NO_SCALARS,
) -> LiquidField:
    """The liquid round one particle or more, on a lattice of spacing h/detail; arguments as of `liquid_surface`."""
    detail = meshing.detail
    lattice = Lattice.over(domain, solids, h, detail)
    particles = _particles(position, velocity, volume, lattice.spacing)
    for name, values in scalars.items():
        setattr(particles, name, np.ascontiguousarray(values.T, np.float32))
    sort_particles(particles, reach(detail))
    tiles = particles.tiles
    assert tiles is not None

    filled = widened(tiles, scattered_volume(particles, tiles), detail)
    solid = solid_distance(tiles, lattice)
    opened = opened_round(tiles, open_share(tiles, lattice, solid), detail)
    phi = distance_of_fill(filled[0], opened, detail)
    hidden = 0.0
    if meshing.drops and meshing.hides_films(tiles.dimension):
        shown = shown_of_films(phi, particles, tiles, lattice, solid)
        hidden = float(((1 - shown) * particles.volume).sum(dtype=np.float64))
        phi = with_drops(phi, particles, tiles, detail, shown)
    elif meshing.drops:
        phi = with_drops(phi, particles, tiles, detail)
    cut = CellField(tiles, cut_off(phi, tiles, lattice, solid))
    return LiquidField(lattice, particles, tiles, filled, solid, phi, cut, hidden)


def liquid_grids(field: LiquidField) -> list[SparseGrid]:
    """The signed distance (m) to the surface in a narrow band, and the velocity (m/s) there, where liquid is near."""
    tiles, spacing, d = field.tiles, field.lattice.spacing, field.tiles.dimension
    width = float(np.float32(BAND * spacing))
    distance = redistance(field.cut, width, spacing).pool
    active = np.abs(distance) < np.float32(width)
    active[0] = False

    totals = carried_near(field.particles, tiles, (), field.lattice.detail, active.any(axis=(1, 2, 3)))
    known = active & (field.filled[0] > 0)
    velocity = np.zeros((*known.shape, d), np.float32)
    for axis in range(d):
        velocity[known, axis] = totals[axis][known] / field.filled[0][known]
    origin = (0.0, 0.0, 0.0)
    return [
        SparseGrid("surface", GridKind.LEVEL_SET, tiles, distance, active, width, spacing, origin),
        SparseGrid("velocity", GridKind.OTHER, tiles, velocity, known, 0.0, spacing, origin),
    ]


def cell_velocity(
    position: NDArray[np.float64], velocity: NDArray[np.float32], volume: NDArray[np.float64], domain: Domain
) -> NDArray[np.float32]:
    """Mean velocity (m/s) of the particles round the centre of each cell [axis, [z,] y, x]; NaN where there are none.

    u = Σ V_p W(x - x_p) u_p / Σ V_p W(x - x_p), W a product of hats as wide as a cell to either side.
    """
    h, d = domain.h, domain.dimension
    result = np.full((d, *domain.cells[::-1]), np.nan, np.float32)
    if len(position) == 0:
        return result
    # On a lattice of spacing h, moved by half a cell, samples are the centres of cells
    particles = _particles(position - 0.5 * h, velocity, volume, h)
    sort_particles(particles, 1)
    tiles = particles.tiles
    assert tiles is not None
    held, totals = scattered_volume(particles, tiles)[0], scattered(particles, tiles)
    slots, *within = np.nonzero(held)
    cells = [tiles.origins[slots, axis] + within[2 - axis] for axis in range(d)]
    inside = np.all([(c >= 0) & (c < n) for c, n in zip(cells, domain.cells, strict=True)], axis=0)
    place = tuple(c[inside] for c in cells[::-1])
    at = (slots[inside], *(w[inside] for w in within))
    for axis in range(d):
        result[(axis, *place)] = totals[axis][at] / held[at]
    return result


def _particles(
    position: NDArray[np.float64], velocity: NDArray[np.float32], volume: NDArray[np.float64], spacing: float
) -> Particles:
    """Particles in units of the lattice."""
    dimension = position.shape[1]
    particles = Particles(dimension, len(volume))
    particles.cell, particles.offset = split_positions(position.T / spacing)
    particles.velocity = np.ascontiguousarray(velocity.T, np.float32)
    particles.volume = (volume / spacing**dimension).astype(np.float32)
    return particles
