"""Elastic bodies that the grid is too coarse for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from plash.levelset.shapes import thickness
from plash.pipeline.check.finding import Finding
from plash.scene.mesh_shape import MeshShape
from plash.scene.model import Scene
from plash.solvers.build.containers import with_shapes

_CELLS = 8  # across a body, at which one that lands gained no energy, and 5.3 at which it did (docs/elasticity.md)
_FLOWS = 1.0  # yield strain up to which liquid flows before it stores much


def elastic_findings(scene: Scene) -> Iterator[Finding]:
    """Fills that spring back and have few cells across; what is thin somewhere, as a mesh may be, need not be few."""
    if scene.shear_modulus == 0:
        return
    h = scene.domain.h
    for index, fill in enumerate(with_shapes(scene).fill):
        modulus, yields, _ = fill.elastic(scene.liquid)
        if isinstance(fill.shape, MeshShape):
            continue
        across = thickness(fill.shape)
        if modulus > 0 and yields > _FLOWS and across < (_CELLS - 1e-6) * h:
            needed = math.ceil(_CELLS * max(scene.domain.size) / across - 1e-9)
            yield Finding(
                "warning",
                "coarse-body",
                f"fill[{index}]",
                f"{across:.4g} m at its thinnest, {across / h:.1f} cells of {h:.4g} m: an elastic body of fewer than "
                f"{_CELLS} cells swings too slowly, by 8 % in 5 cells, and may gain energy when it lands",
                f"set domain.resolution = {needed} or more, or make it thicker",
            )
