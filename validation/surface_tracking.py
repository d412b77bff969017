"""Ways to know where the liquid is, side by side: python -m validation.surface_tracking [--only TABLE].

Known motions (Zalesak's disc, the vortex that turns back, the deformation in space) of the level set by itself, and one
dam break with each way there is. Prints the tables of docs/surface_tracking.md; with a folder, draws the disc and the
vortex there with each way; the scenes `zalesak` and `vortex` of the gallery show the best of them as movies.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

import plash
from plash.physics.level_set.level_set import LevelSet

Points = NDArray[np.float64]

WAYS: dict[str, dict[str, Any]] = {
    "particle level set": {},
    "level set": {"particles": False},
    "particle level set, linear": {"scheme": "linear"},
    "level set, linear (Cline)": {"particles": False, "scheme": "linear"},
}
LIQUIDS: dict[str, dict[str, Any]] = {
    "particles (apic)": {},
    "markers (semi_lagrangian)": {"transfer": "semi_lagrangian"},
    "particle level set": {"surface": "levelset"},
    "particle level set, shifted": {"surface": "levelset", "levelset_volume": "shift"},
    "level set": {"surface": "levelset", "levelset_particles": False},
    "stable fluids": {"kind": "stable_fluids"},
}


def slotted_disc(points: Points) -> Points:
    """Zalesak's disc: radius 15 round (50, 75), with a slot of width 5 from below up to y = 85."""
    x, y = points[:, 0] - 50, points[:, 1] - 75
    return np.asarray(np.maximum(np.hypot(x, y) - 15, -np.maximum(np.abs(x) - 2.5, y - 10)))


def turning(points: Points, time: float) -> Points:
    """One turn in 628 s, round (50, 50)."""
    return np.pi / 314 * np.stack([50 - points[:, 1], points[:, 0] - 50], axis=1)


def vortex(points: Points, time: float, period: float = 8.0) -> Points:
    """A vortex in the unit square that turns back at half of its period."""
    x, y = np.pi * points.T
    swirl = np.stack([-(np.sin(x) ** 2) * np.sin(2 * y), np.sin(y) ** 2 * np.sin(2 * x)], axis=1)
    return np.asarray(np.cos(np.pi * time / period) * swirl)


def deformation(points: Points, time: float, period: float = 3.0) -> Points:
    """Two vortices across one another in the unit cube, that turn back at half of their period."""
    square, double = np.sin(np.pi * points.T) ** 2, np.sin(2 * np.pi * points.T)
    u, v, w = (
        2 * square[0] * double[1] * double[2],
        -double[0] * square[1] * double[2],
        -double[0] * double[1] * square[2],
    )
    return np.asarray(np.cos(np.pi * time / period) * np.stack([u, v, w], axis=1))


def moved(
    level_set: LevelSet, velocity: Callable[[Points, float], Points], end: float, steps: int
) -> Iterator[LevelSet]:
    """The level set before the first step, and after each."""
    yield level_set
    for _ in range(steps):
        level_set.advance(velocity, end / steps)
        yield level_set


def compared(level_set: LevelSet, function: Callable[[Points], Points], box: tuple[Points, Points]) -> str:
    """Loss of volume and symmetric difference, as shares of a region."""
    low, high = box
    count = 500 if len(low) == 2 else 100
    lines = [lo + (np.arange(count) + 0.5) * (hi - lo) / count for lo, hi in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(low))
    inside, found = function(points) < 0, level_set.distance_at(points) < 0
    lost, other = 1 - found.sum() / inside.sum(), (inside != found).sum() / inside.sum()
    return f"{lost:.1%} | {other:.1%}"


class Ball(NamedTuple):
    """A ball with a radius of 0.15 in two vortices across one another.

    Attributes:
        cells: Of the unit cube, along each side.
        period: After which it is back, s.
        steps: Until then.
        per_cell: Particles of each sign in a cell.
    """

    cells: int
    period: float
    steps: int
    per_cell: int


BALLS = (Ball(32, 1.0, 50, 16), Ball(48, 2.0, 150, 64), Ball(64, 3.0, 300, 64))


def known_motions() -> Iterator[str]:
    """Rows of the table of known motions in the plane."""
    yield "| | disc: lost | differs | vortex: lost | differs |"
    yield "| --- | --- | --- | --- | --- |"
    disc = plash.Sphere(center=(0.5, 0.75), radius=0.15)
    for name, keys in WAYS.items():
        row = []
        level_set = LevelSet.of(slotted_disc, 1.0, (30, 55), (70, 95), **keys)
        *_, last = moved(level_set, turning, 628.0, 628)
        row.append(compared(last, slotted_disc, (np.array([25.0, 50.0]), np.array([75.0, 100.0]))))
        level_set = LevelSet.of(disc, 1 / 128, (0, 0), (1, 1), **keys)
        *_, last = moved(level_set, vortex, 8.0, 1280)
        row.append(compared(last, lambda x: np.hypot(x[:, 0] - 0.5, x[:, 1] - 0.75) - 0.15, (np.zeros(2), np.ones(2))))
        yield f"| {name} | {' | '.join(row)} |"


