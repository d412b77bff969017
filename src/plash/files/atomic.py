"""Files that are whole or not there: written under another name, flushed to disk, then renamed.

Every file of a run goes through here and is remembered with its size and checksum, so that one that was cut short or
changed is noticed when it is read again.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from plash.errors import DamagedError, StorageError
from plash.files.guard import FILE, found_at, refuse_unless_file

_TEMPORARY = ".tmp"
_CHUNK = 1 << 22
_HERE = hashlib.sha256(platform.node().encode()).hexdigest()[:4]  # machines that share a disk count processes alike


@dataclass(frozen=True)
class Written:
    """What a file held when it was written: its size in bytes and its SHA-256; and when that was, in ns since 1970."""

    bytes: int
    sha256: str
    changed: int = field(default=0, compare=False)


def write_bytes(path: Path, data: bytes) -> Written:
    """Write a file whole, or not at all."""
    return write_file(path, lambda temporary: temporary.write_bytes(data))


def write_file(path: Path, fill: Callable[[Path], object]) -> Written:
    """Write a file whole, or not at all; `fill` writes its content to the path it is given.

    Raises:
        StorageError: It cannot be written; whatever was at the path before is still there.
    """
    if path.is_dir():
        raise StorageError(f"{path}: is a folder where a file is to be written. Move it, or choose another name")
    temporary = temporary_of(path)
    try:
        with errors_of_disk(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            fill(temporary)
            with temporary.open("r+b") as file:
                os.fsync(file.fileno())
                written = _measure(file)
            temporary.replace(path)
            _flush_folder(path.parent)
        return written
    except BaseException:
        with suppress(OSError):  # the first error is what counts; leftovers are cleared when the folder is next used
            temporary.unlink()
        raise


def temporary_of(path: Path) -> Path:
    """Where this process writes a file before it takes its place."""
    return path.with_name(f".{path.name}.{_HERE}{os.getpid()}{_TEMPORARY}")


def read_bytes(path: Path, expected: Written | None, remedy: str) -> bytes:
    """The content of a file, which must be what was written.

    Args:
        path: The file.
        expected: What it held when it was written; None if that is not known.
        remedy: What the user can do if it is missing or damaged.
    """
    refuse_unless_file(path, remedy)
    with errors_of_disk(path, "read"), path.open("rb") as file:
        if expected is not None:
            _compare_size(path, file, expected, remedy)
        data = file.read()
    if expected is not None:
        found = Written(len(data), hashlib.sha256(data).hexdigest())
        _compare(path, found, expected, remedy)
    return data


def verify(path: Path, expected: Written, remedy: str) -> None:
    """Refuse a file that is not what was written, without keeping it in memory."""
    refuse_unless_file(path, remedy)
    with errors_of_disk(path, "read"), path.open("rb") as file:
        _compare_size(path, file, expected, remedy)
        found = _measure(file)
    _compare(path, found, expected, remedy)


def has_size(path: Path, expected: Written) -> bool:
    """Whether the file is there with the size that was written; cheap, and finds what was deleted or cut short."""
    return found_at(path) == FILE and path.stat().st_size == expected.bytes


def is_untouched(path: Path, expected: Written) -> bool:
    """Whether the file is there with its size and nobody wrote to it since; says nothing about a disk that decays."""
    return has_size(path, expected) and path.stat().st_mtime_ns == expected.changed


def remove_temporaries(folder: Path) -> None:
    """Take away what killed writers left behind; the caller must be alone in the folder."""
    for file in folder.glob(f".*{_TEMPORARY}"):
        file.unlink(missing_ok=True)


@contextmanager
def errors_of_disk(path: Path, verb: str) -> Iterator[None]:
    """Turn what the operating system says about a file into a message for people."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{path}: cannot be {verb}: {_reason(error, path)}") from error


def _reason(error: OSError, path: Path) -> str:
    reason = (error.strerror or str(error)).lower()
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return f"{reason}. Free some space, then go on with `plash resume`: every frame written so far is kept"
        case errno.EROFS:
            return f"{reason}. Choose another folder with --out"
        case errno.EACCES | errno.EPERM:
            return f"{reason}. Change the rights of {path.parent}, or choose another folder with --out"
        case errno.ENOTDIR | errno.EEXIST:
            return f"{reason}: a file stands where a folder is needed. Choose another folder with --out"
        case errno.ENAMETOOLONG:
            return f"{reason}. Choose a shorter path with --out"
    return reason


def _measure(file: BinaryIO) -> Written:
    digest, size = hashlib.sha256(), 0
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return Written(size, digest.hexdigest(), os.fstat(file.fileno()).st_mtime_ns)


def _compare_size(path: Path, file: BinaryIO, expected: Written, remedy: str) -> None:
    """Refuse a file of another size before it is read: nobody knows how much there is."""
    size = os.fstat(file.fileno()).st_size
    if size != expected.bytes:
        raise _wrong_size(path, size, expected, remedy)


def _compare(path: Path, found: Written, expected: Written, remedy: str) -> None:
    if found.bytes != expected.bytes:
        raise _wrong_size(path, found.bytes, expected, remedy)
    if found.sha256 != expected.sha256:
        raise DamagedError(f"{path}: is damaged: its content is not what was written. {remedy}")


def _wrong_size(path: Path, size: int, expected: Written, remedy: str) -> DamagedError:
    return DamagedError(f"{path}: is damaged: it has {size} bytes, not {expected.bytes}. {remedy}")


def _flush_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
