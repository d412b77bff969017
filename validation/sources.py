"""Liquid that comes and goes, and solids that push it: rates, heights and speeds that are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import plash
from plash.grid.dense import to_dense
from plash.grid.sample import velocity_at

G = 9.81
_SPEED = 0.6  # of the spouts whose flux is measured, m/s

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fountain:
    """How high a fountain rises, over s²/2g."""

    dimension: int
    cells: int
    slenderness: float
    first: float
    steady: float
    spread: float


def flux(dimension: int, degrees: float, under_water: bool, cells: int = 10, seconds: float = 2.0) -> float:
    """Mean volume a second that a spout brings, over what was asked.

    In air it is what crosses a plane four cells ahead of the opening, without gravity; under water what the velocity
    carries through a box of cells round the spout, without the divergence it has to have for straight paths.
    """
    h, angle = 0.16 / cells, math.radians(degrees)
    normal = (math.cos(angle), math.sin(angle), 0.0)[:dimension]
    size = ((1.28, 0.96, 0.64) if under_water else (0.8, 0.64, 0.4))[:dimension]
    center = ((0.41, 0.33, 0.31) if under_water else (0.21, 0.17, 0.19))[:dimension]
    pool = plash.HalfSpace(point=(0, 0.64, 0)[:dimension], normal=(0, 1, 0)[:dimension])
    scene = plash.Scene(
        domain={
            "size": size,
            "cell_size": h,
            "sides": "closed" if under_water else "open",
            "gravity": (0, -G if under_water else 0, 0)[:dimension],
        },
        time={"fps": 20, "frames": round(20 * (seconds + 0.3)) + 1},
        fill=[{"shape": pool}] if under_water else [],
        source=[
            {
                "kind": "spout",
                "shape": {"kind": "disc", "center": center, "normal": normal, "radius": 0.08},
                "speed": _SPEED,
            }
        ],
    )
    asked = _SPEED * (math.pi * 0.08**2 if dimension == 3 else 0.16)
    begin = round(20 * 0.3)
    if under_water:
        low, high = (np.round((np.array(center) + way * 0.16) / h).astype(int) for way in (-1, 1))
        return float(np.mean(_through_a_box(scene, low, high)[begin:])) / asked
    passed: list[float] = []
    for frame in plash.simulate(scene):
        ahead = (frame.particles.position - np.array(center)) @ np.array(normal) > 4 * h
        passed.append(float(frame.particles.volume[ahead].sum(dtype=np.float64)) + frame.ledger.outflow)
    return (passed[-1] - passed[begin]) / seconds / asked


def _through_a_box(scene: plash.Scene, low: NDArray[np.int64], high: NDArray[np.int64]) -> list[float]:
    """Volume a second that leaves a box of cells, in each frame."""
    solver: Any = plash.build(scene)
    h, dimension, found = scene.domain.h, len(low), []
    faces = []
    for axis, (end, sign) in product(range(dimension), ((low, -1), (high, 1))):
        ranges = [np.arange(a, b) + 0.5 for a, b in zip(low, high, strict=True)]
        ranges[axis] = end[axis : axis + 1].astype(float)
        faces.append((axis, sign, np.stack([part.ravel() for part in np.meshgrid(*ranges, indexing="ij")], axis=1) * h))
    for frame in range(1, scene.time.frames):
        while solver.state.time < frame / scene.time.fps * (1 - 1e-9):
            solver.advance(frame / scene.time.fps)
        velocity = solver.state.velocity
        out = sum(sign * float(velocity_at(velocity, points, h)[:, axis].sum()) for axis, sign, points in faces)
        curved = to_dense(solver.path_divergence, velocity.tiles, tuple(low.tolist()), tuple((high - low).tolist()))
        found.append((out - float(curved.sum())) * h ** (dimension - 1))
    return found


def fountain(dimension: int, speed: float = 3.0, cells: int = 6, width: float = 0.06, **solver: object) -> Fountain:
    """A jet of some width (m) straight up, between open sides, until it has been steady for half a second."""
    h, apex = width / cells, speed**2 / (2 * G)
    base = 4 * h
    wide, high = 2 * round(0.2 * apex / h) * h + 4 * width, round((base + 1.4 * apex) / h) * h
    middle = (wide / 2, base, wide / 2)[:dimension]
    shape = plash.Disc(center=middle, normal=(0, 1, 0)[:dimension], radius=width / 2)
    rise = 2 * speed / G
    scene = plash.Scene(
        domain={"size": (wide, high, wide)[:dimension], "cell_size": h, "sides": "open"},
        time={"fps": 50, "frames": round(50 * (rise + 0.6)) + 1},
        solver=plash.Solver.model_validate(solver),
        source=[{"kind": "spout", "shape": shape, "speed": speed}],
    )
    tops = [
        (frame.time, (frame.particles.position[:, 1].max() - base) / apex)
        for frame in plash.simulate(scene)
        if frame.number > 1
    ]
    time, top = np.array(tops).T
    late = top[time > rise + 0.1]
    return Fountain(dimension, cells, width / apex, float(top.max()), float(late.mean()), float(np.ptp(late)))


def torricelli(cells: int, **solver: object) -> float:
    """Speed of liquid that leaves a tank through a slit ten cells from its floor, over √(2 g H) at each height."""
    wall = plash.Box(min=(0.6, -1), max=(0.66, 3))
    slit = plash.Box(min=(0.5, 0.07), max=(0.8, 0.17))
    scene = plash.Scene(
        domain={"size": (0.9, 0.75), "resolution": cells},
        time={"fps": 20, "frames": 12},
        solver=plash.Solver.model_validate(solver),
        fill=[{"shape": {"kind": "box", "min": (0, 0), "max": (0.6, 0.6)}}],
        solid=[{"name": "wall", "shape": {"kind": "difference", "of": [wall, slit]}}],
        sink=[{"name": "hole", "shape": {"kind": "box", "min": (0.8, -1), "max": (2, 3)}}],
    )
    ratios = []
    for frame in plash.simulate(scene):
        if frame.time > 0.3:
            x, u = frame.particles.position, frame.particles.velocity
            level = x[x[:, 0] < 0.2, 1].max()
            jet = (x[:, 0] > 0.72) & (x[:, 0] < 0.8)
            ratios.append((np.hypot(u[jet, 0], u[jet, 1]) / np.sqrt(2 * G * (level - x[jet, 1]))).mean())
    return float(np.mean(ratios))


def steady_river(seconds: float = 20.0) -> tuple[float, float]:
    """Largest error of the volume in a river with a matching drain: carried by particles, and measured."""
    scene = plash.load_scene("river", frames=round(24 * seconds) + 1, **{"time.fps": 24})
    ledgers = [frame.ledger for frame in plash.simulate(scene)]
    carried = max(abs(ledger.particle_volume / ledger.initial - 1) for ledger in ledgers)
    return carried, max(abs(ledger.volume / ledger.target_volume - 1) for ledger in ledgers)


def piston(dimension: int, solids: str, cells: int = 32) -> float:
    """Mean depth before a piston that pushes slowly, over volume by what area is left."""
    length, level, speed, h = 1.1, 0.4, 0.15, 1.2 / cells
    size = (1.2, round(0.8 / h) * h, round(0.3 / h) * h)[:dimension]
    scene = plash.Scene(
        domain={"size": size, "cell_size": h},
        time={"fps": 10, "frames": 19},
        solver=plash.Solver.model_validate({"solids": solids}),
        fill=[{"shape": {"kind": "box", "min": (0.1, 0, 0)[:dimension], "max": (1.2, level, 1)[:dimension]}}],
        solid=[
            {
                "name": "piston",
                "shape": {"kind": "box", "min": (-0.5, -0.5, -1)[:dimension], "max": (0.1, 1.5, 2)[:dimension]},
                "motion": {"velocity": (speed, 0, 0)[:dimension]},
            }
        ],
    )
    *_, last = plash.simulate(scene)
    volume = last.particles.volume.astype(np.float64)
    depth = 2 * float(last.particles.position[:, 1] @ volume) / float(volume.sum())
    return depth * (length - speed * last.time) / (level * length)
