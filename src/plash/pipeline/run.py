"""Runs: a scene becomes a folder of frames, surfaces, pictures, a movie and a report, whatever happens on the way.

A run that is there already is continued: what is done is not done again, and what was computed for another simulation
is never used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from plash.errors import DamagedError, MismatchError, PlashError, Problem, SceneError, StoppedError, StorageError
from plash.files.atomic import errors_of_disk
from plash.files.layout import RunFolder
from plash.files.lock import locked
from plash.files.log import Log
from plash.files.manifest import STAGES, Manifest, read_manifest, versions
from plash.pipeline.check.estimate import estimate
from plash.pipeline.check.step_findings import step_findings
from plash.pipeline.compiling import COMPILING, compiling_told
from plash.pipeline.damage import forget_damaged
from plash.pipeline.fingerprint import differences, fingerprint, physics
from plash.pipeline.machine import free_memory
from plash.pipeline.progress import Progress, Silent
from plash.pipeline.simulation_stage import SimulationStage, remove_unknown_checkpoints
from plash.pipeline.stages import ClosingStage, FrameStage, MovieStage, PictureStage, ReportStage, Run, SurfaceStage
from plash.pipeline.stop import stop_on_signals
from plash.scene.language.read import as_scene, parse_scene
from plash.scene.language.write import names_functions, scene_text
from plash.scene.model import Scene
from plash.scene.output import FORMATS

_FUNCTIONS = "holds a scene with Python functions, which no file can hold"
_WAYS_ON = (
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
    """

    folder: Path
    frames: int
    movie: Path | None
    movies: tuple[Path, ...]
    report: Path | None
    ledger: dict[str, Any]
    seconds: dict[str, float]
    notes: tuple[str, ...] = ()


def run(
    scene: Scene | str | Path,
    out: str | Path,
    *,
    stages: Sequence[str] = STAGES,
    force: bool = False,
    verify: bool = False,
    source: str = "scene",
    progress: Progress | None = None,
) -> Outcome:
    """Simulate a scene into a folder, mesh it, draw it, make the movie and a report; continue if part of it is there.

    Args:
        scene: What to simulate: a scene, a name from `plash.gallery()`, or the path of a scene file. A run folder
            cannot keep Python functions: a run of a scene with any goes on only when the same functions are given to
            this again, in the same process.
        out: The run's folder.
        stages: Which of "simulate", "mesh", "render", "video" and "report" to do. A report that is there is kept up to
            date by any of them.
        force: Begin anew where the folder holds another simulation.
        verify: Read every file that is there, and make again what is damaged. Without it files are read that somebody
            wrote to since they were made, and those that are needed.
        source: What messages call the scene.
        progress: Who wants to know how it is getting on.

    Raises:
        MismatchError: The folder holds another simulation.
        StorageError: The folder cannot be used, or the disk is full.
        StoppedError: Ctrl-C or SIGTERM; the run can be resumed.

    Example:
        >>> import plash, tempfile
        >>> scene = plash.load_scene("dam_break_2d", resolution=16, frames=2)
        >>> with tempfile.TemporaryDirectory() as out:
        ...     plash.run(scene, out, stages=["simulate"]).frames
        2
    """
    folder, progress = RunFolder(Path(out)), progress or Silent()
    source = source if isinstance(scene, Scene) else str(scene)
    scene = as_scene(scene)
    text = scene_text(scene, name_functions=True)
    with stop_on_signals(folder.resume_command) as stop, compiling_told(progress.compiling) as compilation:
        if "simulate" in stages:
            _refuse_without_memory(scene)
        with locked(folder):
            new = Manifest(text, source, fingerprint(physics(scene)), scene.solver.seed, name=folder.name)
            manifest = _manifest_for(folder, scene, new, force)
            manifest.wanted = [stage for stage in STAGES if stage in stages or stage in manifest.wanted]
            forget_damaged(folder, manifest, stages, progress, verify)
            manifest.write(folder)
            remove_unknown_checkpoints(folder, manifest)
            kept = ["report"] if "report" in manifest.wanted and "report" not in stages else []
            return _work(Run(folder, scene, manifest, progress, stop, compilation), [*stages, *kept])


