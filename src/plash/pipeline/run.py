"""Runs: a scene becomes a folder of frames, surfaces, pictures, a movie and a report, whatever happens on the way.

A run that is there already is continued: what is done is not done again, and what was computed for another simulation
is never used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from plash.errors import MismatchError, Problem, SceneError, StorageError
from plash.files.atomic import errors_of_disk
from plash.files.layout import RunFolder
from plash.files.log import Log
from plash.files.manifest import Manifest, versions
from plash.pipeline.check.estimate import estimate
from plash.pipeline.checkpoints import remove_unknown_checkpoints
from plash.pipeline.compiling import COMPILING, watched_compilation
from plash.pipeline.damage import forget_damaged
from plash.pipeline.fingerprint import branched, differences, physics, simulation
from plash.pipeline.machine import free_memory, keep_freed_memory
from plash.pipeline.maker import Run
from plash.pipeline.progress import Progress, clock
from plash.pipeline.progress_bar import watcher
from plash.pipeline.run_view import view
from plash.pipeline.runner import Runner
from plash.pipeline.stages.movies import MOVIES
from plash.pipeline.stages.pictures import PICTURES
from plash.pipeline.stages.registry import STAGES, export_stages, held_run, read_run, stages_of, with_those_before
from plash.pipeline.stages.simulation import SIMULATION
from plash.pipeline.stages.stage import FileStage, RunPaths
from plash.pipeline.stages.wetness import WETNESS
from plash.pipeline.stop import Stop, stop_on_signals
from plash.pipeline.warm.kernel_list import kernels_for
from plash.pipeline.warm.warm import jobs_here, warm
from plash.scene.language.read import as_scene, parse_scene
from plash.scene.language.write import names_functions, scene_text
from plash.scene.model import Scene
from plash.scene.output import FORMATS

if TYPE_CHECKING:
    from plash.pipeline.farm.workers import Workers

_FUNCTIONS = "holds a scene with Python functions, which no file can hold"
_HOW_TO_GO_ON = (
    "plash.run(scene, folder) goes on with it in the process that began it, and with force=True begins it anew; the "
    "files that are there can be used as they are"
)


@dataclass(frozen=True)
class Outcome:
    """What a run has to show.

    Attributes:
        folder: Where everything is.
        frames: How many frames there are.
        movie: The movie, if there is one; the first where there are several.
        movies: The movie in every format it was made in.
        report: The run on one page, if it was written.
        ledger: Volumes at the last frame (m³; m² in 2-D), as in `Ledger`.
        seconds: Time spent on each stage, over all sessions; what compiling kernels took is apart, as "compiling".
        notes: What is not quite as it was asked for.
        picture: The one picture that was asked for, if it was one.
    """

    folder: Path
    frames: int
    movie: Path | None
    movies: tuple[Path, ...]
    report: Path | None
    ledger: dict[str, Any]
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()
    picture: Path | None = None

    def _repr_html_(self) -> str:
        spent = ", ".join(f"{stage} {clock(seconds)}" for stage, seconds in self.seconds.items() if seconds)
        facts = {"folder": str(self.folder), "frames": str(self.frames), "time": spent}
        return view(self.folder.name, [*self.movies, RunFolder(self.folder).contact], facts)


def run(
    scene: Scene | str | Path,
    out: str | Path,
    *,
    stages: Sequence[str] | None = None,
    frame: int | None = None,
    force: bool = False,
    verify: bool = False,
    source: str = "scene",
    progress: Progress | bool | None = None,
    workers: int | str | None = None,
    threads: int | None = None,
) -> Outcome:
    """Simulate a scene into a folder, mesh it, draw it, make the movie and a report; continue if part of it is there.

    Args:
        scene: What to simulate: a scene, a name from `plash.gallery()`, or the path of a scene file. A run folder
            cannot keep Python functions: a run of a scene with any goes on only when the same functions are given to
            this again, in the same process. Functions that are named by their file can be kept.
        out: The run's folder.
        stages: Which of "simulate", "measure", "mesh", "whitewater", "wet", "render", "video", "report" and the exports
            of the scene to do; all if not said. A report that is there is kept up to date by any of them.
        frame: Simulate up to this frame and make its picture alone. What is simulated is used by a whole run later.
        force: Begin anew where the folder holds another simulation.
        verify: Read every file that is there, and make again what is damaged. Without it files are read that somebody
            wrote to since they were made, and those that are needed.
        source: What messages call the scene.
        progress: True for a bar, False for silence, or who else wants to know how it is getting on. If not said there
            is a bar where somebody watches: in a terminal and in a notebook.
        workers: Have the work done by so many processes of this machine, or by the workers of a Dask scheduler at an
            address such as `tcp://host:8786` ([farm.md](farm.md)). The files are the same.
        threads: Threads that each worker uses; as many as Dask gave it if not said.

    Raises:
        MismatchError: The folder holds another simulation.
        StorageError: The folder cannot be used, or the disk is full.
        StoppedError: Ctrl-C or SIGTERM; the run can be resumed.
        WorkersError: The workers cannot be used, or their scheduler is gone.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     plash.run(scene, out, stages=["simulate"]).frames
        2
    """
    source = source if isinstance(scene, Scene) else str(scene)
    scene, folder, told = as_scene(scene), RunFolder(Path(out)), watcher(progress)
    if frame is not None:
        stages = _stages_of_still(scene, frame, stages)
    asked = Asked(scene, folder, stages_for(scene, stages), source, force, verify, frame)
    with stop_on_signals(f"`{folder.resume_command}`") as stop:
        if workers is None:
            return carry_out(asked, told, stop)
        from plash.pipeline.farm.workers import workers_at

        with workers_at(workers, threads) as found:
            return carry_out(asked, told, stop, found)


@dataclass(frozen=True)
class Asked:
    """What is asked of a run: the scene, its folder, stages, and what to do with what is there."""

    scene: Scene
    folder: RunFolder
    stages: Sequence[str]
    source: str
    force: bool = False
    verify: bool = False
    still: int | None = None


def _stages_of_still(scene: Scene, frame: int, stages: Sequence[str] | None) -> list[str]:
    """The stages of one picture: the simulation and what the picture is made from.

    Raises:
        SceneError: The scene has no such frame.
        ValueError: Other stages are asked for.
    """
    if stages is not None:
        raise ValueError("a frame is simulated, meshed and drawn: leave stages out")
    if not 1 <= frame <= scene.time.frames:
        text = f"{frame} is no frame of the scene: it has 1 to {scene.time.frames}; choose one, or raise time.frames"
        raise SceneError([Problem("frame", text)])
    return [SIMULATION.name, *with_those_before(PICTURES)]


def carry_out(asked: Asked, progress: Progress, stop: Stop, workers: Workers | None = None) -> Outcome:
    """Do what is asked of a run, here or by workers, until it is done or stopped."""
    keep_freed_memory()
    scene, folder, stages = asked.scene, asked.folder, asked.stages
    text = scene_text(scene, name_functions=True)
    with watched_compilation(progress.compiling) as compilation:
        if SIMULATION.name in stages and workers is None:
            refuse_without_memory(scene)
        _refuse_what_cannot_be_made(scene, stages)
        with held_run(folder):
            new = Manifest(text, asked.source, simulation(scene), scene.solver.seed, name=folder.name)
            manifest = _manifest_for(folder, scene, new, asked.force)
            # A still leaves the rest of the run as it was asked for, be it everything
            wanted = {*(stages if asked.still is None else ()), *manifest.wanted}
            manifest.wanted = [name for name, stage in STAGES.items() if name in wanted and stage.wanted(scene)]
            forget_damaged(folder, manifest, stages, progress, asked.verify)
            manifest.write(folder)
            remove_unknown_checkpoints(folder, manifest)
            current = [stage.name for stage in stages_of(manifest.wanted) if stage.is_kept_current]
            names = [*stages, *current]
            with closing(Log(folder.log, manifest.steps)) as log:
                plainer = SIMULATION.name in names
                at_work = Run(folder, scene, manifest, progress, stop, compilation, log, plainer, asked.still)
                return _work(at_work, names, workers, log.lost)


def resume(
    folder: str | Path,
    *,
    progress: Progress | bool | None = None,
    stages: Sequence[str] | None = None,
    formats: Sequence[str] = (),
    exports: Sequence[str] = (),
    verify: bool = False,
    workers: int | str | None = None,
    threads: int | None = None,
    **overrides: Any,
) -> Outcome:
    """Go on with a run: finish what was begun, and make again what was lost.

    Args:
        folder: The run's folder.
        progress: True for a bar, False for silence, or who else wants to know, as for `run`.
        stages: Which stages to do; those the run was asked for if not said.
        formats: Formats to make the movie in, beside those it has.
        exports: Formats to write every frame in for other programs, beside those it has.
        verify: Read every file that is there, and make again what is damaged.
        workers: So many processes of this machine, or the address of a Dask scheduler, as for `run`.
        threads: Threads that each worker uses.
        overrides: New values of parameters that do not change the simulation, such as `frames=240`.

    Raises:
        MismatchError: An override would change the simulation.
    """
    place = RunFolder(Path(folder))
    manifest = read_run(place)
    source = f"scene of {place.root}"
    if names_functions(manifest.scene):
        raise SceneError([Problem("", f"{_FUNCTIONS}: it cannot be resumed from its folder. {_HOW_TO_GO_ON}")], source)
    output = parse_scene(manifest.scene, source, **overrides).output
    if formats:
        overrides = {**overrides, "output.movies": [*output.movies, *formats]}
    if exports:
        overrides = {**overrides, "output.export": [*output.export, *exports]}
    scene = parse_scene(manifest.scene, source, **overrides)
    if not stages and manifest.wanted:
        before = parse_scene(manifest.scene, source)
        new = [name for name in scene.output.export if name not in before.output.export]
        # What the run's stages cannot do without, and had no use for before, such as whitewater
        needed = {name for stage in stages_of(manifest.wanted) for name in with_those_before(stage)}
        needed -= set(of_use(needed, before))
        stages = of_use([*manifest.wanted, *needed, *export_stages(new)], scene)
    stages = stages or None
    return run(
        scene,
        place.root,
        stages=stages,
        verify=verify,
        source=manifest.source,
        progress=progress,
        workers=workers,
        threads=threads,
    )


def of_use(names: Iterable[str], scene: Scene) -> list[str]:
    """Those of some stages that a scene has a use for: not the exports that it does not ask for."""
    return [stage.name for stage in stages_of(names) if stage.wanted(scene)]


def stages_for(scene: Scene, names: Sequence[str] | None) -> list[str]:
    """The stages to do, in order: those of some names, or all that the scene has a use for.

    Raises:
        ValueError: There is no stage of a name, or the scene does not ask for its export.
    """
    if names is None:
        return of_use(STAGES, scene)
    # Pictures are made with what is wet in them, whether or not anybody thinks of it
    useful = of_use([*names, *([WETNESS.name] if PICTURES.name in names else [])], scene)
    on_the_way = {earlier.name for stage in stages_of(names) for earlier in stage.after}
    for name in names:
        if name not in useful and name not in on_the_way:
            raise ValueError(f"the scene does not ask for the export of stage {name!r}: name it in output.export")
    return useful


def refuse_without_memory(scene: Scene) -> None:
    """Refuse a simulation that the system would kill halfway."""
    needed, free = estimate(scene, with_steps=False).memory, free_memory()
    if needed > free:
        problem = f"needs about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free: use larger cells"
        raise SceneError([Problem("domain.resolution", problem)])


def _refuse_what_cannot_be_made(scene: Scene, names: Sequence[str]) -> None:
    """Refuse what this machine lacks a part for, while the run on disk is still as it was."""
    for stage in stages_of(names):
        if isinstance(stage, FileStage):
            stage.adapted(scene, SIMULATION.name in names)


def _manifest_for(folder: RunFolder, scene: Scene, new: Manifest, force: bool) -> Manifest:
    """The folder's manifest if it is of this simulation, else a new one if that is allowed."""
    if not folder.is_run():
        refuse_strangers(folder)
        return new
    try:
        old = read_run(folder)
    except StorageError:
        if not force:
            raise
        old = new
    else:
        if old.physics == branched(new.physics, old.origin):
            old.scene, old.message = new.scene, ""
            return old
        if not force:
            raise MismatchError(_mismatch(folder, old, scene))
    _clear(folder, {old.name, new.name})
    return new


