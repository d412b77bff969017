"""Random scenes, simulated for three frames: an error with a name, or numbers that make sense."""

import math
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np

import plash
from plash.errors import PlashError, SceneError
from plash.files.layout import RunFolder
from plash.files.ply import mesh_from_ply
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.registry import read_run
from plash.scene import Scene, scene_text
from plash.scene.domain import SideName
from plash.solvers.build import build
from plash.solvers.frame import FrameGrids, Snapshot
from plash.solvers.frame_level_set import FrameLevelSet
from plash.solvers.frame_smoke import FrameSmoke
from plash.solvers.ledger import Ledger
from plash.solvers.solver import SceneSolver

from .cases import promise
from .flows import Writer

MOST_STEPS = 150  # after so many a case ends: long, but sound so far
_WITHOUT_PARTICLES = (FrameGrids, FrameSmoke, FrameLevelSet)
_MAY_BE_UNKNOWN: dict[type, str] = {FrameLevelSet: "velocity"}  # in solids, and far from the liquid
_ROUND_OFF = 1e-5  # particles carry single numbers
_RUN_STEPS = 40  # of a scene that is run again, with surfaces and pictures


def attempt(chance: Random, place: Path) -> str:
    """Simulate a scene and look at every number; of some, make surfaces and pictures too."""
    try:
        scene = Scene(**Writer(chance).scene()) if chance.random() < 0.8 else _of_gallery(chance)
    except SceneError:
        return "refused"
    try:
        steps = _simulate(scene)
        if steps < _RUN_STEPS and chance.random() < 0.3:
            _run(scene, place / "run")
            return "run"
    except PlashError as error:
        promise(str(error).strip(), f"{type(error).__name__} without a word")
        return type(error).__name__
    except Exception as error:
        error.add_note(f"The scene was:\n{scene_text(scene)}")
        raise
    return "simulated" if steps < MOST_STEPS else "cut short"


def _of_gallery(chance: Random) -> Scene:
    """A scene that comes with plash, small and solved in another way."""
    name = chance.choice(sorted(plash.gallery()))
    flat = plash.load_scene(name).dimension == 2
    changes = {"domain.resolution": chance.randint(8, 24) if flat else chance.randint(6, 14), "time.frames": 3}
    solver = Writer(chance).solver()
    kept = {key: value for key, value in solver.items() if key not in ("kind", "particles_per_cell", "solids")}
    changes |= {f"solver.{key}": kept[key] for key in chance.sample(sorted(kept), 3)}
    return plash.load_scene(name, **changes)


def _simulate(scene: Scene) -> int:
    solver = build(scene)
    check_moment(scene, solver)
    steps = 0
    for frame in range(2, scene.time.frames + 1):
        for report in steps_to_frame(solver, frame, scene.time.fps):
            steps += 1
            promise(math.isfinite(report.residual) and report.dt > 0, f"step {steps}: {report}")
            check_ledger(solver.ledger, getattr(scene.solver, "surface", "") == "particles")
            if steps == MOST_STEPS:
                break
        check_moment(scene, solver)
        if steps == MOST_STEPS:
            break
    return steps


def _run(scene: Scene, folder: Path) -> None:
    plash.run(scene, folder, stages=("simulate", "mesh", "render"))
    place = RunFolder(folder)
    manifest = read_run(place)
    for frame in range(1, scene.time.frames + 1):
        check_ledger(
            Ledger(**manifest.stage("simulate").items[frame].ledger),
            getattr(scene.solver, "surface", "") == "particles",
        )
        check_surface(place.surface(frame))
        promise(place.picture(frame).stat().st_size > 0, f"frame {frame} has an empty picture")


def check_moment(scene: Scene, solver: SceneSolver) -> None:
    """What a frame shows, and its ledger."""
    snapshot = solver.snapshot()
    check_snapshot(snapshot)
    check_ledger(solver.ledger, not isinstance(snapshot, _WITHOUT_PARTICLES))
    if isinstance(snapshot, _WITHOUT_PARTICLES):
        return
    seen = snapshot.as_particles()
    carried, told = float(seen.volume.sum()), solver.ledger.particle_volume
    scale = solver.ledger.initial + solver.ledger.inflow
    promise(abs(carried - told) <= _ROUND_OFF * scale, f"particles carry {carried}, the ledger says {told}")
    sides_of: dict[str, str] = {name: scene.domain.side(name) for name in get_args(SideName)}
    for axis, (side, sides) in enumerate(zip(scene.domain.cells, ("x", "y", "z"), strict=False)):
        along = seen.position[:, axis] / scene.domain.h
        if sides_of[f"{sides}_min"] == "closed":
            promise(not np.any(along < -1e-3), f"particles left through the closed side {sides}_min")
        if sides_of[f"{sides}_max"] == "closed":
            promise(not np.any(along > side + 1e-3), f"particles left through the closed side {sides}_max")


def check_snapshot(seen: Snapshot) -> None:
    """Refuse NaN, and shares that are none."""
    for name, values in seen.arrays().items():
        told = values[~np.isnan(values)] if _MAY_BE_UNKNOWN.get(type(seen)) == name else values
        promise(np.isfinite(told).all(), f"{name} of the frame is not finite")
    if not isinstance(seen, _WITHOUT_PARTICLES):
        promise((seen.as_particles().volume > 0).all(), "a particle carries nothing, or less")


def check_ledger(ledger: Ledger, is_exact: bool) -> None:
    """Refuse NaN, a volume below zero and, of particles, liquid that came from nowhere or went there."""
    numbers: dict[str, Any] = {key: value for key, value in vars(ledger).items() if isinstance(value, float)}
    for name in ("brought", "removed"):
        numbers |= {f"{name} {key}": value for key, value in getattr(ledger, name).items()}
    promise(all(map(math.isfinite, numbers.values())), f"not finite: {ledger}")
    came = ledger.initial + ledger.inflow
    least = min(numbers.values(), default=0.0)
    promise(least >= -_ROUND_OFF * came, f"below zero: {ledger}")
    lost = sum(ledger.removed.values()) - ledger.outflow
    off = ledger.particle_volume + lost - ledger.target_volume
    promise(not is_exact or abs(off) <= _ROUND_OFF * came, f"off by {off}: {ledger}")


def check_surface(path: Path) -> None:
    """Refuse a surface that cannot be read, or with a number that is none."""
    mesh = mesh_from_ply(path.read_bytes(), path.name)
    for name in ("vertices", "normals", "velocity"):
        values = getattr(mesh, name, None)
        promise(values is None or np.isfinite(values).all(), f"{path.name}: {name} is not finite")
