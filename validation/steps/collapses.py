"""Water that falls and spreads: fronts, thin films, splashes, and what a frame of them costs."""

from __future__ import annotations

import functools
import itertools
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import plash
from validation.dam_break import OPENING, A, G, measured
from validation.steps.runs import (
    Array,
    Figures,
    Frozen,
    Moment,
    build,
    framed_steps,
    free_steps,
    frozen,
    fullest_cell,
    height_of_share,
    kinetic,
    overrides,
    potential,
    settings,
)

_UNTIL = 7.4  # in sqrt(a/g)
_FRONT = math.sqrt(2 * G / A)
_HEIGHT = math.sqrt(G / A)
_FPS = 25.0  # of splashes: figures at whole tenths of seconds are those of frames


@dataclass(frozen=True)
class _Column:
    """A collapse, moment by moment: time (s), front over a, height over 2a, and the extremes of volumes."""

    time: Array
    front: Array
    height: Array
    lowest: float
    fullest: float

    def front_at(self, times: Array) -> Array:
        """The front at times of the experiment."""
        return np.interp(times, self.time * _FRONT + OPENING, self.front)

    def height_at(self, times: Array) -> Array:
        """The height at times of the experiment."""
        return np.interp(times, self.time * _HEIGHT, self.height)


def collapse(courant: float, transfer: str, cells: int = 32, until: float = _UNTIL, **solver: Any) -> Figures:
    """Martin & Moyce's column with so many cells along a, dt free; front and height at the published times.

    Exact: nothing, but a true answer does not depend on courant, keeps its volume, and has one volume in a cell. The
    experiment is as in `validation/dam_break.py`.
    """
    run = _column(courant, transfer, cells, until, frozen(solver))
    times, wanted = measured("front")
    figures = {"front off experiment": float(np.mean(np.abs(run.front_at(times) - wanted) / wanted))}
    for other in (0.5, 0.25):
        figures |= _against(run, _column(other, transfer, cells, until, frozen(solver)), f"{other:g}")
    return figures | {"lowest volume": run.lowest, "fullest cell": run.fullest}


def collapse_coarse(courant: float, transfer: str, cells: int = 16, **solver: Any) -> Figures:
    """The same with 16 cells along a."""
    return collapse(courant, transfer, cells=cells, **solver)


def thin_front(courant: float, transfer: str, cells: int = 32, seconds: float = 0.9, **solver: Any) -> Figures:
    """A slender column, a wide and 4a high, whose front runs 30a along a dry floor as a film.

    Exact: the volume is that of the start, and a cell holds one volume at most, but for the noise of particles.
    """
    scene = plash.Scene(
        domain={"size": (40 * A, 5 * A), "cell_size": A / cells, "gravity": (0, -G)},
        solver=settings(courant, transfer, solver),
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.Box(min=(0, 0), max=(A, 4 * A))}],
    )
    runner = build(scene)
    front, lowest, fullest, late = 0.0, 0.0, 0.0, 0.0
    for when in free_steps(runner, seconds):
        front = max(front, float(when.particles.position[:, 0].max()))
        lowest = min(lowest, when.volume_error)
        fullest = max(fullest, fullest_cell(when.particles, runner.h))
        late = when.volume_error
    return {"front, a": front / A, "lowest volume": lowest, "volume at the end": late, "fullest cell": fullest}


def dam_3d(courant: float, transfer: str, cells: int = 32, seconds: float = 2.0, **solver: Any) -> Figures:
    """The benchmark's dam break, at frames: volume, energy over that of the start (floor = 0), height of the splash.

    Exact: energy never rises; the rest is compared with shorter steps and finer grids. The splash meets the lid, so its
    height is best told by the potential energy it has again after the impact.
    """
    changes = overrides(courant, transfer, solver)
    return _splash(plash.load_scene("bench_dam_break", resolution=cells, **changes), seconds)


def dam_obstacles(courant: float, transfer: str, cells: int = 40, seconds: float = 2.0, **solver: Any) -> Figures:
    """The same figures of the scene `dam_break`, over a ball and a step."""
    return _splash(plash.load_scene("dam_break", resolution=cells, **overrides(courant, transfer, solver)), seconds)


