"""The log: a line of JSON for each time step, written once, with a checksum of its own.

Lines are in the order of steps. A line that is damaged or missing cannot be written again, since it tells how long
things took: the next program that works on the run puts a line in its place that says so, {"step": 7, "lost": 3} for
the three steps up to the seventh.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from plash.errors import StorageError
from plash.files.atomic import errors_of_disk, read_bytes, write_bytes
from plash.files.guard import NOTHING, found_at, refuse_unless_file
from plash.solvers.stored import AS_WRITTEN
from plash.timing import StepReport

_REMEDY = "Move it away: nothing but the report needs it"
_BEGINNING = re.compile(rb'\{"step": (\d{1,15})(?:, "lost": (\d{1,15}))?[,}]')
_CHECK = re.compile(rb'(.*), "check": "([0-9a-f]{8})"\}\n', re.DOTALL)
_LARGEST = 1 << 53
LARGEST_FILE = 1 << 30  # bytes: of two million steps


class Log:
    """A log to be continued. Steps that are in it already, done again after a crash, are not repeated.

    Attributes:
        path: The file.
        last: The last step that has a line.
        lost: How many lines were found damaged or missing, and are marked as lost now.
    """

    def __init__(self, path: Path, steps: int = 0) -> None:
        """Open a log that has a line for each of so many steps at least."""
        self.path = path
        data = _content(path)
        known, self.last = _followed(_lines(data), steps)
        whole, self.lost = _with_gaps(known, self.last)
        if whole != data:
            write_bytes(path, whole)
        with errors_of_disk(path, "written"):
            self._file = path.open("ab")

    def append(self, step: int, entry: dict[str, Any]) -> None:
        """Add the line of a step, unless it is there."""
        if step <= self.last:
            return
        with errors_of_disk(self.path, "written"):
            self._file.write(_line({"step": step, **entry}))
            self._file.flush()
        self.last = step

    def sync(self) -> None:
        """Make what was written last through a power cut."""
        with errors_of_disk(self.path, "written"):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Finish writing."""
        with errors_of_disk(self.path, "written"):
            self._file.close()


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a log, as `StepReport` has them, and `step`; what is no such line is left out."""
    for line in _content(path).splitlines(keepends=True):
        entry = _entry(line) if _range(line) is not None else None
        if entry is not None and not entry["lost"]:
            yield entry


def log_up_to(path: Path, step: int) -> bytes:
    """The lines of a log up to a step, as the text of another log."""
    return b"".join(line for _, last, line in _lines(_content(path)) if last <= step)


def lost_lines(path: Path, steps: int) -> int:
    """How many lines of so many steps are damaged or missing, and not yet marked as lost."""
    return _with_gaps(*_followed(_lines(_content(path)), steps))[1]


@dataclass
class _Entry(StepReport):
    """A line: of a step, or of some that are lost."""

    __pydantic_config__ = AS_WRITTEN
    step: int = 0
    lost: int = 0
    check: str = ""


_ENTRY = TypeAdapter(_Entry)

Line = tuple[int, int, bytes]  # the first and the last step it stands for, and its text


def _content(path: Path) -> bytes:
    """All that a log holds; nothing if there is none.

    Raises:
        StorageError: It is no file, or too large to be a log.
    """
    if found_at(path) == NOTHING:
        return b""
    refuse_unless_file(path, _REMEDY)
    with errors_of_disk(path, "read"):
        size = path.stat().st_size
    if size > LARGEST_FILE:
        raise StorageError(f"{path}: has {size} bytes, and a log may have {LARGEST_FILE}. {_REMEDY}")
    return read_bytes(path, None, _REMEDY)


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry)[:-1].encode()
    return text + f', "check": "{zlib.crc32(text):08x}"}}\n'.encode()


def _lines(data: bytes) -> Iterator[Line]:
    """The lines that are as they were written."""
    for line in data.splitlines(keepends=True):
        steps = _range(line)
        if steps is not None:
            yield *steps, line


def _range(line: bytes) -> tuple[int, int] | None:
    """The first and last step that a line stands for; None if it is not as it was written."""
    beginning, checked = _BEGINNING.match(line), _CHECK.fullmatch(line)
    if beginning is None or not line.endswith(b"}\n"):
        return None
    if checked is not None and int(checked[2], 16) != zlib.crc32(checked[1]):
        return None
    if checked is None and not _is_without_check(line):
        return None
    last, lost = int(beginning[1]), int(beginning[2] or 1)
    return (last - lost + 1, last) if 1 <= lost <= last else None


def _is_without_check(line: bytes) -> bool:
    """Whether a line is of an earlier plash, which wrote no checksums."""
    entry = _entry(line)
    return entry is not None and not entry["check"]


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is none, or has numbers that nothing can be counted with."""
    try:
        entry = vars(_ENTRY.validate_json(line))
    except ValidationError:
        return None
    return entry if all(abs(n) < _LARGEST for n in entry.values() if isinstance(n, int)) else None


def _followed(lines: Iterable[Line], steps: int) -> tuple[list[Line], int]:
    """The lines in the order of steps without repetition, up to so many steps and as far beyond as none is missing."""
    kept: list[Line] = []
    last = 0
    for line in sorted(lines, key=lambda line: line[:2]):
        if line[0] > last and (line[1] <= steps or line[0] == line[1] == last + 1):
            kept.append(line)
            last = line[1]
    return kept, max(last, steps)


def _with_gaps(lines: list[Line], last: int) -> tuple[bytes, int]:
    """The whole text, with a line for each gap; and how many steps are missing."""
    text, missing, done = [], 0, 0
    for first, end, line in [*lines, (last + 1, last, b"")]:
        if first > done + 1:
            lost = first - 1 - done
            text.append(_line({"step": first - 1, "lost": lost}))
            missing += lost
        text.append(line)
        done = end
    return b"".join(text), missing
