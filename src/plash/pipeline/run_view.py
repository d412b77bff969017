"""A run as a notebook shows it: its movie or a contact sheet, how far it is, and where its files are."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path

from plash.files.layout import RunFolder
from plash.files.manifest import Manifest
from plash.scene.model import Scene

_LARGEST = 20 * 2**20  # bytes of a movie that is put into a page
_TYPES = {".mp4": "video/mp4", ".webm": "video/webm", ".gif": "image/gif", ".webp": "image/webp", ".png": "image/png"}


def run_html(scene: Scene, manifest: Manifest, folder: RunFolder, frames: Sequence[int]) -> str:
    """A run by its manifest: what it shows, the frames there are, and what is done of each stage."""
    movies = [folder.movie(manifest.name, form) for form in scene.output.movies]
    done = {name: len(record.items) for name, record in manifest.stages.items() if record.items}
    facts = {"folder": str(folder.root), "frames": f"{len(frames)} of {scene.time.frames}"}
    facts |= {"files": ", ".join(f"{name} {count}" for name, count in done.items())}
    return view(scene.title or manifest.name, [*movies, folder.contact], facts)


def view(title: str, pictures: Sequence[Path], facts: dict[str, str]) -> str:
    """The first of some pictures or movies that is there, with facts beside it."""
    shown = next((picture for picture in pictures if picture.is_file() and picture.stat().st_size <= _LARGEST), None)
    rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    seen = _embedded(shown) if shown is not None else ""
    return f"<div><strong>{html.escape(title)}</strong><br>{seen}<table>{rows}</table></div>"


def _embedded(file: Path) -> str:
    kind = _TYPES[file.suffix]
    data = f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
    if kind.startswith("video"):
        return f'<video controls loop muted playsinline width="480" src="{data}"></video>'
    return f'<img width="480" alt="{html.escape(file.name)}" src="{data}">'
