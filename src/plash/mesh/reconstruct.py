"""The liquid's surface from its particles.

Samples stand on a lattice of spacing h/detail whose points include the corners of cells, so that walls pass through
samples. The surface is where half of the space round a sample is filled (`plash.mesh.fill`), for flat water exactly
at its level. Particles that it does not cover become drops (`plash.mesh.drops`). Walls cut the liquid off. What was
cut is smoothed, its small pieces are made round (`plash.mesh.pieces`), what lies in solids is drawn out to their faces
(`plash.mesh.contact`), and it gets the volume of the particles (`plash.mesh.volumes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.carried import COLOR, NO_SCALARS
from plash.grid.compile import chunk_count, kernel
from plash.grid.fields import CellField
from plash.grid.loops import chunk_range
from plash.grid.tiles import Tiles
from plash.mesh.contact import out_of_solids
from plash.mesh.draft import RESTS, Draft
from plash.mesh.fill import carried_near
from plash.mesh.finish import finished, shaped
from plash.mesh.lattice import Lattice, flush, solid_phi_everywhere, walls_of
from plash.mesh.liquid_field import LiquidField, liquid_field
from plash.mesh.marching import Cuts, march
from plash.mesh.mesh import Mesh
from plash.mesh.pieces import pieces_of, with_round_drops, without_specks
from plash.mesh.smooth import swept
from plash.mesh.vertex_colors import with_colors
from plash.mesh.volumes import part_volumes, with_volumes
from plash.scene.bodies import Solid
from plash.scene.domain import Domain
from plash.scene.meshing import Meshing
from plash.timing import stage

_AT_SOLID = 0.1  # lattice spacings from a solid, where vertices are not smoothed: the seam is hidden there
_FLAT = 0.02  # lattice spacings by which the distance changes along an edge that lies in the surface
_MOST_MENDED = 0.05  # cells: how far the whole surface may move to have the particles' volume
_MOST_MENDED_FINE = 0.08  # the same on a lattice finer than usual, whose sheets are thicker to begin with
_MOST_MENDED_AT_SOLIDS = 0.6  # the same where there are solids: thin walls are simulated thicker than they are drawn


@stage
def liquid_surface(
    position: NDArray[np.float64],
    velocity: NDArray[np.float32],
    volume: NDArray[np.float64],
    h: float,
    meshing: Meshing,
    domain: Domain,
    solids: Sequence[Solid],
    scalars: Mapping[str, NDArray[np.float32]] = NO_SCALARS,
) -> Mesh:
    """The surface of a liquid (in 2-D the region it fills), with normals (in 3-D) and what it carries at its vertices.

    Args:
        position: Of the particles (n, d), m.
        velocity: Of the particles (n, d), m/s.
        volume: That each particle stands for, m³ (m² in 2-D).
        h: Cell size of the simulation, m.
        meshing: How fine, how smooth, and whether it is closed.
        domain: Its closed and open sides cut the liquid off.
        solids: The liquid ends a hair's breadth under their faces.
        scalars: What else the particles carry (n,), by name; their color is (n, 3).
    """
    if len(position) == 0:
        return Mesh.empty()
    field = liquid_field(position, velocity, volume, h, meshing, domain, solids, scalars)
    tiles, detail = field.tiles, meshing.detail
    cuts = march(field.cut, midpoints=meshing.placement == "midpoint", flat=_FLAT)
    ends = _ends_in(tiles, cuts)
    has_surface = np.zeros(tiles.count + 1, np.bool_)
    has_surface[ends // int(np.prod(tiles.shape))] = True
    names = tuple(name for name in scalars if name != COLOR)
    totals = carried_near(field.particles, tiles, names, detail, has_surface)
    pools = (field.filled, totals, solid_phi_everywhere(tiles, field.solid)[None])
    draft = _draft(cuts, ends, field.lattice, pools, names)

    if COLOR in scalars:
        draft = with_colors(draft, ends, field.cut, field.particles, detail)
    draft = _shaped(draft, ends, field, meshing)
    return finished(draft, CellField(tiles, field.phi), meshing, field.lattice.spacing)


def _shaped(draft: Draft, ends: NDArray[np.int64], field: LiquidField, meshing: Meshing) -> Draft:
    """What was cut from a field, smoothed and subdivided, out of solids; its drops round, its volume the particles'."""
    cut, particles, lattice = field.cut, field.particles, field.lattice
    # A finer lattice has shorter edges, and needs more sweeps for the same effect
    smooth = swept(draft, meshing.sweeps * meshing.detail)
    least = meshing.smallest * meshing.detail**cut.tiles.dimension
    if not meshing.drops or meshing.placement == "midpoint":
        volumes = part_volumes(draft.places, draft.rows, draft.parts)
        return out_of_solids(shaped(*without_specks(smooth, volumes, least), meshing.subdivide), lattice)[0]
    pieces = pieces_of(draft, ends, cut.pool, cut.tiles, particles)
    smooth, volumes, large = with_round_drops(smooth, pieces, particles, least)
    rest = particles.total_volume() - field.hidden - float(np.nansum(pieces.carried))
    drawn, under = out_of_solids(shaped(smooth, volumes, meshing.subdivide), lattice)
    in_the_open = _MOST_MENDED_FINE if meshing.detail > 2 else _MOST_MENDED
    furthest = _MOST_MENDED_AT_SOLIDS if lattice.solids else in_the_open
    return _with_volume(drawn, large, rest + under, furthest * meshing.detail)