def resume(
    folder: str | Path,
    *,
    progress: Progress | None = None,
    stages: Sequence[str] | None = None,
    formats: Sequence[str] = (),
    verify: bool = False,
    **overrides: Any,
) -> Outcome:
    """Go on with a run: finish what was begun, and make again what was lost.

    Args:
        folder: The run's folder.
        progress: Who wants to know how it is getting on.
        stages: Which stages to do; those the run was asked for if not said.
        formats: Formats to make the movie in, beside those it has.
        verify: Read every file that is there, and make again what is damaged.
        overrides: New values of parameters that do not change the simulation, such as `frames=240`.

    Raises:
        MismatchError: An override would change the simulation.
    """
    place = RunFolder(Path(folder))
    manifest = read_manifest(place)
    source = f"scene of {place.root}"
    if names_functions(manifest.scene):
        raise SceneError([Problem("", f"{_FUNCTIONS}: it cannot be resumed from its folder. {_WAYS_ON}")], source)
    if formats:
        movies = parse_scene(manifest.scene, source, **overrides).output.movies
        overrides = {**overrides, "output.movies": [*movies, *formats]}
    scene = parse_scene(manifest.scene, source, **overrides)
    stages = stages or manifest.wanted or STAGES
    return run(scene, place.root, stages=stages, verify=verify, source=manifest.source, progress=progress)


def _refuse_without_memory(scene: Scene) -> None:
    """Refuse a simulation that the system would kill halfway."""
    needed, free = estimate(scene, with_steps=False).memory, free_memory()
    if needed > free:
        problem = f"needs about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free: use larger cells"
        raise SceneError([Problem("domain.resolution", problem)])


def _manifest_for(folder: RunFolder, scene: Scene, new: Manifest, force: bool) -> Manifest:
    """The folder's manifest if it is of this simulation, else a new one if that is allowed."""
    if not folder.is_run():
        _refuse_strangers(folder)
        return new
    try:
        old = read_manifest(folder)
    except StorageError:
        if not force:
            raise
        old = new
    else:
        if old.physics == new.physics:
            old.scene, old.message = new.scene, ""
            return old
        if not force:
            raise MismatchError(_mismatch(folder, old, scene))
    _clear(folder, {old.name, new.name})
    return new


def _refuse_strangers(folder: RunFolder) -> None:
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
            return f"{folder.root}: {_FUNCTIONS}, and nobody can tell whether these are the same. {_WAYS_ON}"
        before = physics(parse_scene(old.scene))
    except SceneError:
        changed = ["its scene is one that this plash cannot read"]
    else:
        changed = differences(before, physics(scene)) or ["it was made by an older plash"]
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
        for part in folder.parts():
            if part.is_dir():
                rmtree(part)
        movies = [folder.movie(name, kind) for name in names for kind in FORMATS]
        for file in (folder.log, folder.contact, folder.report, *movies):
            file.unlink(missing_ok=True)


def _work(run: Run, stages: Sequence[str]) -> Outcome:
    """Do what is left of some stages, frame by frame, so that pictures appear while the simulation goes on."""
    if run.manifest.versions != versions():
        run.progress.note(f"this run was begun with {_listed(run.manifest.versions)}; now it is {_listed(versions())}")
    pictures = PictureStage(run, or_built_in="simulate" in stages)
    notes = tuple(filter(None, [pictures.note])) if "render" in stages else ()
    for note in notes:
        run.progress.note(note)
    log = Log(run.folder.log, run.manifest.steps)
    if log.lost:
        run.progress.note(f"{log.path}: {log.lost} lines were damaged or missing; the report will not tell of them")
    simulation = SimulationStage(run, log)
    makers: list[FrameStage] = [simulation, SurfaceStage(run), pictures]
    makers = [maker for maker in makers if maker.name in stages]
    closers: list[ClosingStage] = [MovieStage(run), ReportStage(run)]
    closers = [closer for closer in closers if closer.name in stages]
    frames = range(1, run.scene.time.frames + 1)
    to_do = {maker.name: sum(not maker.is_done(frame) for frame in frames) for maker in makers}
    for finding in step_findings(run.scene) if to_do.get(simulation.name) else ():
        run.progress.note(f"{finding.where}: {finding.message} [{finding.code}]. To change it, {finding.edit}")
    run.progress.begin(len(frames), to_do | {closer.name: closer.left() for closer in closers})
    try:
        if to_do.get(pictures.name):
            pictures.refuse_bad_light()
        with _status(run, stages):
            _finish(run, simulation, makers, closers)
    finally:
        log.close()
        run.progress.end()
    return replace(outcome(run.folder, run.manifest), notes=notes)


