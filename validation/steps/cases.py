"""All cases by name, cheap ones first."""

from __future__ import annotations

from validation.steps.bodies import ball_drop, bowl, fountain, rest, stirring, torricelli, wave_maker
from validation.steps.collapses import collapse, collapse_coarse, dam_3d, dam_obstacles, speed, thin_front
from validation.steps.runs import Case
from validation.steps.turning import round_tank, vortex
from validation.steps.waves import free_fall, slosh, slosh_order

CASES: dict[str, Case] = {
    case.__name__: case
    for case in (
        free_fall,
        slosh,
        slosh_order,
        vortex,
        round_tank,
        rest,
        torricelli,
        fountain,
        collapse_coarse,
        collapse,
        thin_front,
        dam_3d,
        dam_obstacles,
        ball_drop,
        stirring,
        wave_maker,
        bowl,
        speed,
    )
}
