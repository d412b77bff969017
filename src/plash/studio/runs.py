"""The run folders under one folder: what there is, how far each is, and the files a page may see.

Nothing outside that folder is ever read, whatever a name says and wherever a link leads.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from plash.errors import StorageError
from plash.files.layout import RunFolder
from plash.files.lock import is_locked
from plash.files.manifest import Manifest, read_manifest

_DEEPEST = 2  # folders below the runs folder in which runs are looked for
_MOST = 500
_STAGES = ("simulate", "mesh", "render")


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

    def file(self, name: str, kind: str, frame: int = 1) -> Path | None:
        """A file of a run that a page may see; None if there is none."""
        folder = self.folder(name)
        if folder is None:
            return None
        run = RunFolder(folder)
        files = {
            "surface": run.surface(frame),
            "picture": run.picture(frame),
            "movie": self._movie(run),
            "report": run.report,
            "contact": run.contact,
        }
        path = files.get(kind)
        if path is None or not path.is_file() or not path.resolve().is_relative_to(self.root.resolve()):
            return None
        return path

    def folder(self, name: str) -> Path | None:
        """The run folder of a name; None if there is none, or if it is not under the runs folder."""
        if "\0" in name or "\\" in name:
            return None
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root.resolve()) or path == self.root.resolve():
            return None
        return path if RunFolder(path).is_run() else None

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
            inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        except OSError:
            return []
        for path in inside[:_MOST]:
            if not path.resolve().is_relative_to(self.root.resolve()):
                continue
            if RunFolder(path).is_run():
                found.append(path)
            elif depth > 1:
                found += self._folders(path, depth - 1)
        return found[:_MOST]

    def _facts(self, folder: Path) -> dict[str, Any]:
        run = RunFolder(folder)
        manifest = _manifest(run, run.manifest.stat().st_mtime_ns)
        scene = _scene_facts(manifest)
        done = {name: sum(1 for n in manifest.stage(name).items if n > 0) for name in _STAGES}
        surfaces = sorted(number for number in manifest.stage("mesh").items if number > 0)
        wanted = [name for name in _STAGES if name in manifest.wanted]
        return {
            "name": folder.relative_to(self.root).as_posix(),
            **scene,
            "done": done,
            "wanted": wanted,
            "surfaces": surfaces,
            "running": is_locked(run),
            "finished": all(done[name] >= scene["frames"] for name in wanted),
            "message": manifest.message,
            "movie": self._movie(run) is not None,
            "report": run.report.is_file(),
            "picture": max((n for n in manifest.stage("render").items if n > 0), default=0),
            "changed": run.manifest.stat().st_mtime,
        }

    def _movie(self, run: RunFolder) -> Path | None:
        return next((path for kind in ("mp4", "webm") if (path := run.movie(kind)).is_file()), None)


@lru_cache(maxsize=_MOST)
def _manifest(run: RunFolder, changed: int) -> Manifest:
    """The manifest of a run as it is since it was last changed."""
    return read_manifest(run)


def _scene_facts(manifest: Manifest) -> dict[str, Any]:
    """What the list says about the scene of a run, read without checking it again."""
    try:
        data = tomllib.loads(manifest.scene)
        size = [float(side) for side in data["domain"]["size"]]
        resolution = data["domain"].get("resolution")
        frames = int(data.get("time", {}).get("frames", 120))
        fps = float(data.get("time", {}).get("fps", 24))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError):
        raise StorageError("the scene in the manifest cannot be read") from None
    title = str(data.get("title") or manifest.source)
    return {"title": title, "size": size, "resolution": resolution, "frames": frames, "fps": fps}
