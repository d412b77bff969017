"""The surface of whatever a frame shows."""

from __future__ import annotations

from plash.mesh.mesh import Mesh
from plash.scene.model import Scene
from plash.solvers.frame import Snapshot


def surface_of(seen: Snapshot, scene: Scene, time: float) -> Mesh:
    """The surface of the liquid in a frame at a time (s): round its particles, or where its density is the isovalue."""
    return seen.surface(scene, time)
