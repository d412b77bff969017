"""One program at a time in a run folder. The lock goes with the process, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from filelock import lock_descriptor

from plash.errors import StorageError
from plash.files.atomic import errors_of_disk, remove_temporaries
from plash.files.guard import FILE, found_at, refuse_strange_places
from plash.files.layout import RunFolder, Stages

_OWNER = 1  # where the owner's name begins: on Windows the first byte is what is locked, and nobody else may read it


@contextmanager
def locked(folder: RunFolder, stages: Stages) -> Iterator[None]:
    """Hold the folder of a run of some stages; it is made if it is not there, and cleared of what killed writers left.

    Raises:
        StorageError: Another program holds it, the folder cannot be written to or locked, or a link leads out of it.
    """
    with errors_of_disk(folder.root, "used as a run folder"):
        folder.root.mkdir(parents=True, exist_ok=True)
        refuse_strange_places(folder, stages)
        file = folder.lock.open("a+b", buffering=0)
    with file:
        with errors_of_disk(folder.root, "locked"):
            is_ours = lock_descriptor(file.fileno(), blocking=False)
        if not is_ours:
            file.seek(_OWNER)
            owner = file.read(20).decode(errors="replace").strip()
            raise StorageError(
                f"{folder.root}: is in use by another plash (process {owner or 'unknown'}). "
                "Wait until it ends, or choose another folder with --out"
            )
        with errors_of_disk(folder.root, "written"):
            file.truncate(_OWNER)
            file.write(f"{os.getpid()}\n".encode())
            for part in (folder.root, *folder.parts(stages)):
                remove_temporaries(part)
        yield


def is_locked(folder: RunFolder) -> bool:
    """Whether a program works in a run folder at this moment."""
    if found_at(folder.lock) != FILE:
        return False
    try:
        with folder.lock.open("r+b") as file:
            return not lock_descriptor(file.fileno(), blocking=False)
    except OSError:
        return False