def _finish(
    run: Run, simulation: SimulationStage, makers: Sequence[FrameStage], closers: Sequence[ClosingStage]
) -> None:
    """Bring every frame through the stages, then make what is made of all frames."""
    _finish_frames(run, simulation, makers)
    for place, closer in enumerate(closers):
        while closer.left():
            try:
                closer.make()
            except DamagedError:
                # As for a frame: what could not be read is made again by the stage it came from, if that is at work
                lost = [earlier for earlier in closers[:place] if earlier.left()]
                if not _finish_frames(run, simulation, makers) and not lost:
                    raise
                for earlier in lost:
                    earlier.make()


def _finish_frames(run: Run, simulation: SimulationStage, makers: Sequence[FrameStage]) -> int:
    """Bring every frame through the stages; returns for how many there was anything to do."""
    busy = 0
    for frame in range(1, run.scene.time.frames + 1):
        if not all(maker.is_done(frame) for maker in makers):
            busy += 1
            _finish_frame(makers, frame)
            simulation.prune()
            run.manifest.write(run.folder)
            remove_unknown_checkpoints(run.folder, run.manifest)
        run.stop.raise_if_requested(f"after frame {frame}")
    return busy


def _finish_frame(makers: Sequence[FrameStage], frame: int) -> None:
    for index, maker in enumerate(makers):
        if maker.is_done(frame):
            continue
        try:
            maker.make(frame)
        except DamagedError:
            # What could not be read does not count as done any more: the stage it came from makes it again
            lost = [earlier for earlier in makers[:index] if not earlier.is_done(frame)]
            if not lost:
                raise
            for earlier in lost:
                earlier.make(frame)
            maker.make(frame)


@contextmanager
def _status(run: Run, stages: Sequence[str]) -> Iterator[None]:
    """Keep the manifest's word on each stage true, however the work ends."""
    manifest = run.manifest
    for stage in stages:
        manifest.stage(stage).status = "running"
    manifest.write(run.folder)
    try:
        yield
    except PlashError as error:
        stopped = isinstance(error, StoppedError)
        for stage in stages:
            manifest.stage(stage).status = "stopped" if stopped else "failed"
        manifest.message = str(error)
        _write_if_possible(run, error)
        raise
    for stage in stages:
        manifest.stage(stage).status = "done"
    manifest.write(run.folder)


def _write_if_possible(run: Run, error: PlashError) -> None:
    """Write the manifest at the end of a failed run; where the disk is the trouble, the first error is what counts."""
    try:
        run.manifest.write(run.folder)
    except StorageError:
        if not isinstance(error, StorageError):
            raise


def outcome(folder: RunFolder, manifest: Manifest) -> Outcome:
    """What a run has to show, by its manifest."""
    frames = manifest.stage("simulate").items
    ledger = frames[max(frames)].ledger if frames else None
    seconds = {
        name: round(sum(item.seconds for item in stage.items.values()), 3) for name, stage in manifest.stages.items()
    }
    compiling = sum(item.compiling for stage in manifest.stages.values() for item in stage.items.values())
    if compiling:
        seconds[COMPILING] = round(compiling, 3)
    paths = [folder.movie(manifest.name, kind) for kind in FORMATS]
    movies = tuple(path for path in paths if manifest.stage("video").items and path.exists())
    report = folder.report if folder.report.exists() else None
    return Outcome(folder.root, len(frames), movies[0] if movies else None, movies, report, ledger or {}, seconds)


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in names.items())
