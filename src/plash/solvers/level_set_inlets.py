"""Spouts of a liquid whose surface is a level set: what is behind their openings counts as liquid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plash.grid.tiles import Tiles, pack
from plash.levelset.inside import places_of
from plash.levelset.redistance import redistance
from plash.physics.flow.inlets import Inlet
from plash.physics.flow.sources import RunningInlets
from plash.physics.level_set.band import BAND, first_corners
from plash.physics.solids.base import Solids
from plash.solvers.level_set_room import BEHIND
from plash.solvers.level_set_state import LevelSetState


def running_inlets(inlets: Sequence[Inlet], time: float, dt: float) -> list[Inlet]:
    """Those through which liquid comes in during dt, from a time on (s)."""
    return [inlet for inlet in inlets if inlet.speed(time, time + dt) > 0]


def reach_inlets(state: LevelSetState, running: Sequence[Inlet], time: float, h: float) -> None:
    """Have tiles where liquid comes in up to a time (s)."""
    if not running:
        return
    phi = state.level_set.phi
    cells = np.concatenate([inlet.stencil(time).inlet_cells for inlet in running]).astype(np.int64)
    full = np.zeros((len(cells), 3), np.int64)
    full[:, : cells.shape[1]] = cells
    keys = np.union1d(phi.tiles.keys, pack(full // np.array(phi.tiles.shape[::-1])))
    if len(keys) > phi.tiles.count:
        state.level_set.phi = phi = phi.moved_to(Tiles.of_keys(keys, phi.tiles.dimension))
    phi.pool[places_of(cells, phi.tiles)] = np.float32(-0.5 * h)


def open_inlets(state: LevelSetState, solids: Solids, inlets: RunningInlets, h: float) -> None:
    """Let cells behind the openings of spouts be liquid, and those no longer be that were."""
    level_set, tiles = state.level_set, state.tiles
    behind = np.nonzero(inlets.solids.is_solid & ~solids.is_solid)
    before, state.inlet_cells = state.inlet_cells, first_corners(tiles, behind).astype(np.int64)
    if not np.array_equal(before, state.inlet_cells):
        level_set.phi.pool[places_of(before, tiles)] = np.float32(BAND * h)
        level_set.phi.pool[behind] = np.float32(-BEHIND * h)
        level_set.phi = redistance(level_set.phi, BAND * h, h, solids.is_solid)
