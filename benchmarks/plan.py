"""How large and how often: the sizes of a full and of a quick run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Sizes and counts that every benchmark takes from here.

    Attributes:
        quick: Whether this is the small plan.
        step_sizes: Resolutions of the dam break whose steps are timed (steps, stages, threads).
        other_size: Resolution at which the other transfers are timed.
        warm_up: Steps that are taken first and not counted.
        steps: Steps that are timed.
        scaling_size: Cells per metre of the liquid in the small and the large domain.
        pressure_sizes: Cells along the box of the pressure problem.
        jacobi_size: Size at which multigrid is compared with Jacobi; one of pressure_sizes.
        repeats: How often a pressure problem is solved and a warm process started; the minimum counts.
        memory_sizes: Resolutions of the dam break whose memory is measured.
        memory_steps: Steps until then.
        start_sizes: Resolutions of the 3-D and the 2-D scene of the start-up times.
        triad_seconds: How long each bandwidth is measured, each time.
    """

    quick: bool = False
    step_sizes: tuple[int, ...] = (64, 96, 128)
    other_size: int = 64
    warm_up: int = 3
    steps: int = 14
    scaling_size: int = 96
    pressure_sizes: tuple[int, ...] = (64, 128, 192)
    jacobi_size: int = 128
    repeats: int = 5
    memory_sizes: tuple[int, ...] = (64, 96, 128)
    memory_steps: int = 6
    start_sizes: tuple[int, int] = (32, 64)
    triad_seconds: float = 0.25


FULL = Plan()
QUICK = Plan(
    quick=True,
    step_sizes=(32,),
    other_size=32,
    warm_up=2,
    steps=4,
    scaling_size=32,
    pressure_sizes=(32,),
    jacobi_size=32,
    repeats=2,
    memory_sizes=(32,),
    memory_steps=2,
    start_sizes=(16, 32),
    triad_seconds=0.05,
)
