"""Smooth motion whose answer is known: free fall and the first mode of a tank."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

import plash
from validation.sloshing import DEPTH, LENGTH, G, exact_omega
from validation.steps.runs import Array, Figures, Moment, build, framed_steps, free_steps, frozen, settings

_WAVE_NUMBER = math.pi / LENGTH
_PERIOD = 2 * math.pi / exact_omega()


def free_fall(courant: float, transfer: str, cells: int = 32, seconds: float = 0.3, **solver: Any) -> Figures:
    """A round drop that falls through air, in 2-D and 3-D, one far end and no frames.

    Exact: mean position y0 - g t²/2 and mean velocity -g t, to round-off.
    """
    figures: Figures = {}
    for dimension in (2, 3):
        place, speed = _fall(courant, transfer, dimension, cells, seconds, solver)
        figures[f"{dimension}-D position, m"] = place
        figures[f"{dimension}-D velocity, m/s"] = speed
    return figures


def _fall(
    courant: float, transfer: str, dimension: int, cells: int, seconds: float, solver: dict[str, Any]
) -> tuple[float, float]:
    """Errors of the mean position and velocity, upwards."""
    scene = plash.Scene(
        domain={"size": (1.0, 1.25, 0.75)[:dimension], "cell_size": 1.25 / cells, "gravity": (0, -G, 0)[:dimension]},
        solver=settings(courant, transfer, solver),
        fill=[{"shape": plash.Sphere(center=(0.47, 0.97, 0.36)[:dimension], radius=0.17)}],
    )
    first, *_, last = free_steps(build(scene), seconds)
    place, _ = _means(first)
    fallen, speed = _means(last)
    return fallen - place + G * seconds**2 / 2, speed + G * seconds


def _means(when: Moment) -> tuple[float, float]:
    """Height and upward velocity of the liquid as a whole."""
    volume = when.particles.volume / when.particles.volume.sum()
    return float(volume @ when.particles.position[:, 1]), float(volume @ when.particles.velocity[:, 1])


def slosh(courant: float, transfer: str, cells: int = 24, periods: float = 10.0, **solver: Any) -> Figures:
    """The first mode of a tank, so many cells deep, with dt free and with 60 frames a period, started 2h and 4h high.

    Exact: no wave without viscosity loses amplitude, and a small one has omega² = g k tanh(k H). A wave of finite
    height is slower by a share of its (k a)².
    """
    figures: Figures = {}
    for height in (2, 4):
        for kind in ("free", "frames"):
            tank = _tank(settings(courant, transfer, solver), cells, height)
            end = (periods + 1.3) * _PERIOD
            moments = free_steps(tank, end) if kind == "free" else framed_steps(tank, end, 60 / _PERIOD)
            time, wave = _signal(moments)
            figures[f"{height}h {kind}: frequency"] = _frequency(time, wave) / exact_omega() - 1
            for when in (periods / 2, periods):
                figures[f"{height}h {kind}: left after {when:g}"] = _envelope(time, wave, when * _PERIOD)
    return figures


def slosh_order(courant: float, transfer: str, cells: int = 24, periods: float = 2.0, **solver: Any) -> Figures:
    """The order in dt of the first mode's amplitude: dt, dt/2 and dt/4 of one length each, against dt/16.

    Exact: the errors of a method of order p are as 1 to 2^-p; as the last of the runs has an error too, the first
    order looks like 1.1 and 1.2, and the second like 2.0 and 2.1.
    """
    dt = _PERIOD / 64
    signals = {
        parts: _amplitude_at(courant, transfer, cells, dt / parts, periods, frozen(solver)) for parts in (1, 2, 4, 16)
    }
    errors = [float(np.sqrt(np.mean((signals[parts] - signals[16]) ** 2))) for parts in (1, 2, 4)]
    return {
        "error at dt": errors[0],
        "at dt/2": errors[1],
        "at dt/4": errors[2],
        "order dt to dt/2": math.log2(errors[0] / errors[1]),
        "order dt/2 to dt/4": math.log2(errors[1] / errors[2]),
    }


def _amplitude_at(
    courant: float, transfer: str, cells: int, dt: float, periods: float, solver: tuple[tuple[str, Any], ...]
) -> Array:
    """The amplitude at 16 times a period, with steps of one length."""
    tank = _tank(settings(courant, transfer, {**dict(solver), "max_dt": dt * (1 + 1e-6)}), cells, 2)
    _, wave = _signal(framed_steps(tank, periods * _PERIOD, 16 / _PERIOD))
    return wave


def _tank(solver: plash.Solver, cells: int, height: float) -> Any:
    """A tank whose surface is a cosine, so many cells high."""
    h = DEPTH / cells
    scene = plash.Scene(
        domain={"size": (LENGTH, 1.6 * DEPTH), "cell_size": h, "gravity": (0, -G)},
        solver=solver,
        liquid={"kinematic_viscosity": 0},
        fill=[{"shape": plash.HeightShape(height=lambda x: DEPTH + height * h * np.cos(_WAVE_NUMBER * x))}],
    )
    return build(scene)


def _signal(moments: Iterable[Moment]) -> tuple[Array, Array]:
    """Times, and amplitudes over that of the start."""
    times, amplitude = [], []
    for when in moments:
        times.append(when.time)
        # The integral of cos(k x) over the liquid is that over the surface's height: the bulk cancels
        amplitude.append(float(when.particles.volume @ np.cos(_WAVE_NUMBER * when.particles.position[:, 0])))
    return np.array(times), np.array(amplitude) / amplitude[0]


def _frequency(time: Array, wave: Array) -> float:
    """From the first to the last zero crossing, rad/s."""
    at = np.flatnonzero(wave[:-1] * wave[1:] < 0)
    crossings = time[at] + (time[at + 1] - time[at]) * wave[at] / (wave[at] - wave[at + 1])
    return float(math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0]))


def _envelope(time: Array, wave: Array, when: float) -> float:
    """The amplitude at a time, from a straight line through the logarithms of the extrema within a period and a bit.

    >>> t = np.linspace(0, 12, 1000)
    >>> round(_envelope(t, np.exp(-0.03 * t) * np.cos(2 * np.pi * t), 10.0), 3)
    0.741
    """
    places, sizes = _extrema(time, np.abs(wave))
    near = np.abs(places - when) < 1.3 * _PERIOD
    _, middle = np.polyfit(places[near] - when, np.log(sizes[near]), 1) if near.sum() > 1 else (0.0, math.nan)
    return float(np.exp(middle))


def _extrema(time: Array, size: Array) -> tuple[Array, Array]:
    """The tops of a signal, each of a parabola through three samples."""
    inner = np.arange(1, len(size) - 1)
    tops = inner[(size[inner] >= size[inner - 1]) & (size[inner] > size[inner + 1]) & (size[inner] > 0.02)]
    places, sizes = [], []
    for top in tops:
        a, b, c = np.polyfit(time[top - 1 : top + 2] - time[top], size[top - 1 : top + 2], 2)
        places.append(time[top] - b / (2 * a))
        sizes.append(c - b * b / (4 * a))
    return np.array(places), np.array(sizes)
