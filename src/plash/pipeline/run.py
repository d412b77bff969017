"""Runs: a scene becomes a folder of frames, surfaces, pictures, a movie and a report, whatever happens on the way.

A run that is there already is continued: what is done is not done again, and what was computed for another simulation
is never used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from plash.errors import DamagedError, MismatchError, PlashError, Problem, SceneError, StoppedError, StorageError
from plash.files.layout import RunFolder
from plash.files.lock import locked
from plash.files.log import Log
from plash.files.manifest import Manifest, read_manifest, versions
from plash.pipeline.estimate import estimate
from plash.pipeline.fingerprint import differences, fingerprint, physics
from plash.pipeline.machine import free_memory
from plash.pipeline.progress import Progress, Silent
from plash.pipeline.simulation import SimulationStage
from plash.pipeline.stop import stop_on_signals
from plash.pipeline.work import ClosingStage, FrameStage, MovieStage, PictureStage, ReportStage, Run, SurfaceStage
from plash.scene.model import Scene
from plash.scene.output import FORMATS
from plash.scene.read import as_scene, parse_scene
from plash.scene.write import scene_text

STAGES = ("simulate", "mesh", "render", "video", "report")


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
        seconds: Time spent on each stage, over all sessions.
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
    source: str = "scene",
    progress: Progress | None = None,
) -> Outcome:
    """Simulate a scene into a folder, mesh it, draw it, make the movie and a report; continue if part of it is there.

    Args:
        scene: What to simulate: a scene, a name from `plash.gallery()`, or the path of a scene file. Shapes that are
            Python functions cannot be kept in a run folder.
        out: The run's folder.
        stages: Which of "simulate", "mesh", "render", "video" and "report" to do. A report that is there is kept up to
            date by any of them.
        force: Begin anew where the folder holds another simulation.
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
    folder = RunFolder(Path(out))
    source = source if isinstance(scene, Scene) else str(scene)
    scene = as_scene(scene)
    text = scene_text(scene)
    if "simulate" in stages:
        _refuse_without_memory(scene)
    with locked(folder), stop_on_signals() as stop:
        manifest = _manifest_for(folder, scene, text, force, source)
        manifest.wanted = [stage for stage in STAGES if stage in stages or stage in manifest.wanted]
        kept = ["report"] if "report" in manifest.wanted and "report" not in stages else []
        return _work(Run(folder, scene, manifest, progress or Silent(), stop), [*stages, *kept])


def resume(
    folder: str | Path,
    *,
    progress: Progress | None = None,
    stages: Sequence[str] | None = None,
    formats: Sequence[str] = (),
    **overrides: Any,
) -> Outcome:
    """Go on with a run: finish what was begun, and make again what was lost.

    Args:
        folder: The run's folder.
        progress: Who wants to know how it is getting on.
        stages: Which stages to do; those the run was asked for if not said.
        formats: Formats to make the movie in, beside those it has.
        overrides: New values of parameters that do not change the simulation, such as `frames=240`.

    Raises:
        MismatchError: An override would change the simulation.
    """
    place = RunFolder(Path(folder))
    manifest = read_manifest(place)
    source = f"scene of {place.root}"
    if formats:
        movies = parse_scene(manifest.scene, source, **overrides).output.movies
        overrides = {**overrides, "output.movies": [*movies, *formats]}
    scene = parse_scene(manifest.scene, source, **overrides)
    return run(scene, place.root, stages=stages or manifest.wanted, source=manifest.source, progress=progress)


def _refuse_without_memory(scene: Scene) -> None:
    """Refuse a simulation that the system would kill halfway."""
    needed, free = estimate(scene, with_steps=False).memory, free_memory()
    if needed > free:
        problem = f"needs about {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are free: use larger cells"
        raise SceneError([Problem("domain.resolution", problem)])


def _manifest_for(folder: RunFolder, scene: Scene, text: str, force: bool, source: str) -> Manifest:
    """The folder's manifest if it is of this simulation, else a new one if that is allowed."""
    new = Manifest(text, source, fingerprint(physics(scene)), scene.solver.seed)
    if not folder.is_run():
        _refuse_strangers(folder)
    else:
        try:
            old = read_manifest(folder)
        except StorageError:
            if not force:
                raise
        else:
            if old.physics == new.physics:
                old.scene, old.message = text, ""
                return old
            if not force:
                raise MismatchError(_mismatch(folder, old, scene))
        _clear(folder)
    new.write(folder)
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


def _clear(folder: RunFolder) -> None:
    """Throw away everything a run has made; the folder itself stays."""
    folder.manifest.unlink()
    for part in folder.folders()[1:]:
        rmtree(part, ignore_errors=True)
    for file in (folder.log, folder.contact, folder.report, *map(folder.movie, FORMATS)):
        file.unlink(missing_ok=True)


def _work(run: Run, stages: Sequence[str]) -> Outcome:
    """Do what is left of some stages, frame by frame, so that pictures appear while the simulation goes on."""
    if run.manifest.versions != versions():
        run.progress.note(f"this run was begun with {_listed(run.manifest.versions)}; now it is {_listed(versions())}")
    pictures = PictureStage(run, or_built_in="simulate" in stages)
    notes = tuple(filter(None, [pictures.note])) if "render" in stages else ()
    for note in notes:
        run.progress.note(note)
    log = Log(run.folder.log)
    simulation = SimulationStage(run, log)
    makers: list[FrameStage] = [simulation, SurfaceStage(run), pictures]
    makers = [maker for maker in makers if maker.name in stages]
    closers: list[ClosingStage] = [MovieStage(run), ReportStage(run)]
    closers = [closer for closer in closers if closer.name in stages]
    frames = range(1, run.scene.time.frames + 1)
    to_do = {maker.name: sum(not maker.is_done(frame) for frame in frames) for maker in makers}
    run.progress.begin(len(frames), to_do | {closer.name: closer.left() for closer in closers})
    try:
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
            obsolete = simulation.prune()
            run.manifest.write(run.folder)
            for file in obsolete:
                file.unlink(missing_ok=True)
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
    movies = tuple(movie for movie in map(folder.movie, FORMATS) if manifest.stage("video").items and movie.exists())
    report = folder.report if folder.report.exists() else None
    return Outcome(folder.root, len(frames), movies[0] if movies else None, movies, report, ledger or {}, seconds)


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in names.items())
