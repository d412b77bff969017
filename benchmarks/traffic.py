"""How many bytes a stage has to move, by counting the arrays its loops read and write.

Each array is counted once per pass over it, for float32 fields (4), float64 right-hand sides (8), int32 cells (4) and
one-byte labels, faces and masks; halos and what stays in the first-level cache are not. A number that is only
filled with zeros counts as written. This is an estimate of the least that memory must deliver: divided by the
measured seconds and the triad bandwidth it says how far from that limit a stage is. Stages whose work
depends on where the surface happens to be (extrapolation, solids, closed components, multigrid set-up) have no entry.

                            per particle                            per cell of a tile
    sort_particles          cell 2·12, group 2·4, order 4,
                            10 rows · (4 + 4 + index 4)
    particles_to_grid       cell, offset 24, velocity 12, volume 4  6 pools: filled 24, added to 48; divided 36
    grid_to_particles       cell, offset 24, velocity 2·12          velocity 12, change 12
    grid_to_affine_part.    cell, offset 24, velocity 12, affine 36 velocity 12
    move_particles          cell 2·12, offset 2·12, velocity 12
    label_cells                                                     masks 2, labels 4, faces 6
    forget_dry_faces                                                velocity 12, faces 3 (FLIP: twice)
    Gravity.add                                                     one component 8, faces 1
    ExplicitViscosity.apply                                         copy 24, read 12, written 12
    Solids.constrain                                                faces 3, twice
    trace_back                                                      velocity 12, result 24, faces 3
    divergence              (cells of tiles with liquid)            velocity 12, label 1, result 8 + 16
    operator                (cells of tiles with liquid)            label 1, faces 3, diagonal 4 + 8
    subtract_gradient                                               velocity 24, faces 3, potential 8
    project (its own part)                                          -b 16, fastest 12, potential 8, scaled 32
    _solve                  (cells of tiles with liquid)            two refinements: residual 28, norm 8, begin and
                                                                    end 36
      and per iteration                                             direction 12, A p 12, update 24, V-cycle 60:
                                                                    zero 4, smooth 2·16, restrict 12, prolong 12
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.stepping import Step


@dataclass(frozen=True)
class Traffic:
    """Bytes moved per particle, cell of any tile, cell of a tile with liquid, and such a cell and iteration."""

    particle: float = 0
    cell: float = 0
    liquid_cell: float = 0
    iteration: float = 0


PARTICLE_STAGES = frozenset(
    {
        "sort_particles",
        "particles_to_grid",
        "grid_to_particles",
        "grid_to_affine_particles",
        "move_particles",
        "Solids.collide",
    }
)

_TRAFFIC = {
    "sort_particles": Traffic(particle=156),
    "particles_to_grid": Traffic(particle=40, cell=108),
    "grid_to_particles": Traffic(particle=48, cell=24),
    "grid_to_affine_particles": Traffic(particle=72, cell=12),
    "move_particles": Traffic(particle=60),
    "label_cells": Traffic(cell=12),
    "forget_dry_faces": Traffic(cell=15),
    "Gravity.add": Traffic(cell=9),
    "ExplicitViscosity.apply": Traffic(cell=48),
    "Solids.constrain": Traffic(cell=6),
    "trace_back": Traffic(cell=39),
    "divergence": Traffic(liquid_cell=37),
    "Staircase.operator": Traffic(liquid_cell=16),
    "subtract_gradient": Traffic(cell=35),
    "PressureSolver.project": Traffic(cell=68),
    "_solve": Traffic(liquid_cell=144, iteration=108),
}

# Where a transfer carries more, or less, or calls a stage more than once
_BY_TRANSFER = {
    ("flip", "forget_dry_faces"): Traffic(cell=30),
    ("apic", "sort_particles"): Traffic(particle=156 + 9 * 12),
    ("apic", "particles_to_grid"): Traffic(particle=40 + 36, cell=108),
    ("semi_lagrangian", "grid_to_particles"): Traffic(particle=36, cell=12),
}


def bytes_moved(stage: str, transfer: str, step: Step) -> float | None:
    """Bytes that a stage moved in a step at least; None if no count is meaningful."""
    traffic = _BY_TRANSFER.get((transfer, stage), _TRAFFIC.get(stage))
    if traffic is None:
        return None
    per_liquid_cell = traffic.liquid_cell + traffic.iteration * step.report.iterations
    return (
        traffic.particle * step.report.particles
        + traffic.cell * step.tile_cells
        + per_liquid_cell * step.liquid_tile_cells
    )
