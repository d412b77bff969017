"""What the user asks for: the scene, typed and checked; no numerics.

A scene is read from a TOML file (``load_scene``), or made in Python from the same parts by the same names.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plash.scene.names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        # On first use: the list of scenes, and words that a shell completes, need no model of a scene
        names = importlib.import_module("plash.scene.names")
        if name not in names.__all__:
            raise AttributeError(f"module 'plash.scene' has no attribute {name!r}")
        return getattr(names, name)
