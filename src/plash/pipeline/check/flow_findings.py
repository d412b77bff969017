"""What will go wrong with sources, sinks and pumps: in solids, or too small for the grid."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plash.levelset.shapes import distance
from plash.particles.particles import Particles
from plash.physics.flow.inlets import Inlet
from plash.pipeline.check.finding import Finding
from plash.pipeline.check.smoke_findings import smoke_source_findings
from plash.scene.drops import Drops
from plash.scene.model import Scene
from plash.scene.shapes import Shape
from plash.scene.sources import Blob, DyeSource, HeatSource, SmokeSource, Spout

_FEW_CELLS = 3.0  # across an opening, below which its jet is hardly seen
_DROP = 2.0  # cells across below which a drop is not seen as liquid
_THICK, _THINNEST = 0.5, 2.0  # Pa·s from which liquid forms strands, and cells across below which they break


def flow_findings(scene: Scene) -> Iterator[Finding]:
    """Everything that can be found about what brings liquid, heat and dye in, takes liquid out and moves it."""
    for index, source in enumerate(scene.source):
        where = f'source[{index}] "{source.name}"'
        if isinstance(source, Spout):
            yield from _spout_findings(scene, where, source)
        elif isinstance(source, Blob):
            yield from _region_findings(scene, where, source.shape, "no liquid appears")
        elif isinstance(source, Drops):
            yield from _drop_findings(scene, where, source)
        elif isinstance(source, SmokeSource | HeatSource) and scene.solver.has_smoke:
            yield from smoke_source_findings(scene, where, source)
        elif isinstance(source, HeatSource):
            yield from _region_findings(scene, where, source.shape, "it heats nothing")
        elif isinstance(source, DyeSource):
            yield from _region_findings(scene, where, source.shape, "it colours nothing")
    for index, sink in enumerate(scene.sink):
        yield from _region_findings(scene, f'sink[{index}] "{sink.name}"', sink.shape, "nothing goes this way")
    for index, pump in enumerate(scene.pump):
        where = f'pump[{index}] "{pump.name}"'
        yield from _region_findings(scene, where, pump.shape, "it moves nothing")


def _spout_findings(scene: Scene, where: str, spout: Spout) -> Iterator[Finding]:
    domain = scene.domain

    def is_open(particles: Particles, time: float) -> NDArray[np.bool_]:
        points = particles.position(domain.h)
        return ~_in_solids(scene, points, time) & ((points >= 0) & (points <= domain.size)).all(axis=1)

    inlet = Inlet(spout, domain.h, scene.dimension, scene.particles_per_cell, 0.0, (0,), is_open)
    share = 1 - float(is_open(inlet.at_rest(spout.start), spout.start).mean())
    if share > 0.01:
        nothing = share == 1 and not spout.moves
        yield Finding(
            "error" if nothing else "warning",
            "source-in-solid",
            where,
            f"{share:.0%} of its opening lies inside solids or outside the domain: "
            + ("nothing can come out" if nothing else "all comes out of the rest"),
            f"move {where.split()[0]}.shape or the solid",
        )
    width = 2 * min(spout.shape.half_sides(scene.dimension))
    if width < _FEW_CELLS * domain.h:
        needed = math.ceil(_FEW_CELLS * max(domain.size) / width - 1e-9)
        yield Finding(
            "warning",
            "small-feature",
            where,
            f"{width:.4g} m wide, {width / domain.h:.2f} cells of {domain.h:.4g} m: its jet is hardly seen",
            f"make it at least {_FEW_CELLS * domain.h:.4g} m wide, or set domain.resolution = {needed}",
        )
        return
    yield from _strand_findings(scene, where, spout, width)


def _drop_findings(scene: Scene, where: str, drops: Drops) -> Iterator[Finding]:
    """Drops that are too small to be seen, or have no place."""
    h, width = scene.domain.h, 2 * drops.radius
    yield from _region_findings(scene, where, drops.shape, "no drop appears")
    if width < _DROP * h:
        needed = math.ceil(_DROP * max(scene.domain.size) / width - 1e-9)
        yield Finding(
            "warning",
            "small-feature",
            where,
            f"its drops are {width:.4g} m wide, {width / h:.2f} cells of {h:.4g} m: each is a few particles, and flies "
            "on its own",
            f"make radius at least {_DROP * h / 2:.4g} m, or set domain.resolution = {needed}",
        )


def _strand_findings(scene: Scene, where: str, spout: Spout, width: float) -> Iterator[Finding]:
    """A stream of thick liquid that gets thinner than cells can show while it falls.

    It falls freely, v² = u² + 2 g H, or as slowly as its own weight stretches it, v = u + g H²/(6 ν).
    """
    liquid, h = scene.liquid, scene.domain.h
    gravity, height = -scene.domain.gravity[1], spout.shape.center[1]
    slowest = spout.peak(scene.dimension)
    if liquid.nu * liquid.rho < _THICK or gravity <= 0 or slowest <= 0 or height <= 0:
        return
    hanging = slowest + gravity * height**2 / (6 * liquid.nu)
    share = slowest / min(math.sqrt(slowest**2 + 2 * gravity * height), hanging)
    sides = {2 * half for half in spout.shape.half_sides(scene.dimension)}
    is_round = scene.dimension == 3 and len(sides) == 1
    thinnest = width * (math.sqrt(share) if is_round else share)
    if thinnest < _THINNEST * h:
        needed = math.ceil(_THINNEST * max(scene.domain.size) / thinnest - 1e-9)
        yield Finding(
            "warning",
            "thin-strand",
            where,
            f"its stream falls {height:.3g} m and gets {thinnest:.3g} m thin, {thinnest / h:.1f} cells: it breaks "
            f"below {_THINNEST:g}",
            f"make it wider or faster, let it fall less far, or set domain.resolution = {needed}",
        )


def _region_findings(scene: Scene, where: str, shape: Shape, effect: str) -> Iterator[Finding]:
    """A region without a cell of its own, or one that lies in solids."""
    centres = _cell_centres(scene, shape)
    inside = distance(shape, centres, where) < 0 if len(centres) else np.zeros(0, np.bool_)
    edit = f"move or enlarge {where.split()[0]}.shape, or raise domain.resolution"
    if not inside.any():
        message = f"holds no centre of a cell of {scene.domain.h:.4g} m in the domain: {effect}"
        yield Finding("error", "empty-region", where, message, edit)
        return
    share = float(_in_solids(scene, centres[inside]).mean())
    if share == 1:
        yield Finding("error", "region-in-solid", where, f"all of it lies inside solids: {effect}", edit)


def _in_solids(scene: Scene, points: NDArray[np.float64], time: float = 0.0) -> NDArray[np.bool_]:
    inside = np.zeros(len(points), np.bool_)
    for solid in scene.solids_at(time):
        inside |= distance(solid.shape, points, solid.name) < 0
    return inside


def _cell_centres(scene: Scene, shape: Shape) -> NDArray[np.float64]:
    """Centres of the domain's cells within the box around a shape."""
    h = scene.domain.h
    low, high = shape.bounds(scene.dimension)
    axes = []
    for a, b, cells in zip(low, high, scene.domain.cells, strict=True):
        first, last = (int(np.clip(np.floor(end / h), 0, cells)) if math.isfinite(end) else None for end in (a, b))
        axes.append((np.arange(first or 0, cells if last is None else min(last + 1, cells)) + 0.5) * h)
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