def _draft(
    cuts: Cuts,
    ends: NDArray[np.int64],
    lattice: Lattice,
    pools: tuple[NDArray[np.float32], ...],
    names: tuple[str, ...],
) -> Draft:
    """The surface as it was cut, flush with walls, with the mean of what particles round each vertex carry.

    Args:
        cuts: Vertices and triangles.
        ends: Of the samples that each vertex lies between, in the pools.
        lattice: Where samples and walls are.
        pools: Of the volume, of what is carried times the volume, and of the distance to solids.
        names: Of what is carried beside the velocity.
    """
    volume, totals, solid_phi = (_between(pool, ends, cuts.share) for pool in pools)
    means = np.zeros((len(cuts.places), 3 + len(names)), np.float32)
    axes = len(totals) - len(names)
    for row, total in enumerate(totals):
        column = row if row < axes else row - axes + 3
        means[:, column] = np.divide(total, volume[0], out=np.zeros_like(total), where=volume[0] > 0)
    walls = walls_of(cuts.places, lattice)
    walls[solid_phi[0] < _AT_SOLID] |= RESTS
    return Draft(flush(cuts.places, walls, lattice), means, walls, cuts.faces, cuts.edges, names)


def _between(pools: NDArray[np.float32], ends: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float32]:
    """The values of pools at vertices, by pool."""
    values = np.empty((len(pools), len(ends)), np.float32)
    _take_between(pools.reshape(len(pools), -1), ends, share, values, chunk_count())
    return values


def _ends_in(tiles: Tiles, cuts: Cuts) -> NDArray[np.int64]:
    """Flat indices into pools on the given tiles of the samples that each vertex lies between."""
    if cuts.tiles is tiles:
        return cuts.ends
    slot_of = np.concatenate([[0], tiles.slots_of(cuts.tiles.keys)])
    size = int(np.prod(tiles.shape))
    ends: NDArray[np.int64] = slot_of[cuts.ends // size] * size + cuts.ends % size
    return ends


@kernel
def _take_between(pools, ends, share, values, chunks):
    n = len(share)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            for k in range(len(pools)):
                values[k, i] = pools[k, ends[i, 0]] * (1 - share[i]) + pools[k, ends[i, 1]] * share[i]


def _with_volume(draft: Draft, large: int, volume: float, furthest: float) -> Draft:
    """The draft whose first parts have a volume together: all are moved alike, and not far."""
    if large == 0:
        return draft
    part = np.maximum(draft.parts - np.int32(large - 1), 0)
    wanted = np.full(int(part.max()) + 1, np.nan)
    wanted[0] = volume
    return with_volumes(draft, part, wanted, furthest)
