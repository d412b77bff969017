"""The run folders under one folder: what there is, how far each is, and the files a page may see.

Nothing outside that folder is ever read, whatever a name says and wherever a link leads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from plash.errors import StorageError
from plash.files.guard import FILE, found_at
from plash.files.layout import RunFolder
from plash.files.lock import is_locked
from plash.files.manifest import Manifest, scene_data
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.registry import frame_stages, read_run
from plash.pipeline.stages.surfaces import SURFACES

_DEEPEST = 2  # folders below the runs folder in which runs are looked for
_MOST = 500
_LARGEST = 1e15


@dataclass(frozen=True)
class Runs:
    """The runs under a folder."""

    root: Path

    def all(self) -> list[dict[str, Any]]:
        """What there is, the latest first."""
        found = []
        for folder in self._folders(self.root, _DEEPEST):
            try:
                found.append(self._facts(folder))
            except (StorageError, OSError):
                continue
        return sorted(found, key=lambda run: -run["changed"])

    def file(self, name: str, what: str, frame: int = 1) -> Path | None:
        """A file of a run that a page may see; None if there is none."""
        folder = self.folder(name)
        if folder is None:
            return None
        run = RunFolder(folder)
        try:
            path = _movie(run, read_run(run)) if what == "movie" else _files(run, frame).get(what)
            is_here = path is not None and path.resolve().is_relative_to(self.root.resolve())
        except (StorageError, OSError):
            return None
        return path if path is not None and is_here and found_at(path) == FILE else None

    def folder(self, name: str) -> Path | None:
        """The run folder of a name; None if there is none, or if it is not under the runs folder."""
        if "\\" in name:
            return None
        try:
            path = (self.root / name).resolve()
            inside = path.is_relative_to(self.root.resolve()) and path != self.root.resolve()
            return path if inside and RunFolder(path).is_run() else None
        except (OSError, ValueError, RuntimeError):  # too long, no text, or links that go round in a circle
            return None

    def new(self, title: str) -> Path:
        """A folder for a new run that is not there yet."""
        words = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in title.lower()).split()
        name = "_".join(words)[:40] or "run"
        numbers = (f"{name}_{number}" if number > 1 else name for number in range(1, 10_000))
        paths = (self.root / candidate for candidate in numbers)
        return next(path for path in paths if not path.exists() and not path.with_suffix(".toml").exists())

    def _folders(self, folder: Path, depth: int) -> list[Path]:
        found: list[Path] = []
        try:
            inside = sorted(path for path in folder.iterdir() if path.is_dir() and _can_be_shown(path.name))
        except OSError:
            return []
        for path in inside[:_MOST]:
            if self.folder(path.relative_to(self.root).as_posix()) is not None:
                found.append(path)
            elif depth > 1 and not path.is_symlink():
                found += self._folders(path, depth - 1)
        return found[:_MOST]

    def _facts(self, folder: Path) -> dict[str, Any]:
        run = RunFolder(folder)
        manifest = _manifest(run, run.manifest.stat().st_mtime_ns)
        scene = _scene_facts(manifest)
        done = {stage.name: len(manifest.stage(stage.name).items) for stage in frame_stages()}
        wanted = [name for name in done if name in manifest.wanted]
        return {
            "name": folder.relative_to(self.root).as_posix(),
            **scene,
            "done": done,
            "wanted": wanted,
            "surfaces": sorted(manifest.stage(SURFACES.name).items),
            "running": is_locked(run),
            "finished": all(done[name] >= scene["frames"] for name in wanted),
            "message": manifest.message,
            "movie": _movie(run, manifest) is not None,
            "report": found_at(run.report) == FILE,
            "picture": max(manifest.stage(PICTURES.name).items, default=0),
            "changed": run.manifest.stat().st_mtime,
        }


def _can_be_shown(name: str) -> bool:
    """Whether a folder is to be listed: it is not hidden, and its name is text."""
    return not name.startswith(".") and name.isprintable()


def _files(run: RunFolder, frame: int) -> dict[str, Path]:
    """The files that a page may ask for, beside the movie."""
    return {
        "surface": run.surface(frame),
        "picture": run.picture(frame),
        "report": run.report,
        "contact": run.contact,
    }


def _movie(run: RunFolder, manifest: Manifest) -> Path | None:
    paths = (run.movie(manifest.name, kind) for kind in ("mp4", "webm"))
    return next((path for path in paths if found_at(path) == FILE), None)


@lru_cache(maxsize=_MOST)
def _manifest(run: RunFolder, changed: int) -> Manifest:
    """The manifest of a run as it is since it was last changed."""
    return read_run(run)


def _scene_facts(manifest: Manifest) -> dict[str, Any]:
    """What the list says about the scene of a run, read without checking it again."""
    data = scene_data(manifest)
    domain, time = (part if isinstance(part := data.get(name), dict) else {} for name in ("domain", "time"))
    size, resolution, frames, fps = domain.get("size"), domain.get("resolution"), time.get("frames"), time.get("fps")
    sizes = [_number(side) for side in size] if isinstance(size, list) and len(size) in (2, 3) else [None]
    if None in sizes:
        raise StorageError("the scene in the manifest cannot be read")
    return {
        "title": str(data.get("title") or manifest.source),
        "size": sizes,
        "resolution": _number(resolution),
        "frames": int(_number(frames) or 120),
        "fps": _number(fps) or 24.0,
    }


def _number(value: object) -> float | None:
    """A number that can be shown; None if it is none."""
    return value if isinstance(value, int | float) and abs(value) < _LARGEST else None
