"""The liquid's surface straight from its level set.

φ is known at the centres of cells, and is sampled on the lattice that walls pass through, as for a liquid made of
particles. It goes on into solids, so that no gap shows; there the surface is drawn out to their faces.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField
from plash.grid.tiles import Tiles
from plash.levelset.sampling import sampled
from plash.levelset.smooth_sampling import sampled_smoothly
from plash.mesh.contact import out_of_solids
from plash.mesh.draft import RESTS, Draft
from plash.mesh.drops import with_drops
from plash.mesh.finish import finished, shaped
from plash.mesh.lattice import Lattice, cut_off, flush, solid_distance, solid_phi_everywhere, walls_of
from plash.mesh.marching import march
from plash.mesh.mesh import Mesh
from plash.mesh.pieces import without_specks
from plash.mesh.smooth import swept
from plash.mesh.volumes import part_volumes
from plash.particles.particles import Particles
from plash.particles.sort import sort_onto
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.meshing import Meshing
from plash.timing import stage

Points = NDArray[np.float64]

_ROUND_DROPS = 4  # lattice spacings round a drop in which its ball is seen
_AT_SOLID = 0.1  # lattice spacings from a solid, where vertices are not smoothed
_FLAT = 0.02  # lattice spacings by which the distance changes along an edge that lies in the surface


@stage
def level_set_surface(
    phi: CellField,
    velocity: Callable[[Points], Points],
    h: float,
    meshing: Meshing,
    domain: Domain,
    solids: Sequence[Solid],
    drops: tuple[Points, Points],
) -> Mesh:
    """The surface of a liquid (in 2-D the region it fills), with normals (in 3-D) and velocities at its vertices.

    Args:
        phi: Signed distance of cell centres, m, going on into solids.
        velocity: Of the liquid at points (n, d) in metres, m/s; NaN where it is not known.
        h: Cell size, m.
        meshing: How fine, how smooth, and whether it is closed, and whether drops are shown.
        domain: Its closed and open sides cut the liquid off.
        solids: The liquid ends a hair's breadth under their faces.
        drops: Places (n, d) and volumes of drops, m and m³.
    """
    lattice = Lattice.over(domain, solids, h, meshing.detail)
    tiles = _lattice_tiles(phi.tiles, meshing.detail)
    flying = _on_lattice(*drops, tiles, lattice.spacing)
    if not (phi.pool < 0).any() and flying.count == 0:
        return Mesh.empty()
    if meshing.drops and flying.tiles is not None:
        tiles = flying.tiles
    field = CellField.filled(tiles, np.float32(phi.pool[0].max() / lattice.spacing))
    places = _samples(tiles) / meshing.detail
    field.pool[1:] = (sampled_smoothly(phi, places, h) / lattice.spacing).reshape(-1, *tiles.shape)
    if meshing.drops and flying.count:
        field.pool = with_drops(field.pool, flying, tiles, meshing.detail)
    solid = solid_distance(tiles, lattice)
    cut = CellField(tiles, cut_off(field.pool, tiles, lattice, solid))
    cuts = march(cut, midpoints=meshing.placement == "midpoint", flat=_FLAT)
    walls = walls_of(cuts.places, lattice)
    near = sampled(CellField(tiles, solid_phi_everywhere(tiles, solid)), cuts.places[:, : tiles.dimension] + 0.5)
    walls[near < _AT_SOLID] |= RESTS
    carried = np.zeros((len(cuts.places), 3), np.float32)
    carried[:, : tiles.dimension] = np.nan_to_num(velocity(cuts.places[:, : tiles.dimension] * lattice.spacing))
    draft = Draft(flush(cuts.places, walls, lattice), carried, walls, cuts.faces, cuts.edges)
    volumes = part_volumes(draft.places, draft.rows, draft.parts)
    least = meshing.smallest * meshing.detail**tiles.dimension
    smooth = without_specks(swept(draft, meshing.sweeps * meshing.detail), volumes, least)
    return finished(out_of_solids(shaped(*smooth, meshing.subdivide), lattice)[0], field, meshing, lattice.spacing)


def _on_lattice(position: Points, volume: Points, tiles: Tiles, spacing: float) -> Particles:
    """Drops as particles of a lattice, whose samples are the centres of its cells; sorted into its tiles."""
    drops = Particles.at(position.reshape(-1, tiles.dimension) / spacing + 0.5)
    drops.volume[:] = volume / spacing**tiles.dimension
    sort_onto(drops, tiles, _ROUND_DROPS)
    return drops


def _lattice_tiles(tiles: Tiles, detail: int) -> Tiles:
    """The tiles of a lattice with so many samples in a cell along each axis, over all of some tiles."""
    d = tiles.dimension
    steps = np.array([(*step, *(0,) * (3 - d)) for step in itertools.product(range(detail), repeat=d)])
    scale = np.array([detail] * d + [1] * (3 - d))
    return Tiles.at((tiles.coordinates[1:, None, :] * scale + steps[None]).reshape(-1, 3), d)


def _samples(tiles: Tiles) -> Points:
    """Lattice coordinates of all samples of tiles, (n, d)."""
    return tiles.cell_centres(tiles.slots, 1.0) - 0.5
