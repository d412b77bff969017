"""The surface of whatever a frame shows."""

from __future__ import annotations

from plash.mesh.box_surface import box_surface
from plash.mesh.mesh import Mesh
from plash.mesh.reconstruct import liquid_surface
from plash.scene.model import Scene
from plash.solvers.box_state import FrameGrids
from plash.solvers.solver import Snapshot


def surface_of(seen: Snapshot, scene: Scene, time: float) -> Mesh:
    """The surface of the liquid in a frame at a time (s): round its particles, or where its density is the isovalue."""
    if isinstance(seen, FrameGrids):
        level = scene.solver.isovalue
        return box_surface(seen.density, seen.velocity, level, seen.h, scene.mesh, scene.solid)
    solids = scene.solids_at(time)
    return liquid_surface(seen.position, seen.velocity, seen.volume, scene.domain.h, scene.mesh, scene.domain, solids)
