"""One program at a time in a run folder. The lock goes with the process, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from plash.errors import StorageError
from plash.files.atomic import errors_of_disk, remove_temporaries
from plash.files.guard import FILE, found_at, refuse_strange_places
from plash.files.layout import RunFolder, Stages


@contextmanager
def locked(folder: RunFolder, stages: Stages) -> Iterator[None]:
    """Hold the folder of a run of some stages; it is made if it is not there, and cleared of what killed writers left.

    Raises:
        StorageError: Another program holds it, the folder cannot be written to, or a link leads out of it.
    """
    with errors_of_disk(folder.root, "used as a run folder"):
        folder.root.mkdir(parents=True, exist_ok=True)
        refuse_strange_places(folder, stages)
        file = folder.lock.open("a+b")
    with file:
        if not _take(file):
            file.seek(0)
            owner = file.read(20).decode(errors="replace").strip()
            raise StorageError(
                f"{folder.root}: is in use by another plash (process {owner or 'unknown'}). "
                "Wait until it ends, or choose another folder with --out"
            )
        with errors_of_disk(folder.root, "written"):
            file.truncate(0)
            file.write(f"{os.getpid()}\n".encode())
            file.flush()
            for part in (folder.root, *folder.parts(stages)):
                remove_temporaries(part)
        yield


def is_locked(folder: RunFolder) -> bool:
    """Whether a program works in a run folder at this moment."""
    if found_at(folder.lock) != FILE:
        return False
    try:
        with folder.lock.open("r+b") as file:
            return not _take(file)
    except OSError:
        return False


def _take(file: BinaryIO) -> bool:
    """Lock an open file, if nobody else has."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(1 << 20)  # the lock is on a byte of its own, so that others can read the owner
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
