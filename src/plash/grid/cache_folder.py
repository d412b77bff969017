"""In which folder the machine code of a module is: one per user, named after the source that it was made from."""

from __future__ import annotations

import functools
import getpass
import hashlib
import os
import re
import tempfile
import time
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_BEGUN = time.time()  # before any module with kernels is read
_IMPORT = re.compile(r"^\s*from (plash(?:\.\w+)+) import (\([^)]*\)|.*)$", re.MULTILINE)


@functools.cache
def cache_folder(module: str) -> Path:
    """Per-user folder for the machine code of a module, named after the source of all that its kernels may contain.

    Numba does not notice an edit in a called function of another file; a folder per source does. That source is the
    module and whatever of plash it imports, so an edit compiles only those kernels again that can contain it.
    A process that has the text from before an edit keeps what it compiles in a folder that no other finds.
    """
    source = hashlib.sha256()
    for file in sorted(_sources(module)):
        source.update(_text(file))
        if (changed := file.stat().st_mtime) > _BEGUN:
            source.update(f"{changed} {os.getpid()}".encode())
    folder = cache_root() / f"{module.removeprefix('plash.')}-{source.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def cache_root() -> Path:
    """Per-user folder of all machine code; among temporary files, where the user's own cannot be written to."""
    base = Path(os.environ.get("PLASH_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = base / "plash"
    try:
        root.mkdir(parents=True, exist_ok=True)
        writable = os.access(root, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        root = Path(tempfile.gettempdir()) / f"plash-{getpass.getuser()}"
        root.mkdir(parents=True, exist_ok=True)
    return root


def _sources(module: str) -> set[Path]:
    """The files of a module and of all modules of plash that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [_file_of(module)]
    while waiting:
        file = waiting.pop()
        if file is not None and file not in found:
            found.add(file)
            waiting += _imported_by(file)
    return found


@functools.cache
def _imported_by(file: Path) -> list[Path | None]:
    """The files of modules of plash that a file imports, and None for names that are no modules."""
    found = _IMPORT.findall(_text(file).decode())
    names = [
        name for home, names in found for name in (home, *(f"{home}.{part}" for part in re.findall(r"\w+", names)))
    ]
    return [_file_of(name) for name in names]


@functools.cache
def _file_of(module: str) -> Path | None:
    file = _PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return file if file.is_file() else None


@functools.cache
def _text(file: Path) -> bytes:
    return file.read_bytes()
