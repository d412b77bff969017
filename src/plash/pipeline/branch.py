"""Branches: a run that goes on from a frame of another one with other settings.

It shares the frames up to there, as links where the disk can, and both manifests say so. The state at the frame comes
from a checkpoint of the other run, or is simulated again from the last one before it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plash.errors import DamagedError, MismatchError, Problem, SceneError, StorageError
from plash.files.atomic import errors_of_disk, verify, write_bytes
from plash.files.checkpoint import Place, read_checkpoint, write_checkpoint
from plash.files.layout import RunFolder
from plash.files.log import log_up_to
from plash.files.manifest import Item, Manifest, Origin
from plash.pipeline.checkpoints import STOPPED, checkpoint_file, checkpoints_before
from plash.pipeline.fingerprint import branched, simulation
from plash.pipeline.progress import Progress
from plash.pipeline.run import Outcome, of_use, refuse_strangers, run
from plash.pipeline.simulate import steps_to_frame
from plash.pipeline.stages.registry import held_run, read_run
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import RunPaths
from plash.scene.language.read import parse_scene
from plash.scene.language.write import names_functions, scene_text
from plash.scene.model import Scene
from plash.solvers.build import build, build_solver
from plash.solvers.solver import SceneSolver

State = tuple[SceneSolver, Place]  # a solver, and where in the run it is


def branch(
    folder: str | Path, out: str | Path, frame: int, *, progress: Progress | None = None, **overrides: Any
) -> Outcome:
    """Go on from a frame of a run with other settings, in another folder.

    Args:
        folder: The run's folder.
        out: The branch's folder; one that holds this branch already is mended and continued.
        frame: The last frame that both share.
        progress: Who wants to know how it is getting on.
        overrides: New values of parameters. The domain's cells, the frame rate and the kind of solver cannot change.

    Raises:
        MismatchError: The state of the run at the frame does not fit the changed scene, or `out` holds another run.
        StorageError: The frame is not simulated, or a folder cannot be used.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=3)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     _ = plash.run(scene, f"{out}/run", stages=["simulate"])
        ...     plash.branch(f"{out}/run", f"{out}/moon", 2, **{"domain.gravity": [0, -1.6]}).frames
        3
    """
    home, place = RunFolder(Path(folder)), RunFolder(Path(out))
    if place.root.resolve() == home.root.resolve():
        raise StorageError(f"{place.root}: is the run itself: a branch needs a folder of its own")
    with held_run(home):
        manifest = read_run(home)
        source = f"scene of {home.root}"
        if names_functions(manifest.scene):
            raise SceneError([Problem("", "has Python functions, which no file can hold: it cannot branch")], source)
        before, scene = parse_scene(manifest.scene, source), parse_scene(manifest.scene, source, **overrides)
        _refuse_other_cells(before, scene, source)
        items = manifest.stage(SIMULATION.name).items
        for number in range(1, frame + 1):
            if number not in items:
                raise StorageError(f"{home.root}: frame {number} is not simulated, and a branch at {frame} shares it")
        origin = Origin(str(home.root.resolve()), frame, manifest.physics)
        state = _state_at(home, manifest, before, frame)
        _refuse_unfit(state, scene)
        with held_run(place):
            _begin(home, manifest, place, scene, origin, state)
        manifest.branches[str(place.root.resolve())] = frame
        manifest.write(home)
        wanted = of_use(manifest.wanted, scene)
    return run(scene, place.root, stages=wanted or None, source=manifest.source, progress=progress)


def _refuse_other_cells(before: Scene, scene: Scene, source: str) -> None:
    """Refuse changes after which the numbers of a state would mean something else."""
    kept = {
        "domain": (before.domain.cells, scene.domain.cells),
        "domain.cell_size": (before.domain.h, scene.domain.h),
        "time.fps": (before.time.fps, scene.time.fps),
        "solver.kind": (before.solver.kind, scene.solver.kind),
    }
    wrong = [
        Problem(key, f"is {now} and was {then}: a branch goes on with the same cells, frame rate and kind of solver")
        for key, (then, now) in kept.items()
        if then != now
    ]
    if wrong:
        raise SceneError(wrong, source)


def _begin(home: RunFolder, manifest: Manifest, place: RunFolder, scene: Scene, origin: Origin, state: State) -> None:
    """Bring into the branch's folder what it shares, as far as it is not there."""
    hashed = branched(simulation(scene), origin)
    text = scene_text(scene)
    made = Manifest(text, manifest.source, hashed, scene.solver.seed, manifest.wanted, name=place.name, origin=origin)
    if place.is_run():
        there = read_run(place)
        if there.physics != hashed:
            raise MismatchError(f"{place.root}: holds another run. Choose another folder with --out")
        made = replace(there, scene=text)
    else:
        refuse_strangers(place)
    made.write(place)  # whoever is killed from here on leaves a branch behind, and can begin again

    solver, at = state
    checkpoint = write_checkpoint(checkpoint_file(place, at.frame), solver, at)
    made.checkpoints[at.frame] = Item.of(checkpoint, place=(at.frame, at.advances))
    theirs, ours = manifest.stage(SIMULATION.name).items, made.stage(SIMULATION.name).items
    for number in range(1, origin.frame + 1):
        item = theirs[number]
        path = SIMULATION.file(RunPaths.of(place, made), number)
        _share(SIMULATION.file(RunPaths.of(home, manifest), number), path, item)
        ours[number] = replace(item, source=hashed, changed=path.stat().st_mtime_ns)
    if not place.log.exists():
        write_bytes(place.log, log_up_to(home.log, at.advances))
    made.write(place)


def _share(source: Path, target: Path, item: Item) -> None:
    """A file of the run in the branch: a link where the disk can, else a copy. Files are replaced, never written to."""
    verify(source, item.written, "`plash resume` of the run makes it again")
    with errors_of_disk(target, "written"):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:  # another disk, or one without links
            shutil.copyfile(source, target)


def _refuse_unfit(state: State, scene: Scene) -> None:
    """Refuse a state that a solver of the changed scene cannot be in.

    Raises:
        MismatchError: Says why.
    """
    solver, at = state
    with TemporaryDirectory(prefix="plash") as folder:
        path = Path(folder) / "state.npz"
        written = write_checkpoint(path, solver, at)
        try:
            read_checkpoint(path, build_solver(scene), scene, written, "Leave that as it was")
        except DamagedError as error:
            why = str(error).partition("is damaged: ")[2]
            raise MismatchError(f"the state at frame {at.frame} does not fit the changed scene: {why}") from None


def _state_at(home: RunFolder, manifest: Manifest, scene: Scene, frame: int) -> State:
    """The run's solver at a frame, from the nearest checkpoint that can be read, or from the start."""
    solver, at = None, Place(1, 0)
    for number, item in checkpoints_before(manifest, frame):
        candidate = build_solver(scene)
        file = checkpoint_file(home, number)
        try:
            at = read_checkpoint(file, candidate, scene, item.written, "An earlier one is used")
        except DamagedError:
            continue
        if number != STOPPED or at.frame < frame:
            solver = candidate
            break
    if solver is None:
        if manifest.origin is not None:
            raise StorageError(f"{home.root}: is a branch itself, and has no checkpoint up to frame {frame}")
        solver, at = build(scene), Place(1, 0)
    while at.frame < frame:
        steps = sum(1 for _ in steps_to_frame(solver, at.frame + 1, scene.time.fps))
        at = Place(at.frame + 1, at.advances + steps)
    return solver, at