def balls() -> Iterator[str]:
    """Rows of the table of known motions in space."""
    yield "| ball | particle level set: lost | differs | level set: lost | differs |"
    yield "| --- | --- | --- | --- | --- |"
    shape = plash.Sphere(center=(0.35,) * 3, radius=0.15)
    for ball in BALLS:
        row = []
        for keys in ({"per_cell": ball.per_cell}, {"particles": False}):
            level_set = LevelSet.of(shape, 1 / ball.cells, (0, 0, 0), (1, 1, 1), **cast(Any, keys))
            velocity = functools.partial(deformation, period=ball.period)
            *_, last = moved(level_set, velocity, ball.period, ball.steps)
            corners = np.full(3, 0.1), np.full(3, 0.6)
            row.append(compared(last, lambda x: np.linalg.norm(x - 0.35, axis=1) - 0.15, corners))
        begins = f"{ball.cells}³, period {ball.period:g}, {ball.per_cell} particles of each sign in a cell"
        yield f"| {begins} | {' | '.join(row)} |"


def dam_break(
    settings: dict[str, Any], cells: int = 64, seconds: float = 5.0
) -> tuple[NDArray[np.float64], float, float]:
    """Errors of the volume by frame, without films and spray and with them; kinetic energy after 1 s; seconds a step.

    The energy is over that available, and seconds are those of the processor.
    """
    scene = plash.Scene(
        domain={"size": (1, 1), "resolution": cells},
        time={"fps": 24, "frames": round(24 * seconds) + 1},
        solver=cast(Any, settings),
        fill=[{"shape": plash.Box(min=(0, 0), max=(0.4, 0.5))}],
    )
    errors, energy, steps, begun = [], 0.0, 0, time.process_time()
    for frame in plash.simulate(scene):
        ledger = frame.ledger
        both = np.array([ledger.volume, ledger.volume + ledger.spray + ledger.films])
        errors.append(both / ledger.target_volume - 1)
        steps += len(frame.steps)
        if frame.number == 25:
            energy = frame.snapshot.energy(1000.0, (0, -9.81))["kinetic"] / (1000 * 9.81 * 0.4 * 0.5 * 0.25)
    return np.array(errors), energy, (time.process_time() - begun) / steps


def dam_breaks() -> Iterator[str]:
    """Rows of the table of dam breaks."""
    yield "| | volume, all frames | with films and spray | after 5 s | kinetic energy after 1 s | ms of processor |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, settings in LIQUIDS.items():
        errors, energy, seconds = dam_break(settings)
        span = " | ".join(f"{part.min():+.1%} ... {part.max():+.1%}" for part in errors.T)
        yield f"| {name} | {span} | {errors[-1, 1]:+.1%} | {energy:.3f} | {1e3 * seconds:.0f} |"


def draw(folder: Path) -> None:
    """Pictures of the disc before and after its turn, and of the vortex when it turns back and at the end."""
    from PIL import Image

    disc = plash.Sphere(center=(0.5, 0.75), radius=0.15)
    for name, shape, velocity, end, steps, size in (
        ("zalesak", slotted_disc, turning, 628.0, 628, 100.0),
        ("vortex", disc, vortex, 8.0, 1280, 1.0),
    ):
        columns = []
        for keys in WAYS.values():
            h = size / (100 if name == "zalesak" else 128)
            level_set = LevelSet.of(shape, h, (0, 0), (size, size), **keys)
            for number, now in enumerate(moved(level_set, velocity, end, steps)):
                if number in (steps // 2, steps):
                    columns.append(_picture(now, size))
        rows = [np.concatenate(columns[first::2], axis=1) for first in (0, 1)]
        Image.fromarray(np.concatenate(rows)).save(folder / f"{name}.png", optimize=True)


def _picture(level_set: LevelSet, size: float, pixels: int = 240) -> NDArray[np.uint8]:
    """The inside in blue, the outside in white, with a soft edge a pixel wide."""
    line = (np.arange(pixels) + 0.5) * size / pixels
    x, y = np.meshgrid(line, line[::-1])
    phi = level_set.distance_at(np.stack([x.ravel(), y.ravel()], axis=1)).reshape(pixels, pixels)
    share = np.clip(0.5 - phi * pixels / size, 0, 1)[..., None]
    picture = 255 + share * (np.array([36, 104, 184]) - 255)
    picture[:1], picture[:, :1] = 200, 200
    return np.asarray(picture, np.uint8)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the disc and the vortex")
    tables = {"plane": known_motions, "space": balls, "liquids": dam_breaks}
    parser.add_argument("--only", choices=tables, help="one table: motions in the plane, in space, or dam breaks")
    options = parser.parse_args()
    for name in [options.only] if options.only else tables:
        for row in tables[name]():
            print(row, flush=True)
        print()
    if options.pictures:
        draw(options.pictures)


if __name__ == "__main__":
    main()
