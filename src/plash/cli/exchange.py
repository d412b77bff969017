"""The commands that bring something back from other programs, or something of plash into them."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

import click

from plash.cli import completing
from plash.cli.options import progress_for, run_folder_of, use_threads, work_options
from plash.cli.show import show_outcome


@click.command("import-mesh")
@click.argument("folder", shell_complete=completing.runs)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--frame", type=click.IntRange(1), metavar="N", help="Frame of a single file, if its name does not tell.")
@click.option("--up", type=click.Choice(["y", "z"]), help="Axis that points up in PLY, OBJ and STL files.")
@click.option("--undo", is_flag=True, help="Make surfaces again as they were simulated: of --frame, or all.")
@work_options
def import_mesh(
    folder: str,
    files: tuple[Path, ...],
    frame: int | None,
    up: Literal["y", "z"] | None,
    undo: bool,
    threads: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Take surfaces that were edited by hand into the run in FOLDER, and draw them.

    FILES are PLY, OBJ, STL, GLB or glTF in metres, closed, and named as `plash export` names them, such as
    surface.0012.obj for frame 12. Velocities and what else the liquid carries come from the surface that was simulated.
    An edited surface stays, whatever changes in the run, until --undo; `plash info` and the report tell of it.
    """
    if undo == bool(files):
        raise click.UsageError("give the files to take in, or --undo and no file")
    place = run_folder_of(folder)
    use_threads(threads)
    from plash.pipeline.import_mesh import import_mesh as take_in
    from plash.pipeline.import_mesh import undo_import

    progress = progress_for(quiet, as_json)
    if undo:
        outcome = undo_import(place, frames=None if frame is None else [frame], progress=progress)
    else:
        outcome = take_in(place, files, frame=frame, up=up, progress=progress)
    show_outcome(outcome, quiet, as_json)


@click.command("blender-addon")
@click.argument("path", type=click.Path(path_type=Path), default=Path("plash_addon.py"))
def blender_addon(path: Path) -> None:
    """Write the add-on that shows runs in Blender to PATH, a file or a folder.

    Install it in Blender 4.2 or later with Edit > Preferences > Add-ons > Install from Disk; then File > Import > plash
    run loads a run folder: the surface with motion blur, volumes, camera, lights and solids, while the run goes on.
    """
    from plash.files.atomic import write_bytes

    file = path / "plash_addon.py" if path.is_dir() else path
    write_bytes(file, (resources.files("plash") / "blender" / "plash_addon.py").read_bytes())
    click.echo(f"{file} is the add-on: Edit > Preferences > Add-ons > Install from Disk")
