"""Where every drop went: the volumes of a run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Ledger:
    """Volumes in m³ (in 2-D m²: per metre of depth), up to the present frame.

    At every moment target_volume = particle_volume + what was removed for other reasons than leaving.

    Attributes:
        initial: Volume of the fills.
        inflow: Brought in since.
        outflow: Left through open sides and into sinks.
        particle_volume: What the particles carry; of stable fluids, the same as `volume`.
        volume: Measured volume of the liquid: of {φ < 0}; without a distance field, of the cells that hold a marker; of
            stable fluids, what their density adds up to. It is that at the start of the last step, and what came and
            went since.
        measured_at: Target volume when that was measured.
        brought: Volume brought in, by source.
        removed: Volume removed, by reason.
        leaks: By solid, the largest number of particles found inside it after a step, so far.
    """

    initial: float = 0.0
    inflow: float = 0.0
    outflow: float = 0.0
    particle_volume: float = 0.0
    volume: float = 0.0
    measured_at: float = 0.0
    brought: dict[str, float] = field(default_factory=dict)
    removed: dict[str, float] = field(default_factory=dict)
    leaks: dict[str, int] = field(default_factory=dict)

    @property
    def target_volume(self) -> float:
        """What there should be: initial + inflow - outflow."""
        return self.initial + self.inflow - self.outflow

    def measure(self, volume: float) -> None:
        """Record a measured volume."""
        self.volume, self.measured_at = volume, self.target_volume

    def count_in(self) -> None:
        """Add to the measured volume what came and went since it was measured."""
        self.measure(self.volume + self.target_volume - self.measured_at)

    def remove(self, reason: str, volume: float, is_outflow: bool) -> None:
        """Record a removal."""
        self.removed[reason] = self.removed.get(reason, 0.0) + volume
        if is_outflow:
            self.outflow += volume
