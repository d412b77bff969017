"""Stable fluids as arrays: a vortex that MacCormack keeps and a plain trace wears away."""

import numpy as np

import plash
from plash.solvers.stable_fluids import StableFluidsSolver


def vortex(settings: plash.Solver) -> StableFluidsSolver:
    """A vortex in a box of side π without walls that hold it back; nothing has a weight."""
    scene = plash.Scene(
        domain={"size": (np.pi, np.pi), "resolution": 48, "gravity": (0, 0)},
        liquid={"kinematic_viscosity": 0.01},
        solver=settings,
        fill=[{"shape": plash.Sphere(center=(1.0, 1.6), radius=0.4)}],
    )
    solver = plash.build(scene)
    assert isinstance(solver, StableFluidsSolver)
    faces = np.arange(48) * solver.h
    centres = faces + solver.h / 2
    solver.state.faces[:] = [np.outer(np.cos(centres), np.sin(faces)), -np.outer(np.sin(faces), np.cos(centres))]
    return solver


solvers = {
    "maccormack": vortex(plash.Solver(kind="stable_fluids", advection="maccormack")),
    "semi_lagrangian": vortex(plash.Solver(kind="stable_fluids", advection="semi_lagrangian")),
}
starts = {name: solver.state.faces.copy() for name, solver in solvers.items()}
print("frame   time  exp(-2 nu t)  maccormack  semi_lagrangian   density between")
for number in range(1, 13):
    time = number / 4
    left = {}
    for name, solver in solvers.items():
        while solver.state.time < time:
            solver.advance(time)
        left[name] = (solver.state.faces * starts[name]).sum() / (starts[name] ** 2).sum()
    density = solvers["maccormack"].state.density
    print(
        f"{number:5d} {time:6.2f} {np.exp(-0.02 * time):13.4f} {left['maccormack']:11.4f} "
        f"{left['semi_lagrangian']:16.4f}   {density.min():.3f} and {density.max():.3f}"
    )
