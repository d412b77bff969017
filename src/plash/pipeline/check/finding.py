"""One thing to know about a scene before it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """One thing to know about a scene before it runs.

    Attributes:
        level: "error" if the scene cannot run, "warning" if the result will be wrong or dear, else "note".
        code: A short name that stays the same, to search for.
        where: The object or key.
        message: What is the matter, with the number.
        edit: What to change in the scene.
    """

    level: Level
    code: str
    where: str
    message: str
    edit: str


def without_effect(where: str, message: str, edit: str) -> Finding:
    """That something a scene says changes nothing."""
    return Finding("note", "no-effect", where, message, f"{edit}, or take it out")
