"""Pools at rest where their surface meets bodies: python -m validation.shores [--dimension 3] [--cells 24].

Exact: no motion at all, and a flat surface. What moves comes from the distance to the surface, which particles that
were seeded at random places tell with some noise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import plash
from plash.levelset.shapes import distance

SIZE, LEVEL, GRAVITY = (1.2, 0.9, 0.6), 0.43, 9.3
_FPS = 24
_CLEAR = 0.25  # cells from a body beyond which the level counts: nearer to it there is hardly any liquid

Shape = Any


def beach(angle: float, dimension: int) -> Shape:
    """A slope that meets the level in the middle of the pool; in 3-D at an angle to the sides too."""
    slope, around = np.radians(angle), np.radians(20 * (dimension - 2))
    normal = (-np.sin(slope) * np.cos(around), np.cos(slope), -np.sin(slope) * np.sin(around))
    return plash.HalfSpace(point=(0.7, LEVEL, 0.3)[:dimension], normal=normal[:dimension])


def bowl(dimension: int) -> Shape:
    """Ground with a round hollow, which the liquid fills in part."""
    ground = plash.Box(min=(-1.0, -1.0, -1.0)[:dimension], max=(3.0, 0.6, 3.0)[:dimension])
    hollow = plash.Sphere(center=(0.6, 0.6, 0.3)[:dimension], radius=0.5)
    return plash.Difference(of=[ground, hollow])


def tilted_box(dimension: int) -> Shape:
    """A box that pierces the surface with an edge."""
    low, high = (0.46, 0.24, 0.18)[:dimension], (0.74, 0.58, 0.42)[:dimension]
    if dimension == 2:
        return plash.Box(min=low, max=high, rotation={"angle": 20.0})
    return plash.Box(min=low, max=high, rotation={"axis": (0.3, 0.4, 1.0), "angle": 20.0})


def half_sunk_ball(dimension: int) -> Shape:
    """A ball with its centre at the level."""
    return plash.Sphere(center=(0.6, LEVEL, 0.3)[:dimension], radius=0.17)


SHORES: dict[str, Callable[[int], Shape]] = {
    "10 degrees": lambda dimension: beach(10, dimension),
    "27 degrees": lambda dimension: beach(27, dimension),
    "45 degrees": lambda dimension: beach(45, dimension),
    "63 degrees": lambda dimension: beach(63, dimension),
    "bowl": bowl,
    "tilted box": tilted_box,
    "half-sunk ball": half_sunk_ball,
}


class Rest(NamedTuple):
    """How still a pool is.

    Attributes:
        middle: Most kinetic energy in the second round half of the time, over m g H.
        last: The same in the last second.
        fastest: Largest speed of a particle in the last second, over sqrt(g H).
        uneven: Furthest that the surface is from its median at the end, in cells.
        above: Furthest that a particle is above it, in cells.
    """

    middle: float
    last: float
    fastest: float
    uneven: float
    above: float


def pool(shore: Shape, dimension: int, cells: int, **solver: Any) -> plash.Scene:
    """A pool of 0.43 m round a body."""
    top = (SIZE[0], LEVEL, *SIZE[2:dimension])
    return plash.Scene(
        domain={"size": SIZE[:dimension], "resolution": cells, "gravity": (0, -GRAVITY, 0)[:dimension]},
        liquid={"density": 730.0},
        solver=plash.Solver(**solver),
        fill=[{"shape": plash.Box(min=(0.0,) * dimension, max=top)}],
        solid=[{"name": "shore", "shape": shore}],
    )


def rest_of(scene: plash.Scene, seconds: float) -> Rest:
    """Let a pool stand for a while, and tell how still it is."""
    solver: Any = plash.build(scene)
    energies, speeds = [], []
    for frame in range(1, round(seconds * _FPS) + 1):
        while solver.state.time < frame / _FPS - 1e-9:
            solver.advance(frame / _FPS)
        particles = solver.state.particles
        speed_squared = (particles.velocity.astype(np.float64) ** 2).sum(axis=0)
        energies.append(np.average(speed_squared, weights=particles.volume) / (2 * GRAVITY * LEVEL))
        speeds.append(np.sqrt(speed_squared.max()))
    half = len(energies) // 2
    levels = _levels(solver, scene)
    level = np.median(levels)
    top = (particles.cell[1] + particles.offset[1]).max()
    return Rest(
        middle=max(energies[max(half - _FPS // 2, 0) : half + _FPS // 2]),
        last=max(energies[-_FPS:]),
        fastest=max(speeds[-_FPS:]) / np.sqrt(GRAVITY * LEVEL),
        uneven=np.abs(levels - level).max(),
        above=top - level,
    )


def _levels(solver: Any, scene: plash.Scene) -> NDArray[np.float64]:
    """Heights of the surface in cells, over all columns of cells, where no body is near."""
    cells, h, dimension = solver.state.cells, scene.domain.h, scene.domain.dimension
    tiles, phi, found = cells.tiles, cells.phi.pool, []
    for slot in range(1, tiles.count + 1):
        low, high = phi[slot, :, :-1], phi[slot, :, 1:]
        z, y, x = np.nonzero((low < 0) & (high >= 0) & (np.maximum(-low, high) < 1.5 * h))
        share = low[z, y, x] / (low[z, y, x] - high[z, y, x])
        places = np.stack([x + 0.5, y + 0.5 + share, z + 0.5], axis=1) + tiles.origins[slot]
        away = distance(scene.solid[0].shape, places[:, :dimension] * h)
        found.append(places[away > _CLEAR * h, 1])
    return np.concatenate(found)


def main() -> None:
    """Print a table of all shores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimension", type=int, choices=[2, 3], default=2)
    parser.add_argument("--cells", type=int, default=32, help="along the pool  [32]")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--courant", type=float, default=3.0)
    parser.add_argument("--transfer", default="apic")
    parser.add_argument("--jitter", type=float, help="0 for particles on a lattice  [as scenes have it]")
    asked = parser.parse_args()
    solver = {"courant": asked.courant, "transfer": asked.transfer}
    solver |= {} if asked.jitter is None else {"jitter": asked.jitter}
    print("| shore | E/mgH half-way | in the last second | fastest/√(gH) | uneven, h | above, h |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, shore in SHORES.items():
        found = rest_of(pool(shore(asked.dimension), asked.dimension, asked.cells, **solver), asked.seconds)
        print(f"| {name} | {found.middle:.1e} | {found.last:.1e} | {found.fastest:.1e} | ", end="")
        print(f"{found.uneven:.3f} | {found.above:+.2f} |", flush=True)


if __name__ == "__main__":
    main()
