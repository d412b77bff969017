"""plash: a liquid from a short scene file.

    import plash
    for frame in plash.simulate(plash.load_scene("dam_break")):
        print(frame.number, frame.particles.position.shape)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plash.errors import DivergedError, PlashError, Problem, SceneError
from plash.version import VERSION as __version__

if TYPE_CHECKING:
    from plash.pipeline.simulate import Frame, simulate
    from plash.scene import Scene, load_scene
    from plash.solvers.build import build
