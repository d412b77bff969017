"""Liquid that fills its container and turns for ever: what is left of its energy after two turns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import plash
from validation.steps.runs import Array, Figures, build, free_steps, fullest_cell, give_velocity, kinetic, settings

_WIDE, _HIGH = 1.2, 0.9
_FASTEST = 0.7  # m/s


def vortex(courant: float, transfer: str, cells: int = 48, turns: float = 2.0, **solver: Any) -> Figures:
    """One vortex in a full closed box of 4 by 3, so many cells wide, without gravity: u = a sin(k x) cos(l y) ...

    Exact: its vorticity is a function of its stream function, so it is steady and keeps all its energy. A turn is one
    about its middle, where liquid turns by the angle a k l a second.
    """
    k, l = math.pi / _WIDE, math.pi / _HIGH  # noqa: E741
    a = _FASTEST / max(k, l)

    def velocity(x: Array) -> Array:
        (sx, sy), (cx, cy) = np.sin(x * (k, l)).T, np.cos(x * (k, l)).T
        return a * np.stack([l * sx * cy, -k * cx * sy], axis=1)

    def gradient(x: Array) -> Array:
        (sx, sy), (cx, cy) = np.sin(x * (k, l)).T, np.cos(x * (k, l)).T
        rows = [[k * l * cx * cy, -l * l * sx * sy], [k * k * sx * sy, -k * l * cx * cy]]
        return a * np.moveaxis(np.array(rows), 2, 0)

    scene = plash.Scene(
        domain={"size": (_WIDE, _HIGH), "resolution": cells, "gravity": (0, 0)},
        solver=settings(courant, transfer, solver),
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.Box(min=(0, 0), max=(_WIDE, _HIGH))}],
    )
    return _left_after(scene, velocity, gradient, turns * 2 * math.pi / (a * k * l))


def round_tank(courant: float, transfer: str, cells: int = 48, turns: float = 2.0, **solver: Any) -> Figures:
    """Liquid that turns in a round tank, so many cells across, as a whole; the same with a hub of a third of its size.

    Exact: both are steady and keep all their energy.
    """
    return {
        **_prefixed("tank", _round(settings(courant, transfer, solver), cells, turns, has_hub=False)),
        **_prefixed("hub", _round(settings(courant, transfer, solver), cells, turns, has_hub=True)),
    }


def _prefixed(name: str, figures: Figures) -> Figures:
    return {f"{name}: {key}": value for key, value in figures.items()}


def _round(solver: plash.Solver, cells: int, turns: float, has_hub: bool) -> Figures:
    radius, hub = 0.45, 0.15
    h = 2 * radius / cells
    size = (radius + 4 * h) * 2
    middle = np.array([size / 2 + 0.3 * h, size / 2 - 0.2 * h])
    ball = plash.Sphere(center=tuple(middle), radius=radius)
    around = plash.Box(min=(-1, -1), max=(size + 1, size + 1))
    inner = plash.Sphere(center=tuple(middle), radius=hub)
    tank, axle = (
        plash.Solid(name="tank", shape=plash.Difference(of=(around, ball))),
        plash.Solid(name="hub", shape=inner),
    )
    scene = plash.Scene(
        domain={"size": (size, size), "cell_size": h, "gravity": (0, 0)},
        solver=solver,
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.Difference(of=(ball, inner)) if has_hub else ball}],
        solid=[tank, axle] if has_hub else [tank],
    )
    rate = _FASTEST / radius

    def velocity(x: Array) -> Array:
        away = x - middle
        return rate * np.stack([-away[:, 1], away[:, 0]], axis=1)

    def gradient(x: Array) -> Array:
        return np.broadcast_to(rate * np.array([[0.0, -1.0], [1.0, 0.0]]), (len(x), 2, 2))

    return _left_after(scene, velocity, gradient, turns * 2 * math.pi / rate)


def _left_after(
    scene: plash.Scene, velocity: Callable[[Array], Array], gradient: Callable[[Array], Array], seconds: float
) -> Figures:
    """What share of the energy is left, and how volume and particles were kept."""
    runner = build(scene)
    give_velocity(runner, velocity, gradient)
    first = kinetic(runner.snapshot())
    rows = [
        (kinetic(when.particles) / first, when.volume_error, fullest_cell(when.particles, runner.h))
        for when in free_steps(runner, seconds)
    ]
    energy, volume, fullest = np.array(rows).T
    return {
        "energy left": float(energy[-1]),
        "most energy": float(energy.max()),
        "lowest volume": float(volume[2:].min()),
        "highest volume": float(volume[2:].max()),
        "fullest cell": float(fullest.max()),
        "steps": float(len(rows) - 1),
    }
