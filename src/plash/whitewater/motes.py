"""Motes: drops of spray, flecks of foam and bubbles, each too small for the grid; and the count of all there were."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

SPRAY, FOAM, BUBBLE = 0, 1, 2
KINDS = ("spray", "foam", "bubbles")


@dataclass(frozen=True)
class Tally:
    """How many motes there were up to a frame: born = alive + burst + landed + left.

    Attributes:
        born: That ever were.
        burst: Foam at the end of its life.
        landed: Spray that came down on something dry, and motes that a body closed in on.
        left: Through a side of the domain that is not closed.
        refused: That would have been born if there had been room for them; they never were.
    """

    born: int = 0
    burst: int = 0
    landed: int = 0
    left: int = 0
    refused: int = 0

    @property
    def died(self) -> int:
        """For whatever reason."""
        return self.burst + self.landed + self.left


@dataclass(frozen=True, eq=False)
class Motes:
    """Motes of a frame, one row each.

    Attributes:
        position: In metres (n, d).
        velocity: In m/s (n, d).
        age: For which each has been foam, s.
        lifetime: That each has as foam, s.
        size: Radius of each over that of the largest.
        kind: SPRAY, FOAM or BUBBLE.
        tally: Of all there were up to this frame.
    """

    position: NDArray[np.float64]
    velocity: NDArray[np.float32]
    age: NDArray[np.float32]
    lifetime: NDArray[np.float32]
    size: NDArray[np.float32]
    kind: NDArray[np.uint8]
    tally: Tally = Tally()

    @staticmethod
    def none(dimension: int) -> Motes:
        """No motes, and none before."""
        empty = np.zeros(0, np.float32)
        none = np.zeros((0, dimension))
        return Motes(none, none.astype(np.float32), empty, empty, empty, np.zeros(0, np.uint8))

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.position.shape[1])

    def only(self, which: NDArray[np.bool_]) -> Motes:
        """Those that are marked, with the same tally."""
        rows: dict[str, Any] = {name: getattr(self, name)[which] for name in ROWS}
        return replace(self, **rows)

    def of_kind(self, kind: int) -> Motes:
        """Those of a kind."""
        return self.only(self.kind == kind)

    def joined(self, others: Motes) -> Motes:
        """These and others behind them, with the tally of these."""
        rows: dict[str, Any] = {name: np.concatenate([getattr(self, name), getattr(others, name)]) for name in ROWS}
        return replace(self, **rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind, and what the tally says."""
        alive = {name: int(np.count_nonzero(self.kind == kind)) for kind, name in enumerate(KINDS)}
        return alive | {field.name: getattr(self.tally, field.name) for field in fields(Tally)}


ROWS = tuple(field.name for field in fields(Motes) if field.name != "tally")
