"""The log: a line of JSON for each time step, written once. Line n is the n-th step of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plash.files.atomic import errors_of_disk


class Log:
    """A log to be continued. Steps that are in it already, done again after a crash, are not repeated."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.last = 0
        with errors_of_disk(path, "written"):
            self._file = path.open("a+b")
            self._file.seek(0)
            whole = 0
            for line in self._file:
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                self.last = _step_of(line, self.last)
            self._file.truncate(whole)  # a killed program may have left half a line
            self._file.seek(0, 2)

    def append(self, step: int, entry: dict[str, Any]) -> None:
        """Add the line of a step, unless it is there."""
        if step <= self.last:
            return
        with errors_of_disk(self.path, "written"):
            self._file.write(json.dumps({"step": step, **entry}).encode() + b"\n")
            self._file.flush()
        self.last = step

    def close(self) -> None:
        """Finish writing."""
        with errors_of_disk(self.path, "written"):
            self._file.close()


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a log; what is no line of JSON is left out."""
    with errors_of_disk(path, "read"), path.open("rb") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if isinstance(entry, dict):
                yield entry


def _step_of(line: bytes, otherwise: int) -> int:
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):
        return otherwise
