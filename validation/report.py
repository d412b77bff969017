"""The page docs/validation.md: what was run, our curves over the published points, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from validation.cavity import cavity
from validation.dam_break import OPENING, collapse, measured
from validation.keep import kept
from validation.sloshing import exact_omega, slosh
from validation.sources import flux, fountain, piston, steady_river, torricelli
from validation.surfaces import SHOWN, SURFACES, run_surface, side_by_side
from validation.volume import settle

INTRODUCTION = """\
# Validation

Simulations with known answers, with the default settings unless a column says otherwise. `make validate` runs them all
and rewrites this page; small versions of each are part of `make test`. The exact identities (free fall, a pool at
rest at any height in a cell, projection, symmetry, Gates's 63 cases) are only in the tests: they hold to round-off.
Elastic liquid has its own program and page ([elasticity.md](elasticity.md#what-was-measured)).
"""


def dam_break(pictures: Path) -> str:
    """Martin & Moyce."""
    runs = [
        kept(collapse, cells, transfer) for cells, transfer in ((16, "apic"), (32, "apic"), (32, "flip"), (64, "apic"))
    ]
    figure, (left, right) = _figure(2)
    for axes, name, label in ((left, "front", "front, Z = x/a"), (right, "height", "height at the wall, H")):
        axes.plot(*measured(name), "o", color="black", markersize=4, label="Martin & Moyce 1952")
        for run in runs:
            if run.transfer == "apic":
                time = run.front_time + OPENING if name == "front" else run.height_time
                axes.plot(time, run.front if name == "front" else run.height, label=f"plash, a/h = {run.cells}")
        axes.set_ylabel(label)
    left.set(xlabel=f"T = t sqrt(2g/a) + {OPENING}", xlim=(0, 3.6), ylim=(0.9, 4.5))
    right.set(xlabel="tau = t sqrt(g/a)", xlim=(0, 7.6))
    left.legend(frameon=False)
    _save(figure, pictures / "validation_dam_break.svg")
    rows = [
        (run.cells, run.transfer, f"{run.front_error():.1%}", f"{run.height_error():.3f}", f"{run.volume_error:+.2%}")
        for run in runs
    ]
    return f"""\
## Dam break

A column of water, a = 57.15 mm wide and 2a high, in 2-D without viscosity, against the experiment of [Martin & Moyce
1952](references.md#martin-1952). The front's time is shifted by {OPENING} for the membrane's opening, as in published
comparisons.

![Front and height against the experiment](pictures/validation_dam_break.svg)

{_table(("a/h", "transfer", "front, mean of abs(dZ)/Z", "height, mean of abs(dH)", "largest volume error"), rows)}"""


def sloshing(pictures: Path) -> str:
    """The first mode of a tank."""
    runs = [kept(slosh, cells, transfer) for cells in (12, 24, 48) for transfer in ("apic", "flip")]
    figure, (axes,) = _figure(1)
    period = 2 * np.pi / exact_omega()
    time = np.linspace(0, 5.3, 400)
    axes.plot(time, np.cos(2 * np.pi * time), color="black", linewidth=0.8, label="linear theory")
    for run in runs:
        if run.cells == 24:
            axes.plot(run.time / period, run.amplitude, "--", label=f"plash, {run.transfer}, 24 cells of depth")
    axes.set(xlabel="time in periods", ylabel="amplitude of the first mode")
    axes.legend(frameon=False, loc="upper right")
    _save(figure, pictures / "validation_sloshing.svg")
    rows = [(run.cells, run.transfer, f"{run.error:+.2%}", f"{_decay(run.amplitude):.2f}") for run in runs]
    return f"""\
## Sloshing

The first mode of a tank 2.5 times as long as deep, started from a cosine of two cells' height, over five periods.
Theory: omega² = g k tanh(k H) for small waves.

![Amplitude of the mode](pictures/validation_sloshing.svg)

{_table(("cells of depth", "transfer", "error of frequency", "amplitude left after 5 periods"), rows)}"""


def _decay(amplitude: Any) -> float:
    return float(np.abs(amplitude[-60:]).max())


def volume(pictures: Path, quick: bool = False) -> str:
    """Ten seconds of the benchmark's dam break; quick leaves out what takes more than a few minutes."""
    sizes = [(2, 32), (2, 64), (2, 96), (3, 32), (3, 64), *([] if quick else [(3, 96)])]
    runs = [kept(settle, dimension, cells, transfer) for dimension, cells in sizes for transfer in ("flip", "apic")]
    figure, both = _figure(2)
    for axes, dimension in zip(both, (2, 3), strict=True):
        for run in runs:
            if run.dimension == dimension:
                axes.plot(run.time, 100 * run.error, linewidth=0.9, label=f"{run.cells}, {run.transfer}")
        axes.set(xlabel="time, s", ylabel="volume error, %", title=f"{dimension}-D")
        axes.legend(frameon=False, ncols=2, fontsize=8)
    _save(figure, pictures / "validation_volume.svg")
    rows = [
        (
            f"{run.dimension}-D",
            run.cells,
            run.transfer,
            f"{run.error.min():+.2%} ... {run.error.max():+.2%}",
            run.settled(),
        )
        for run in runs
    ]
    long = [(2, 32), *([] if quick else [(2, 64), (3, 32)])]
    lasting = [kept(settle, *size, transfer, seconds=180.0) for size in long for transfer in ("flip", "apic")]
    minutes = [(f"{run.dimension}-D", run.cells, run.transfer, *run.by_minute()) for run in lasting]
    return f"""\
## Volume

`bench_dam_break` for ten seconds: the measured volume of {{φ < 0}} against the target, at every frame and over the
last two seconds. The volume in particles is exact throughout.

![Volume error over time](pictures/validation_volume.svg)

{_table(("", "resolution", "transfer", "all frames", "last 2 s"), rows)}
Over three minutes, the mean error in each:

{_table(("", "resolution", "transfer", "1st minute", "2nd", "3rd"), minutes)}"""


def sources(pictures: Path) -> str:
    """What spouts bring, how high fountains rise, how fast liquid leaves, and what a piston displaces."""
    ways = [(dimension, under_water) for dimension in (2, 3) for under_water in (False, True)]
    fluxes = [
        (
            f"{dimension}-D",
            "under water" if wet else "in air",
            *(f"{kept(flux, dimension, degrees, wet) - 1:+.4%}" for degrees in (0, 30, 45)),
        )
        for dimension, wet in ways
    ]
    jets = [kept(fountain, 2), kept(fountain, 2, cells=12), kept(fountain, 2, speed=4.0), kept(fountain, 3)]
    fountains = [
        (
            f"{jet.dimension}-D",
            jet.cells,
            f"{jet.slenderness:.2f}",
            f"{jet.first - 1:+.1%}",
            f"{jet.steady - 1:+.1%}",
            f"{jet.spread:.1%}",
        )
        for jet in jets
    ]
    carried, measured_volume = kept(steady_river)
    pistons = ", ".join(
        f"{kept(piston, dimension, solids) - 1:+.2%} ({dimension}-D, `{solids}`)"
        for dimension in (2, 3)
        for solids in ("cut", "voxel")
    )
    slits = " and ".join(f"{kept(torricelli, cells) - 1:+.1%} with {cells}" for cells in (64, 128))
    return f"""\
## Sources, sinks and a piston

**A spout** of ten cells' width for two seconds, at three angles to the grid: the relative error of its flux. In air the
flux is what crosses a plane four cells ahead, under water what the velocity carries
through a box around it, without the divergence that straight paths ask for.

{_table(("", "", "0 degrees", "30", "45"), fluxes)}
**A fountain** straight up, between open sides: the height of its highest particle relative to s²/2g, on its first rise
and on average once falling liquid meets it, and how much that varies. The first rise of a thick jet goes higher, on
a finer grid too: its slow top is pushed from below.

{_table(("", "cells across", "width over s²/2g", "first rise", "steady", "varies by"), fountains)}
**Torricelli**: the speed behind a slit in a tank's wall, relative to √(2gH):
{slits} cells along.

**A river** of twenty seconds whose drain matches its spring (`river`): the carried volume stays within {carried:.1e},
the measured one within {measured_volume:.1%}.

**A piston** pushes slowly, 32 cells along the tank: mean depth relative to the volume over the rest of the floor,
{pistons}.
"""


def free_surfaces(pictures: Path) -> str:
    """The three free surfaces on one scene; also writes docs/free_surfaces.md."""
    runs = [kept(run_surface, surface) for surface in SURFACES]
    side_by_side(runs, pictures / "free_surfaces.png")
    figure, (left, right) = _figure(2)
    for run in runs:
        left.plot(run.time, 100 * run.volume, label=run.surface)
        right.plot(run.time, run.energy, label=run.surface)
    left.set(xlabel="time, s", ylabel="measured volume, error in %")
    right.set(xlabel="time, s", ylabel="kinetic + potential energy over the start's")
    left.legend(frameon=False)
    _save(figure, pictures / "free_surfaces.svg")
    rows = [
        (
            f"`{run.surface}`",
            f"{run.volume.min():+.1%} ... {run.volume.max():+.1%}",
            f"{run.volume[-1]:+.1%}",
            f"{run.energy[-1]:.3f}",
            run.steps,
            f"{run.iterations:.1f}",
        )
        for run in runs
    ]
    head = ("surface", "volume, all frames", "volume after 5 s", "energy after 5 s", "steps", "iterations a step")
    page = FREE_SURFACES.format(shown=", ".join(map(str, SHOWN)), table=_table(head, rows))
    (pictures.parent / "free_surfaces.md").write_text(page, encoding="utf-8")
    return "## Free surfaces\n\n[free_surfaces.md](free_surfaces.md) compares the three free surfaces on one scene.\n"


FREE_SURFACES = """\
# The three free surfaces

`solver.free_surface` selects where the liquid ends and what its pressure is there; each choice is a file in `physics/`.

* **`ghost`**, the default: the distance field of the particles locates the surface inside cells, and the pressure
  there is that of the air ([Gibou et al. 2002](references.md#gibou-2002), [Enright et al.
  2003](references.md#enright-2003)). A cell is liquid if its centre is. The density projection keeps the particles
  evenly spread, and so the volume.
* **`staircase`**: Cline's equations 13 to 15. A cell is liquid if it holds a particle, and the pressure at the centre
  of every air cell is that of the air.
* **`cells`**: Gates's conditions. The pressure is solved inside, and three rules, 63 cases, set the velocities on the
  outer faces of surface cells so that each cell is divergence free ([gates.md](gates.md)).

`dam_break_2d` with 96 cells along its length, transfer `apic`; from left to right ghost, staircase and cells, from top
to bottom frames {shown}.

![The dam break with each of the three surfaces](pictures/free_surfaces.png)

![Measured volume and energy over time](pictures/free_surfaces.svg)

{table}
For `ghost` the volume is that of {{φ < 0}}; for the other two it is that of the cells that hold a particle, which
counts every drop of spray as a whole cell and every cluster of particles as one. The particles carry the exact volume
with all three.

`python -m validation free_surfaces` makes this page.
"""

CAVITY = """## Lid-driven cavity

A unit box full of liquid at Reynolds number 100, its walls of friction 1 and its lid a solid that slides at speed 1:
largest difference from [Ghia et al. 1982](references.md#ghia-1982) on the middle lines, u along y and v along x, after
12 s at courant 1. Their table itself is up to 0.009 off a converged solution.

"""


def lid_driven_cavity(pictures: Path) -> str:
    """The lid-driven cavity, over resolution and scheme."""
    rows = []
    for cells, transfer, viscosity in ((32, "apic", "coupled"), (64, "apic", "coupled"), (64, "flip", "coupled")):
        u, v = cavity(cells, transfer=transfer, viscosity=viscosity).errors
        rows.append((cells, transfer, viscosity, f"{u:.3f}", f"{v:.3f}"))
    return CAVITY + _table(("cells", "transfer", "viscosity", "u", "v"), rows) + "\n"


CASES: dict[str, Callable[[Path], str]] = {
    "dam_break": dam_break,
    "sloshing": sloshing,
    "volume": volume,
    "sources": sources,
    "cavity": lid_driven_cavity,
    "free_surfaces": free_surfaces,
}


def _figure(panels: int) -> tuple[Any, Sequence[Any]]:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "plash"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, panels, figsize=(5.2 * panels, 3.6), layout="constrained")
    return figure, list(np.atleast_1d(axes))


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
