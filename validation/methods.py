"""One scene with every method of plash, side by side: python -m validation.methods [--cells 64] [--seconds 3].

A column of liquid falls over in a closed 2-D box. Writes docs/methods_compared.md, with processor time, volume, energy
and pictures of each method. Times are those of one thread if NUMBA_NUM_THREADS is 1.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import plash
from plash.pipeline.simulate import steps_to_frame
from plash.render.choice import renderer_of
from plash.render.moment import Moment

_DOCS = Path(__file__).parents[1] / "docs"
_FPS = 24
_COLUMN = (0.4, 0.5)  # width and height of the liquid at the start, m
_SHOWN = (0.25, 0.5, 1.0)  # times of the pictures, s
_WIDTH, _GAP = 240, 4

METHODS: dict[str, dict[str, Any]] = {
    "particles, apic": {"transfer": "apic"},
    "particles, flip": {"transfer": "flip"},
    "particles, pic": {"transfer": "pic"},
    "particles mark the liquid, the grid is traced back": {"transfer": "semi_lagrangian"},
    "Cline's surface: staircase, traced back": {"transfer": "semi_lagrangian", "free_surface": "staircase"},
    "Gates's surface: cells, apic": {"transfer": "apic", "free_surface": "cells"},
    "particle level set": {"surface": "levelset"},
    "particle level set, shifted": {"surface": "levelset", "levelset_volume": "shift"},
    "level set alone": {"surface": "levelset", "levelset_particles": False},
    "stable fluids, MacCormack": {"kind": "stable_fluids"},
    "stable fluids, plain trace": {"kind": "stable_fluids", "advection": "semi_lagrangian"},
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method made of the scene.

    Attributes:
        seconds: Of processor time, for all steps.
        steps: How many.
        volumes: Measured volume over the initial one, less 1, frame by frame.
        kinetic: Kinetic energy over the potential energy at the start, frame by frame.
        total: Kinetic and potential energy over that at the start, frame by frame.
        pictures: At the times shown.
    """

    seconds: float
    steps: int
    volumes: list[float]
    kinetic: list[float]
    total: list[float]
    pictures: list[NDArray[np.uint8]]


def scene(cells: int, seconds: float, settings: dict[str, Any]) -> plash.Scene:
    """The column, with a method."""
    return plash.Scene(
        domain={"size": (1, 1), "resolution": cells},
        time={"fps": _FPS, "frames": 1 + round(seconds * _FPS)},
        solver=plash.Solver.model_validate({"courant": 3, **settings}),
        fill=[{"shape": plash.Box(min=(0, 0), max=_COLUMN)}],
        look={"width": _WIDTH, "color_by": "speed", "top_speed": 3.0},
    )


def outcome(made: plash.Scene) -> Outcome:
    """Run a scene."""
    plash.build(made).advance(1e-4)  # compiles
    solver, drawer = plash.build(made), renderer_of(made)
    gravity, rho = tuple(made.domain.gravity[:2]), made.liquid.rho
    spent, steps = 0.0, 0
    volumes, kinetic, total, pictures = [], [], [], []
    for number in range(1, made.time.frames + 1):
        start = time.process_time()
        steps += len(list(steps_to_frame(solver, number, _FPS))) if number > 1 else 0
        spent += time.process_time() - start
        snapshot, now = solver.snapshot(), (number - 1) / _FPS
        energy = snapshot.energy(rho, gravity)
        volumes.append((solver.ledger.volume_error or 0.0) if number > 1 else 0.0)
        kinetic.append(energy["kinetic"])
        total.append(energy["kinetic"] + energy["potential"])
        if any(abs(now - shown) < 0.5 / _FPS for shown in _SHOWN):
            pictures.append(drawer.picture(Moment(snapshot.surface(made, now), snapshot.dots(), time=now)))
    return Outcome(spent, steps, volumes, [e / total[0] for e in kinetic], [e / total[0] for e in total], pictures)


def page(cells: int, seconds: float, found: dict[str, Outcome]) -> str:
    """The page."""
    rows = []
    for name, each in found.items():
        low, high = 100 * min(each.volumes), 100 * max(each.volumes)
        rows.append(
            f"| {name} | {1e3 * each.seconds / each.steps:.1f} | {each.steps} | {each.seconds:.1f} "
            f"| {low:+.1f} % ... {high:+.1f} % | {100 * each.volumes[-1]:+.1f} % "
            f"| {each.kinetic[_FPS]:.3f} | {each.total[_FPS]:.3f} | {each.total[-1]:.3f} |"
        )
    return _PAGE.format(cells=cells, seconds=seconds, shown=", ".join(f"{t:g}" for t in _SHOWN), table="\n".join(rows))


def sheet(found: dict[str, Outcome]) -> Image.Image:
    """The pictures: a column for each method, in three rows of time."""
    height, width = next(iter(found.values())).pictures[0].shape[:2]
    size = (len(found) * (width + _GAP) - _GAP, len(_SHOWN) * (height + _GAP) - _GAP)
    made = Image.new("RGB", size, "white")
    for i, each in enumerate(found.values()):
        for j, picture in enumerate(each.pictures):
            made.paste(Image.fromarray(picture), (i * (width + _GAP), j * (height + _GAP)))
    return made


_PAGE = """\
# One scene with every method

A column of 0.4 m by 0.5 m falls over in a closed box of 1 m with {cells}² cells, for {seconds:g} s, at Courant number
3. The methods differ in nothing else. `python -m validation.methods` makes this page; times are of one thread, of the
processor. Energies, kinetic and in all, are over the potential energy at the start; of liquid that lies flat and still
0.4 is left.

| method | ms a step | steps | s in all | volume, all frames | at the end | kinetic, 1 s | all, 1 s | all, end |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{table}

Volumes are what each method measures: of {{φ < 0}}, of the cells that hold a particle (staircase, cells), of the
density (stable fluids).

From left to right the methods in the order of the table, from top to bottom after {shown} s; colours are speeds up to
3 m/s:

![The column with every method](pictures/methods_compared.png)

* **Particles** keep the volume and most of the splash.
* **Traced grids** (semi_lagrangian, level sets, stable fluids with the plain trace) lose swirls, as Kuo says.
* **Staircase and cells** count whole cells, so their volume says more about spray than about liquid.
* **Level sets** have the smoothest surface and lose what is thinner than a cell.
* **Stable fluids** have no free surface: the fluid round the liquid, as heavy to move, takes up much of the energy, and
  the splash comes late and low. A step costs the same whatever the liquid does.

[free_surfaces.md](free_surfaces.md), [surface_tracking.md](surface_tracking.md) and
[stable_fluids.md](stable_fluids.md) say more of each.
"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--docs", type=Path, default=_DOCS)
    asked = parser.parse_args()
    found = {}
    for name, settings in METHODS.items():
        found[name] = outcome(scene(asked.cells, asked.seconds, settings))
        print(f"{name}: {found[name].seconds:.1f} s", flush=True)
    (asked.docs / "pictures").mkdir(parents=True, exist_ok=True)
    sheet(found).save(asked.docs / "pictures" / "methods_compared.png", optimize=True)
    (asked.docs / "methods_compared.md").write_text(page(asked.cells, asked.seconds, found), encoding="utf-8")


if __name__ == "__main__":
    main()