def refuse_strangers(folder: RunFolder) -> None:
    """Refuse a folder that has something else in it than a run."""
    others = sorted(path.name for path in folder.root.iterdir() if path != folder.lock)
    if others:
        raise StorageError(
            f"{folder.root}: is not empty ({', '.join(others[:3])}{' ...' if len(others) > 3 else ''}) and is no run "
            "folder. Choose another with --out"
        )


def _mismatch(folder: RunFolder, old: Manifest, scene: Scene) -> str:
    try:
        if names_functions(old.scene):
            return f"{folder.root}: {_FUNCTIONS}, and nobody can tell whether these are the same. {_HOW_TO_GO_ON}"
        before = physics(parse_scene(old.scene))
    except SceneError:
        changed = ["its scene is one that this plash cannot read"]
    else:
        unseen = "it was made by an older plash, or a file that the scene names was changed: a mesh, or functions"
        changed = differences(before, physics(scene)) or [unseen]
    shown = "\n  ".join([*changed[:8], *(["..."] if len(changed) > 8 else [])])
    return (
        f"{folder.root}: holds another simulation:\n  {shown}\n"
        "Choose another folder with --out, or --force to throw this one away and begin anew"
    )


def _clear(folder: RunFolder, names: Iterable[str]) -> None:
    """Throw away everything that runs of these names have made.

    The manifest stays until another takes its place: whoever is killed here leaves a run behind, and can begin again.
    """
    with errors_of_disk(folder.root, "cleared"):
        for part in folder.parts(STAGES):
            if part.is_dir():
                rmtree(part)
        folder.log.unlink(missing_ok=True)
        for paths in (RunPaths(folder, name, frame_files="") for name in names):
            for stage in STAGES.values():
                for number in stage.numbers if not stage.is_of_frames else ():
                    stage.file(paths, number).unlink(missing_ok=True)


