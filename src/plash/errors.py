"""The few exceptions a user can meet, each with the exit code the command line ends with.

Every message says what is wrong, where, the number and the limit, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class PlashError(Exception):
    """Base of everything plash raises on purpose."""

    exit_code = 1


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a scene, and where.

    Args:
        key: Dotted place in the scene, such as ``solid[1].shape.radius``; empty for the file as a whole.
        message: What is wrong, with the value, the limit and the remedy.
        line: Line in the scene file, counted from 1; None for scenes made in Python.
    """

    key: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        key = f"{self.key}: " if self.key else ""
        return f"{place}{key}{self.message}"


class SceneError(PlashError):
    """A scene that cannot be simulated as written; lists every problem found, not only the first."""

    exit_code = 3

    def __init__(self, problems: Sequence[Problem], source: str = "scene") -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__("\n".join(f"{source}: {problem}" for problem in self.problems))


class DivergedError(PlashError):
    """A simulation whose numbers stopped making sense: not finite, or no pressure could be found."""

    exit_code = 4


class SealedError(DivergedError):
    """A moving solid or an inlet compresses a closed pocket of liquid: no flow does so, in steps of any length."""


class VolumeError(PlashError):
    """A run whose measured volume strayed further from its target than `max_volume_error` allows."""

    exit_code = 4


class StorageError(PlashError):
    """Something on disk that cannot be read or written: full, read-only, missing, damaged, or in use."""

    exit_code = 5


class DamagedError(StorageError):
    """A file of a run that is missing, cut short or changed since it was written."""


class MismatchError(PlashError):
    """A run folder that holds the frames of another simulation than the one asked for."""

    exit_code = 6


class MissingPartError(PlashError):
    """An optional part of plash that is not installed; names the command that installs it."""

    exit_code = 7


class WorkersError(PlashError):
    """Workers or their scheduler that cannot be used: not reachable, with another plash, or without the folder."""

    exit_code = 8


class StoppedError(PlashError):
    """A run that was asked to stop, and can be resumed."""

    exit_code = 130
