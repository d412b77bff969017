"""What may stand where in a run folder: plain files and plain folders, and nothing that leads elsewhere.

A run folder may come from a stranger. Links in it are not followed, and pipes, sockets and devices are not opened:
every file of a run is opened after a look at what it is, and whoever works in a run folder has it looked over first.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from plash.errors import DamagedError, StorageError
from plash.files.layout import RunFolder, Stages

FILE, FOLDER, NOTHING = "a file", "a folder", "nothing"
_KINDS = {
    stat.S_IFREG: FILE,
    stat.S_IFDIR: FOLDER,
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def found_at(path: Path) -> str:
    """What stands at a path, in words: a link is a link, wherever it leads."""
    try:
        return _KINDS.get(stat.S_IFMT(os.lstat(path).st_mode), "of an unknown kind")
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING


def refuse_unless_file(path: Path, remedy: str) -> None:
    """Refuse to open what is no plain file; `remedy` is what the user can do about it.

    Raises:
        DamagedError: It is missing, or something else.
    """
    found = found_at(path)
    if found == NOTHING:
        raise DamagedError(f"{path}: is missing. {remedy}")
    if found != FILE:
        raise DamagedError(f"{path}: is {_described(path, found)}, not a file. {remedy}")


def refuse_strange_places(folder: RunFolder, stages: Stages) -> None:
    """Refuse a run folder in which what plash writes to in place, or writes files into, is something else.

    Raises:
        StorageError: Names the first such place.
    """
    places = dict.fromkeys(folder.parts(stages), FOLDER)
    places |= dict.fromkeys((folder.manifest, folder.log, folder.lock), FILE)
    for path, wanted in places.items():
        found = found_at(path)
        if found not in (wanted, NOTHING):
            raise StorageError(
                f"{path}: is {_described(path, found)}, not {wanted}: plash follows no links inside a run folder, and "
                f"opens nothing but files there. Put {wanted} in its place, or take it away"
            )


def _described(path: Path, found: str) -> str:
    return f"{found} to {os.readlink(path)}" if found == "a link" else found
