"""Liquid and solids, sources and sinks: bodies that move, pools at rest, a bowl, a fountain, a slit."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np

import plash
from validation import sources
from validation.steps.runs import (
    Array,
    Figures,
    Frozen,
    build,
    framed_steps,
    frozen,
    kinetic,
    overrides,
    potential,
    settings,
)

_G = 9.81
_SHORT = 0.5  # the courant number that moving bodies are compared at


def ball_drop(courant: float, transfer: str, cells: int = 32, seconds: float = 2.5, **solver: Any) -> Figures:
    """The scene `ball_drop`: kinetic energy against that at courant 0.5, and particles found inside the ball.

    Exact: no leaks; a true answer does not depend on courant. Differences are shares of the energy of the same frame
    with shorter steps, in frames that have a fifth of the most; the mean is that of the energy over all frames.
    """
    return _body("ball_drop", courant, transfer, cells, seconds, frozen(solver))


def stirring(courant: float, transfer: str, cells: int = 32, seconds: float = 3.0, **solver: Any) -> Figures:
    """The same of the scene `stirring`."""
    return _body("stirring", courant, transfer, cells, seconds, frozen(solver))


def wave_maker(courant: float, transfer: str, cells: int = 64, seconds: float = 3.0, **solver: Any) -> Figures:
    """The same of the scene `wave_maker`."""
    return _body("wave_maker", courant, transfer, cells, seconds, frozen(solver))


def rest(courant: float, transfer: str, cells: int = 24, seconds: float = 3.0, **solver: Any) -> Figures:
    """A pool 2-D and jittered: flat, beside a slanted wall, on a beach of 27 degrees: kinetic energy over m g H.

    Exact: none at all, since the pool is at rest from the start.
    """
    slope = math.tan(math.radians(27))
    walls = {
        "flat": None,
        "slanted": plash.HalfSpace(point=(0.3, 0.0), normal=(1.0, 0.7)),
        "beach": plash.HalfSpace(point=(0.3, 0.0), normal=(-slope, 1.0)),
    }
    figures: Figures = {}
    for name, wall in walls.items():
        energies = _pool(settings(courant, transfer, {"jitter": 0.25, **solver}), cells, seconds, wall)
        figures[f"{name}: at the end"] = float(energies[-1])
        figures[f"{name}: most in the last second"] = float(energies[-25:].max())
    return figures


def bowl(courant: float, transfer: str, cells: int = 48, frames: int = 100, **solver: Any) -> Figures:
    """Water dropped into a bowl, a difference of balls: how much energy is made, what hangs at the wall, what got out.

    Exact: total energy never rises, and what does not move in three frames has no speed. A rise in a frame is told as
    a share of the energy above the pool at rest when the drop is let go, and of all above the floor.
    """
    middle, radius, drop = np.array((0.5, 0.45, 0.5)), 0.35, 0.15
    inner, outer = (plash.Sphere(center=tuple(middle), radius=radius + wall) for wall in (0, 0.07))
    rim = plash.Box(min=(0, 0.45, 0), max=(1, 1, 1))
    scene = plash.Scene(
        domain={"size": (1, 0.8, 1), "resolution": cells},
        solver=settings(courant, transfer, solver),
        fill=[{"shape": plash.Sphere(center=(0.5, 0.52, 0.5), radius=drop)}],
        solid=[{"name": "bowl", "shape": plash.Difference(of=(outer, inner, rim))}],
    )
    runner = build(scene)
    energies, hanging, volumes = [], 0.0, []
    seen: list[dict[bytes, float]] = []
    for when in framed_steps(runner, (frames - 1) / 24, 24):
        energies.append(kinetic(when.particles) + potential(when.particles, _G))
        volumes.append(when.volume_error)
        seen = [*seen[-2:], _speeds(when.particles)]
        if len(seen) == 3:
            hanging = max([hanging, *(seen[2][place] for place in seen[0].keys() & seen[1].keys() & seen[2].keys())])
    volume = runner.ledger.particle_volume
    rises = [after - before for before, after in itertools.pairwise(energies)]
    available = energies[0] - _G * volume * (middle[1] - radius + _centre_of_cap(volume, radius))
    outside = np.linalg.norm(when.particles.position - middle, axis=1) > radius + 0.5 * runner.h
    return {
        "rise over available": max(rises) / available,
        "rise over total": max(rise / before for rise, before in zip(rises, energies, strict=False)),
        "available left": 1 - (energies[0] - energies[-1]) / available,
        "speed of what hangs, m/s": hanging,
        "lowest volume": min(volumes),
        "volume at the end": volumes[-1],
        "outside": float(when.particles.volume[outside].sum() / volume),
        "leaks": float(sum(runner.ledger.leaks.values())),
    }


def fountain(courant: float, transfer: str, cells: int = 6, **solver: Any) -> Figures:
    """A jet straight up, in 2-D and 3-D, so many cells wide, at frames: its height over s²/2g.

    Exact: 1, for the first rise of a thin jet.
    """
    figures: Figures = {}
    for dimension in (2, 3):
        run = sources.fountain(dimension, cells=cells, courant=courant, transfer=transfer, **solver)
        figures[f"{dimension}-D first rise"] = run.first
        figures[f"{dimension}-D steady"] = run.steady
    return figures


def torricelli(courant: float, transfer: str, cells: int = 64, **solver: Any) -> Figures:
    """Speed behind a slit in a tank's wall, over the root of 2 g H, at frames.

    Exact: 1.
    """
    return {"speed": sources.torricelli(cells, courant=courant, transfer=transfer, **solver)}


def _body(name: str, courant: float, transfer: str, cells: int, seconds: float, solver: Frozen) -> Figures:
    moving, leaks, lowest = _stirred(name, courant, transfer, cells, seconds, solver)
    wanted, *_ = _stirred(name, _SHORT, transfer, cells, seconds, solver)
    strong = wanted > 0.2 * wanted.max()
    off = moving[strong] / wanted[strong] - 1
    return {
        "mean energy off 0.5": float(moving.sum() / wanted.sum() - 1),
        "energy most off 0.5": float(off[np.abs(off).argmax()]),
        "most energy off 0.5": float(moving.max() / wanted.max() - 1),
        "energy at the end off 0.5": float(moving[-1] / wanted[-1] - 1),
        "leaks": float(leaks),
        "lowest volume": lowest,
    }


@functools.cache
def _stirred(
    name: str, courant: float, transfer: str, cells: int, seconds: float, solver: Frozen
) -> tuple[Array, int, float]:
    """Kinetic energy at the frames of a scene of the gallery, leaks, and the lowest measured volume."""
    scene = plash.load_scene(name, resolution=cells, **overrides(courant, transfer, dict(solver)))
    runner = build(scene)
    moments = framed_steps(runner, seconds, scene.time.fps)
    energies, volumes = np.array([(kinetic(when.particles), when.volume_error) for when in moments]).T
    return energies, sum(runner.ledger.leaks.values()), float(volumes[1:].min())


def _pool(solver: plash.Solver, cells: int, seconds: float, wall: plash.HalfSpace | None) -> Array:
    """Kinetic energy over m g H at frames."""
    level = 0.43
    scene = plash.Scene(
        domain={"size": (1.2, 0.9), "resolution": cells},
        solver=solver,
        fill=[{"shape": plash.Box(min=(0.0, 0.0), max=(1.2, level))}],
        solid=[] if wall is None else [{"name": "wall", "shape": wall}],
    )
    moments = framed_steps(build(scene), seconds, 24)
    return np.array([kinetic(when.particles) / (when.particles.volume.sum() * _G * level) for when in moments])


def _speeds(particles: Any) -> dict[bytes, float]:
    """Speed by place, to the last bit."""
    places = map(bytes, np.ascontiguousarray(particles.position))
    return dict(zip(places, np.linalg.norm(particles.velocity, axis=1).tolist(), strict=True))


def _centre_of_cap(volume: float, radius: float) -> float:
    """Height of the centre of mass of a volume at rest in a ball, above its lowest point.

    >>> round(_centre_of_cap(2 / 3 * math.pi, 1.0), 6)
    0.625
    """
    roots = np.roots([-math.pi / 3, math.pi * radius, 0, -volume]).real
    depth = float(roots[(roots > 0) & (roots < 2 * radius)].max())
    # The slice at height y has the area pi (2 r y - y²)
    return math.pi * (2 * radius * depth**3 / 3 - depth**4 / 4) / volume
