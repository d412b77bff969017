"""A scene as a notebook shows it."""

from __future__ import annotations

import html

from plash.scene.language.write import scene_text
from plash.scene.model import Scene


def scene_html(scene: Scene) -> str:
    """Its title, its size, and the text of its file."""
    domain = scene.domain
    size = " × ".join(f"{length:g}" for length in domain.size)
    cells = " × ".join(str(count) for count in domain.cells)
    text = html.escape(scene_text(scene, name_functions=True))
    return (
        f"<div><strong>{html.escape(scene.title or 'Scene')}</strong>: {size} m, {cells} cells, "
        f"{scene.time.frames} frames of 1/{scene.time.fps:g} s"
        f"<details><summary>scene file</summary><pre>{text}</pre></details></div>"
    )
