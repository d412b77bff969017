"""Where every drop went: the volumes of a run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from plash.errors import DivergedError

_TOO_LITTLE = 1e-3  # of all that ever was, below which what is left tells nothing about the error of its volume


@dataclass
class Ledger:
    """Volumes in m³ (in 2-D m²: per metre of depth), up to the present frame.

    At every moment target_volume = particle_volume + what was removed for other reasons than leaving.

    Attributes:
        initial: Volume of the fills.
        inflow: Brought in since.
        outflow: Left through open sides and into sinks.
        particle_volume: What the particles carry; of stable fluids and level sets, the same as `volume`.
        volume: Measured volume of the liquid: of {φ < 0}; of a level set, with the drops that fly beside it; without a
            distance field, of the cells that hold a marker; of stable fluids, what their density adds up to. It is
            that at the start of the last step, without the share that went since, and with all that came.
        films: What particles carried outside the measured surface at the start of the last step, beside solids and
            closed sides: films thinner than about half a cell. With the staircase surface, of level sets and of stable
            fluids none.
        spray: The same elsewhere: drops and thin sheets.
        brought: Volume brought in, by source.
        removed: Volume removed, by reason.
        leaks: By solid, the largest number of particles found inside it after a step, so far.
        heat: Σ V T of a liquid that carries its temperature, in K m³ (K m²): `initial`, what `walls` and `heaters` gave
            it, what came with `inflow` and went (< 0) with `outflow`, of a level set what `carrying` it along the grid
            made or lost, and what there is `now`, which is the sum.
        colors: Σ V c of a liquid that carries colours, in m³ (m²) of light returned, for red, green and blue: `red
            initial`, what `dye` added, what `mixing` made by round-off, what came with `inflow` and went (< 0) with
            `outflow`, and what there is `now`, which is the sum.
    """

    initial: float = 0.0
    inflow: float = 0.0
    outflow: float = 0.0
    particle_volume: float = 0.0
    volume: float = 0.0
    films: float = 0.0
    spray: float = 0.0
    brought: dict[str, float] = field(default_factory=dict)
    removed: dict[str, float] = field(default_factory=dict)
    leaks: dict[str, int] = field(default_factory=dict)
    heat: dict[str, float] = field(default_factory=dict)
    colors: dict[str, float] = field(default_factory=dict)

    @property
    def target_volume(self) -> float:
        """What there should be: initial + inflow - outflow."""
        return target_volume(vars(self))

    @property
    def volume_error(self) -> float | None:
        """How far the measured volume is from its target, as a share of that; None if too little is left to tell."""
        return off_target(vars(self), "volume")

    def measure(self, volume: float, films: float, spray: float, unit: float) -> None:
        """Record what is measured at the start of a step, and what is not seen, each in units of so many m³."""
        self.volume, self.films, self.spray = volume * unit, films * unit, spray * unit

    def bring(self, volume: float) -> None:
        """Record what came in."""
        self.inflow += volume
        self.particle_volume += volume
        self.volume += volume

    def remove(self, reason: str, volume: float, is_outflow: bool) -> None:
        """Record a removal, which takes the same share from what is measured as from what particles carry.

        Particles in spray carry more than is seen of them: what they carry is not taken off what is seen.

        >>> ledger = Ledger(initial=4.0, particle_volume=4.0, volume=3.0)
        >>> ledger.remove("sink drain", 1.0, is_outflow=True)
        >>> ledger.target_volume, ledger.particle_volume, ledger.volume
        (3.0, 3.0, 2.25)
        """
        self.removed[reason] = self.removed.get(reason, 0.0) + volume
        if is_outflow:
            self.outflow += volume
        left = max(0.0, self.particle_volume - volume)
        self.volume *= left / self.particle_volume if self.particle_volume > 0 else 0.0
        self.particle_volume = left

    def refuse_divergence(self, when: str) -> None:
        """End a run in which a volume is not finite, before it is written down."""
        for entry, volume in self._entries():
            if not math.isfinite(volume):
                raise DivergedError(f"{when} diverged: {entry} in the ledger is {volume}, not a finite volume")

    def _entries(self) -> Iterator[tuple[str, float]]:
        """All volumes by name."""
        for name, value in vars(self).items():
            if isinstance(value, dict):
                yield from ((f"{name}[{key!r}]", volume) for key, volume in value.items())
            else:
                yield name, value


def target_volume(ledger: Mapping[str, Any]) -> float:
    """What there should be, by a ledger as plain data."""
    return float(ledger["initial"] + ledger["inflow"] - ledger["outflow"])


def off_target(ledger: Mapping[str, Any], entry: str) -> float | None:
    """How far a volume of a ledger as plain data is from its target, as a share of that; None if too little is left.

    >>> off_target({"initial": 2.0, "inflow": 0.0, "outflow": 1.0, "volume": 0.75}, "volume")
    -0.25
    """
    target = target_volume(ledger)
    is_little = not target > _TOO_LITTLE * (ledger["initial"] + ledger["inflow"])
    return None if is_little else float(ledger[entry]) / target - 1