def _work(run: Run, stages: Sequence[str], workers: Workers | None, lost_lines: int) -> Outcome:
    """Do what is left of some stages."""
    manifest, progress = run.manifest, run.progress
    if manifest.versions != versions():
        progress.note(f"this run was begun with {_listed(manifest.versions)}; now it is {_listed(versions())}")
    if workers is None:
        runner = Runner(run, stages_of(stages))
    else:
        from plash.pipeline.farm.runner import FarmRunner

        workers.check(run.folder.root.absolute())
        runner = FarmRunner(run, stages_of(stages), workers)
    for note in runner.notes:
        progress.note(note)
    if lost_lines:
        progress.note(f"{run.folder.log}: {lost_lines} lines were damaged or missing; the report will not tell of them")
    is_left = any(n not in manifest.stage(SIMULATION.name).items for n in run.wanted(SIMULATION))
    if workers is None and SIMULATION.name in stages and is_left:
        _compile_ahead(run, PICTURES.name in stages)
    runner.work()
    picture = None if run.still is None else PICTURES.file(run.paths, run.still)
    return replace(outcome(run.folder, manifest), notes=runner.notes, picture=picture)


def _compile_ahead(run: Run, is_drawn: bool) -> None:
    """Compile what the run is going to need on all cores; on a single one it compiles as it goes along."""
    jobs, progress = jobs_here(), run.progress
    if jobs == 1:
        return
    faults = warm(
        kernels_for(run.scene, is_drawn and run.scene.look.quality == "draft"),
        jobs,
        lambda ready, total, seconds: progress.compiling(ready, seconds, ready < total, total),
        lambda: run.stop.raise_if_requested("while kernels were compiled"),
    )
    for fault in faults:
        progress.note(f"could not be compiled ahead: {fault}")


def outcome(folder: RunFolder, manifest: Manifest) -> Outcome:
    """What a run has to show, by its manifest."""
    frames = manifest.stage(SIMULATION.name).items
    ledger = frames[max(frames)].ledger if frames else None
    seconds = {
        name: round(sum(item.seconds for item in stage.items.values()), 3) for name, stage in manifest.stages.items()
    }
    compiling = sum(item.compiling for stage in manifest.stages.values() for item in stage.items.values())
    if compiling:
        seconds[COMPILING] = round(compiling, 3)
    paths = [folder.movie(manifest.name, kind) for kind in FORMATS]
    movies = tuple(path for path in paths if manifest.stage(MOVIES.name).items and path.exists())
    report = folder.report if folder.report.exists() else None
    return Outcome(folder.root, len(frames), movies[0] if movies else None, movies, report, ledger or {}, seconds)


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in names.items())
