"""The commands that work on runs. Each reads its options, calls one function of plash and shows what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plash.cli import completing
from plash.cli.options import (
    default_out,
    overrides_of,
    progress_for,
    quality_option,
    run_folder_of,
    scene_of,
    scene_options,
    use_threads,
    varied,
    work_options,
    workers_of,
    workers_options,
)
from plash.cli.show import show_outcome, show_wedge
from plash.scene.output import EXPORT_FORMATS

if TYPE_CHECKING:
    from plash.pipeline.stages.stage import Stage

_out = click.option(
    "--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Run folder.  [default: out/SCENE]"
)
_set = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=completing.parameters,
    help="Replace a parameter of [mesh], [look] or [output], such as look.show=cells.",
)
_set_any = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=completing.parameters,
    help="Replace a parameter of [mesh], [look] or [output]; in a branch, of anything that does not move the cells.",
)
_force = click.option("--force", is_flag=True, help="Begin anew where the folder holds another simulation.")


@click.command()
@click.argument("scene", shell_complete=completing.scenes)
@_out
@click.option("--frame", type=int, metavar="N", help="Simulate up to this frame, and make its picture alone.")
@_force
@quality_option
@scene_options
@workers_options
@work_options
def run(scene: str, out: Path | None, frame: int | None, force: bool, **options: Any) -> None:
    """Simulate SCENE, mesh it, draw it, make the movie and a report.

    SCENE is a scene file or a name from `plash scenes`. A run that is there already is continued: only what is missing
    is made, and changes of [mesh], [look] or [output] never simulate again. A folder that holds another simulation is
    left alone (exit code 6) unless --force is given.

    With --frame one picture is made, before the whole run: the frames simulated for it are used by that later.
    """
    _work(scene, out, force, None, frame, **options)


@click.command()
@click.argument("scene", shell_complete=completing.scenes)
@_out
@_force
@scene_options
@workers_options
@work_options
def simulate(scene: str, out: Path | None, force: bool, **options: Any) -> None:
    """Only simulate SCENE: leaves the particles (of stable fluids, the grids) of every frame and a log.

    The frames are NumPy files, particles/particles.0001.npz and so on, with position (m), velocity (m/s) and volume
    (m^3), or grids/grids.0001.npz with density and velocity. `plash run` on the same folder goes on from there.
    """
    from plash.pipeline.stages.simulation import SIMULATION

    _work(scene, out, force, [SIMULATION.name], None, **options)


def _work(
    scene: str,
    out: Path | None,
    force: bool,
    stages: Sequence[str] | None,
    frame: int | None,
    *,
    settings: tuple[str, ...],
    resolution: int | None,
    frames: int | None,
    seed: int | None,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    workers: int | None,
    on: str | None,
    quality: str | None = None,
) -> None:
    named = {"resolution": resolution, "frames": frames, "seed": seed, "look.quality": quality}
    loaded = scene_of(scene, settings, **named)
    use_threads(threads)
    from plash.pipeline.run import run as run_scene

    progress = progress_for(quiet, as_json)
    outcome = run_scene(
        loaded,
        out or default_out(scene),
        stages=stages,
        frame=frame,
        force=force,
        source=scene,
        progress=progress,
        workers=workers_of(workers, on),
        threads=threads,
    )
    show_outcome(outcome, quiet, as_json)


@click.command()
@click.argument("scene", shell_complete=completing.scenes)
@click.option(
    "--vary",
    "texts",
    multiple=True,
    required=True,
    metavar="KEY=A,B,C",
    help="Values that a parameter takes: a list, or a range of whole numbers A..B. May be given several times.",
)
@click.option("--samples", type=click.IntRange(1), metavar="N", help="So many random designs, not all combinations.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Folder.  [default: out/SCENE_wedge]")
@click.option("--parquet", is_flag=True, help="Write the table as wedge.parquet too.")
@quality_option
@scene_options
@workers_options
@work_options
def wedge(
    scene: str,
    texts: tuple[str, ...],
    samples: int | None,
    out: Path | None,
    parquet: bool,
    settings: tuple[str, ...],
    **options: Any,
) -> None:
    """Run SCENE with every combination of some values, and compare what comes out.

    Each combination is a run folder under one. A table (wedge.csv) has what was varied and what came out, a contact
    sheet (wedge.png), a movie (wedge.mp4) and a page (wedge.html) show them side by side. With --samples ranges may be
    of any numbers, and --seed is that of the choice too. A wedge that was stopped goes on with the same command.
    """
    named = {"resolution": options["resolution"], "frames": options["frames"], "seed": options["seed"]}
    loaded = scene_of(scene, settings, **named, **{"look.quality": options["quality"]})
    use_threads(options["threads"])
    from plash.pipeline.designs import designs
    from plash.pipeline.wedge import wedge as run_wedge

    vary, seed = varied(texts), options["seed"] or 0
    try:
        designs(vary, samples, seed)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--vary") from None
    place = out or default_out(scene).with_name(f"{default_out(scene).name}_wedge")
    progress = progress_for(options["quiet"], options["as_json"])
    workers = workers_of(options["workers"], options["on"])
    found = run_wedge(
        loaded,
        place,
        vary,
        samples=samples,
        seed=seed,
        parquet=parquet,
        progress=progress,
        workers=workers,
        threads=options["threads"],
    )
    show_wedge(found, options["quiet"], options["as_json"])


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@click.option("--frames", type=int, metavar="N", help="New number of frames.")
@click.option("--verify", is_flag=True, help="Read every file first, as `plash info --verify` does, and mend them all.")
@click.option(
    "--from", "start", type=click.IntRange(1), metavar="FRAME", help="Branch off after this frame; with --out."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="OTHER", help="Run folder of the branch; with --from.")
@quality_option
@_set_any
@workers_options
@work_options
def resume(
    folder: str,
    frames: int | None,
    verify: bool,
    start: int | None,
    out: Path | None,
    quality: str | None,
    settings: tuple[str, ...],
    **options: Any,
) -> None:
    """Go on with the run in FOLDER: finish it, make it longer, or mend it.

    Continues after Ctrl-C, a crash or a full disk, and makes again what was deleted or changed; with --verify also
    what the disk has damaged by itself. The result is the same to the last bit as that of a run that was never stopped.

    With --from and --out another run branches off: it shares the frames up to FRAME, and goes on in OTHER with what
    --set changes, be it of the simulation. The domain, its cells, the frame rate and the kind of solver stay.
    """
    if (start is None) != (out is None):
        raise click.UsageError("--from and --out go together: they say where a branch begins, and where it is kept")
    if start is not None and out is not None:
        named = {"frames": frames, "look.quality": quality}
        _branch(folder, out, start, overrides_of(settings, **named), **options)
        return
    overrides = overrides_of(settings, **{"frames": frames, "look.quality": quality})
    _again(folder, None, overrides, verify=verify, **options)


def _branch(folder: str, out: Path, start: int, overrides: dict[str, Any], **options: Any) -> None:
    if workers_of(options["workers"], options["on"]) is not None:
        raise click.UsageError(
            "a branch begins here: leave --workers and --on out, and give them to `plash resume` of it"
        )
    place = run_folder_of(folder)
    use_threads(options["threads"])
    from plash.pipeline.branch import branch as branch_run

    outcome = branch_run(place, out, start, progress=progress_for(options["quiet"], options["as_json"]), **overrides)
    show_outcome(outcome, options["quiet"], options["as_json"])


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@_set
@workers_options
@work_options
def mesh(folder: str, settings: tuple[str, ...], **options: Any) -> None:
    """Make the surfaces of the run in FOLDER: mesh/surface.0001.ply and so on.

    FOLDER is a run folder, or the scene it was made from. Nothing is simulated.
    """
    from plash.pipeline.stages.surfaces import SURFACES

    _again(folder, _with_those_before(SURFACES), overrides_of(settings), **options)


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@quality_option
@_set
@workers_options
@work_options
def render(folder: str, quality: str | None, settings: tuple[str, ...], **options: Any) -> None:
    """Make the pictures of the run in FOLDER: render/frame.0001.png and so on.

    FOLDER is a run folder, or the scene it was made from. Surfaces that are missing are made first; nothing is
    simulated.
    """
    from plash.pipeline.stages.pictures import PICTURES

    overrides = overrides_of(settings, **{"look.quality": quality})
    _again(folder, _with_those_before(PICTURES), overrides, **options)


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["mp4", "webm", "gif", "webp"]),
    help="Make it in this format too: mp4 plays everywhere, webm is smaller, gif and webp stand in pages as pictures "
    "do. May be given several times.",
)
@quality_option
@_set
@workers_options
@work_options
def video(
    folder: str, formats: tuple[str, ...], quality: str | None, settings: tuple[str, ...], **options: Any
) -> None:
    """Make the movie of the run in FOLDER, and a contact sheet.

    FOLDER is a run folder, or the scene it was made from. Pictures that are missing are made first; nothing is
    simulated. Formats are those of output.movies and of --format; a GIF or WebP is at most output.clip_width wide.
    """
    from plash.pipeline.stages.movies import MOVIES

    overrides = overrides_of(settings, **{"look.quality": quality})
    _again(folder, _with_those_before(MOVIES), overrides, formats, **options)


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@click.option(
    "--to",
    "exports",
    multiple=True,
    required=True,
    type=click.Choice(EXPORT_FORMATS),
    help="Format: usd opens as the scene, vdb holds grids, ply, obj and glb surfaces, npz all there is for NumPy, vtk "
    "surfaces and particles for ParaView. May be given several times.",
)
@click.option("--up", type=click.Choice(["y", "z"]), help="Axis that points up in vdb, ply, obj and vtk.")
@click.option("--half", is_flag=True, default=None, help="Numbers of half the length in vdb.")
@click.option("--pack", type=click.Choice(["none", "zip", "blosc"]), help="How numbers in vdb are packed.")
@_set
@workers_options
@work_options
def export(
    folder: str,
    exports: tuple[str, ...],
    up: str | None,
    half: bool | None,
    pack: str | None,
    settings: tuple[str, ...],
    **options: Any,
) -> None:
    """Write the frames of the run in FOLDER for other programs.

    FOLDER is a run folder, or the scene it was made from. Surfaces that are missing are made first; nothing is
    simulated. The formats are added to output.export of the run: whatever changes the run later keeps them up to date.
    """
    from plash.pipeline.stages.registry import export_stages

    named = {"output.export_up": up, "output.export_half": half, "output.export_pack": pack}
    overrides = overrides_of(settings, **named)
    _again(folder, export_stages(exports), overrides, exports=exports, **options)


@click.command()
@click.argument("folder", shell_complete=completing.runs)
@work_options
def report(folder: str, **options: Any) -> None:
    """Write the run in FOLDER on one page: report.html, which needs no other file and no network.

    The movie, key numbers, the scene, plots of volume, energy, steps, pressure iterations and time, and a table of the
    time that each frame took. FOLDER is a run folder, or the scene it was made from; whatever it holds so far is told.
    `plash run` writes the page by itself, and whatever changes the run later keeps it up to date.
    """
    from plash.pipeline.stages.report import REPORT

    _again(folder, _with_those_before(REPORT), {}, **options)


def _with_those_before(stage: Stage[Any]) -> list[str]:
    from plash.pipeline.stages.registry import with_those_before

    return with_those_before(stage)


def _again(
    folder: str,
    stages: Sequence[str] | None,
    overrides: dict[str, Any],
    formats: Sequence[str] = (),
    *,
    exports: Sequence[str] = (),
    verify: bool = False,
    threads: int | None,
    quiet: bool,
    as_json: bool,
    workers: int | None = None,
    on: str | None = None,
) -> None:
    place = run_folder_of(folder)
    use_threads(threads)
    from plash.pipeline.run import resume as resume_run

    progress = progress_for(quiet, as_json)
    outcome = resume_run(
        place,
        stages=stages,
        formats=formats,
        exports=exports,
        verify=verify,
        progress=progress,
        workers=workers_of(workers, on),
        threads=threads,
        **overrides,
    )
    show_outcome(outcome, quiet, as_json)
