"""The liquid's surface from its particles.

Samples stand on a lattice of spacing h/detail whose points include the corners of cells, so that walls pass through
samples. The surface is where half of the space round a sample is filled (`plash.mesh.fill`), for flat water exactly
at its level. Particles that it does not cover become drops (`plash.mesh.drops`). Walls cut the liquid off; into
solids it reaches half a cell, so that no gap shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.mesh.drops import with_drops
from plash.mesh.fill import distance_of_fill, reach, scattered, widened
from plash.mesh.lattice import Lattice, cut_off, gap_everywhere, open_share, solid_distance, walls_of
from plash.mesh.marching import Cuts, march
from plash.mesh.mesh import Mesh
from plash.mesh.normals import face_normals
from plash.mesh.smooth import CLOSES, RESTS, smoothed
from plash.particles.particles import Particles
from plash.particles.sort import sort_particles
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.look import Meshing
from plash.stages import stage

_AT_SOLID = 0.1  # lattice spacings from a solid, within which vertices are not smoothed: the seam behind is no shape


@stage
def liquid_surface(
    position: NDArray[np.float64],
    velocity: NDArray[np.float32],
    volume: NDArray[np.float64],
    h: float,
    meshing: Meshing,
    domain: Domain,
    solids: Sequence[Solid],
) -> Mesh:
    """The closed surface of a liquid (in 2-D the region it fills), with normals and velocities at its vertices.

    Args:
        position: Of the particles (n, d), m.
        velocity: Of the particles (n, d), m/s.
        volume: That each particle stands for, m³ (m² in 2-D).
        h: Cell size of the simulation, m.
        meshing: How fine and how smooth.
        domain: Its closed and open sides cut the liquid off.
        solids: The liquid reaches h/2 into them.
    """
    if len(position) == 0:
        return Mesh.empty()
    lattice = Lattice.over(domain, solids, h, meshing.detail)
    detail = meshing.detail
    particles = _particles(position, velocity, volume, lattice.spacing)
    sort_particles(particles, reach(detail))
    tiles = particles.tiles
    assert tiles is not None

    carried = widened(tiles, scattered(particles, tiles), detail)
    solid = solid_distance(tiles, lattice)
    opened = widened(tiles, open_share(tiles, lattice, solid)[None], detail)[0]
    phi = distance_of_fill(carried[0], opened, detail)
    if meshing.drops:
        phi = with_drops(phi, particles, tiles, detail)
    cuts = march(CellField(tiles, cut_off(phi, tiles, lattice, solid)))

    walls = walls_of(cuts.places, lattice)
    walls[_at_vertices(cuts, tiles, [gap_everywhere(tiles, solid)])[0] < _AT_SOLID] |= RESTS
    # A finer lattice has shorter edges, and needs more sweeps for the same effect
    places = smoothed(cuts.places, cuts.faces, cuts.edges, meshing.smoothing * detail, walls)
    normals = _normals(places, cuts.faces, walls, lattice) if tiles.dimension == 3 else None
    vertices = (places * lattice.spacing).astype(np.float32)
    return Mesh(vertices, cuts.faces, normals, _velocities(cuts, carried, tiles), cuts.edges)


def _particles(
    position: NDArray[np.float64], velocity: NDArray[np.float32], volume: NDArray[np.float64], spacing: float
) -> Particles:
    """Particles in units of the lattice."""
    places = position.T / spacing
    cell = np.floor(places)
    particles = Particles.none(len(cell))
    particles.cell = cell.astype(np.int32)
    particles.offset = np.minimum((places - cell).astype(np.float32), np.nextafter(np.float32(1), np.float32(0)))
    particles.velocity = np.ascontiguousarray(velocity.T, np.float32)
    particles.volume = (volume / spacing ** len(cell)).astype(np.float32)
    particles.affine = np.zeros((0, len(volume)), np.float32)
    return particles


def _normals(
    places: NDArray[np.float64], faces: NDArray[np.int32], walls: NDArray[np.uint8], lattice: Lattice
) -> NDArray[np.float32]:
    """Normals of the free surface, up to the line where it meets a wall; of the wall on the wall."""
    on_wall = (walls & CLOSES > 0)[faces].any(axis=1)
    normals = face_normals(places, faces[~on_wall])
    bare = ~normals.any(axis=1)
    normals[bare] = face_normals(places, faces[on_wall])[bare]
    for axis, sides in enumerate(zip(lattice.low, lattice.high, strict=True)):
        for wall, outwards in zip(sides, (-1, 1), strict=True):
            if wall is not None:
                beyond = (places[:, axis] - wall) * outwards > 0
                normals[beyond] = np.eye(3, dtype=np.float32)[axis] * outwards
    return normals


def _velocities(cuts: Cuts, carried: NDArray[np.float32], tiles: Tiles) -> NDArray[np.float32]:
    """Mean velocity of the particles round each vertex, m/s."""
    weight, *momentum = _at_vertices(cuts, tiles, carried)
    velocity = np.zeros((len(weight), 3), np.float32)
    for axis, part in enumerate(momentum):
        velocity[:, axis] = np.divide(part, weight, out=np.zeros_like(weight), where=weight > 0)
    return velocity


def _at_vertices(cuts: Cuts, tiles: Tiles, pools: Iterable[NDArray[np.float32]]) -> list[NDArray[np.float64]]:
    """Values of pools at the vertices, between the samples that each lies between."""
    ends = cuts.ends
    if cuts.tiles is not tiles:
        slot_of = np.concatenate([[0], tiles.slots_of(cuts.tiles.keys)])
        size = int(np.prod(tiles.shape))
        ends = slot_of[ends // size] * size + ends % size
    values = [pool.reshape(-1) for pool in pools]
    return [value[ends[:, 0]] * (1 - cuts.share) + value[ends[:, 1]] * cuts.share for value in values]