def speed(courant: float, transfer: str, cells: int = 64, frames: int = 25, **solver: Any) -> Figures:
    """Seconds a frame of the benchmark's dam break, up to frame 25, after steps of a tiny one that compile kernels.

    Figures of two versions compare only if they are measured in turn, on a machine that does nothing else.
    """
    changes = overrides(courant, transfer, solver)
    for _ in framed_steps(build(plash.load_scene("bench_dam_break", resolution=8, **changes)), 0.25, 24):
        pass
    scene = plash.load_scene("bench_dam_break", resolution=cells, **changes)
    runner = build(scene)
    spent, steps, wet = 0.0, 0, 0
    for number in range(1, frames):
        while runner.state.time < number / scene.time.fps:
            start = time.perf_counter()
            report = runner.advance(number / scene.time.fps)
            spent += time.perf_counter() - start
            steps += 1
            wet += report.liquid_cells
    return {
        "seconds a frame": spent / (frames - 1),
        "steps a frame": steps / (frames - 1),
        "us a cell and step": 1e6 * spent / wet,
    }


@functools.cache
def _column(courant: float, transfer: str, cells: int, until: float, solver: Frozen) -> _Column:
    """One collapse; those at small courant numbers serve many rows."""
    scene = plash.Scene(
        domain={"size": (20 * A, 3 * A), "cell_size": A / cells, "gravity": (0, -G)},
        solver=settings(courant, transfer, dict(solver)),
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.Box(min=(0, 0), max=(A, 2 * A))}],
    )
    runner = build(scene)
    rows = [_shape(when, runner.h) for when in free_steps(runner, until / _HEIGHT)]
    times, front, height, errors, fills = np.array(rows).T
    return _Column(times, front / A, height / (2 * A), float(errors.min()), float(fills.max()))


def _shape(when: Moment, h: float) -> tuple[float, float, float, float, float]:
    """Time, front, height at the wall, error of volume, and volume in the fullest cell."""
    x, y = when.particles.position.T
    # The third from the end, and half the distance between particles: single ones that fly ahead are not the front
    low = np.sort(x[y < 0.5 * A])
    wall = np.sort(y[x < 2 * h])
    height = wall[-3] + 0.25 * h if len(wall) >= 3 else 0.0
    return when.time, low[-3] + 0.25 * h, height, when.volume_error, fullest_cell(when.particles, h)


def _against(run: _Column, other: _Column, name: str) -> Figures:
    """How far a run is from one with shorter steps, at the published times that it reached."""
    fronts, heights = (measured(kind)[0] for kind in ("front", "height"))
    heights = heights[heights <= run.time[-1] * _HEIGHT]
    off = run.front_at(fronts) / other.front_at(fronts) - 1
    lower = run.height_at(heights) - other.height_at(heights)
    return {
        f"front mean off {name}": float(off.mean()),
        f"front most off {name}": float(off[np.abs(off).argmax()]),
        f"height mean off {name}": float(np.abs(lower).mean()),
        f"height most off {name}": float(np.abs(lower).max()),
    }


def _splash(scene: plash.Scene, seconds: float) -> Figures:
    """Volume, energy and height of a dam break, at its frames."""
    gravity = -scene.domain.gravity[1]
    rows = _splash_rows(framed_steps(build(scene), seconds, _FPS), gravity, scene.domain.h)
    times, volume, moving, lifted, tops, few, fills = np.array(rows).T
    start = moving[0] + lifted[0]
    total = (moving + lifted) / start
    figures = {"lowest volume": float(volume.min()), "volume at the end": float(volume[-1])}
    figures |= {"fullest cell": float(fills.max())}
    for when in np.arange(0.4, seconds + 0.01, 0.4):
        figures[f"kinetic at {when:.1f} s"] = float(np.interp(when, times, moving) / start)
    for when in np.arange(0.4, seconds + 0.01, 0.4):
        figures[f"total at {when:.1f} s"] = float(np.interp(when, times, total))
    rises = [after - before for before, after in itertools.pairwise(total)]
    return figures | {
        "most kinetic": float(moving.max() / start),
        "largest rise in a frame": max(rises),
        "most lifted again": float(lifted[int(moving.argmax()) :].max() / start),
        "height of 5 %, m": float(few.max()),
        "highest drop, m": float(tops.max()),
    }


def _splash_rows(moments: Iterable[Moment], gravity: float, h: float) -> list[tuple[float, ...]]:
    """Time, error of volume, both energies, height of the highest particle and of 5 % of all, and the fullest cell."""
    return [
        (
            when.time,
            when.volume_error,
            kinetic(when.particles),
            potential(when.particles, gravity),
            float(when.particles.position[:, 1].max()),
            height_of_share(when.particles, 0.05),
            fullest_cell(when.particles, h),
        )
        for when in moments
    ]
