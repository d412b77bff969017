"""The commands beside runs: checks, scenes, facts, the studio and measurements."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import click

from plash.cli import completing
from plash.cli.options import default_out, new_scene_path, run_folder_of, scene_of, scene_options, use_threads
from plash.cli.show import Plain, ledger_lines
from plash.errors import StorageError


@click.command()
@click.argument("scene", shell_complete=completing.scenes)
@click.option("--fast", is_flag=True, help="Leave out the coarse steps, and so the estimates of time.")
@scene_options
@click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help="Threads the run will have.")
@click.option("--json", "as_json", is_flag=True, help="Tell everything as JSON.")
def check(scene: str, fast: bool, settings: tuple[str, ...], as_json: bool, threads: int | None, **named: Any) -> None:
    """Say what is wrong with SCENE, and what a run of it will cost.

    First the scene is validated. Then come findings, each with a code, the object, the number and the edit to make; and
    estimates of cells, particles, memory, disk and time, from a few steps of the same scene on a coarse grid.
    Exit code 3 if the scene cannot run, 0 otherwise.
    """
    loaded = scene_of(scene, settings, **named)
    use_threads(threads)
    from plash.cli.report import check_lines
    from plash.pipeline.check.check import check as check_scene
    from plash.pipeline.compiling import watched_compilation

    with watched_compilation(Plain().compiling):
        report = check_scene(loaded, with_steps=not fast)
    if as_json:
        click.echo(json.dumps(report.as_data(), indent=1))
    else:
        click.echo("\n".join(check_lines(report)))
    report.raise_errors(scene)


@click.command()
@click.argument("scene", shell_complete=completing.scenes)
@click.option("--frame", type=int, default=1, show_default=True, metavar="N", help="Frame whose time it is.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="PNG file.  [default: SCENE_look.png here]"
)
@scene_options
def look(scene: str, frame: int, out: Path | None, settings: tuple[str, ...], **named: Any) -> None:
    """Draw SCENE as it begins, in a moment: nothing is simulated.

    The picture has the liquid, the solids and the tank, as the camera sees them, and outlines of sources, sinks and
    pumps with their names. With --frame solids and camera are where they are then; the liquid is as it begins.
    """
    path = out or Path(f"{default_out(scene).name}_look.png")
    if path.suffix.lower() != ".png":
        raise click.BadParameter(f"{str(path)!r} is no PNG file: end its name with .png", param_hint="--out")
    loaded = scene_of(scene, settings, **named)
    import numpy as np

    from plash.files.atomic import write_bytes
    from plash.pipeline.compiling import watched_compilation
    from plash.pipeline.look import look as look_at
    from plash.render.video.png import png_bytes

    with watched_compilation(Plain().compiling):
        picture = look_at(loaded, frame)
    write_bytes(path, png_bytes(np.asarray(picture)))
    click.echo(f"{path} shows {scene} at frame {frame}, before anything is simulated")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def scenes(as_json: bool) -> None:
    """List the scenes that come with plash."""
    from plash.scene.language.gallery import gallery

    found = gallery()
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    width = max(map(len, found)) + 2
    for name, sentence in found.items():
        click.echo(f"{name:{width}}{sentence}")


@click.command()
@click.argument("name")
@click.option(
    "--from",
    "template",
    default="dam_break",
    metavar="SCENE",
    shell_complete=completing.gallery_names,
    help="Scene to copy.  [default: dam_break]",
)
def new(name: str, template: str) -> None:
    """Write a scene file NAME.toml to start from: a copy of a scene that comes with plash."""
    from plash.files.atomic import write_bytes
    from plash.scene.language.read import gallery_text

    path = new_scene_path(name)
    text = gallery_text(template)
    if os.path.lexists(path):
        raise StorageError(f"{path}: is there already. Choose another name")
    write_bytes(path, text.encode())
    quoted = shlex.quote(f"./{path}" if str(path).startswith("-") else str(path))
    click.echo(f"{path} is a copy of {template}. Edit it, then: plash check {quoted} && plash run {quoted}")


@click.command()
@click.argument("shell", type=click.Choice(completing.SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that has a shell complete commands, options, scenes, runs and parameters.

    Put this into ~/.bashrc or ~/.zshrc:  eval "$(plash completion bash)"  with your shell's name, and for fish
    plash completion fish > ~/.config/fish/completions/plash.fish
    """
    click.echo(completing.script(shell, context.find_root().command), nl=False)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write it to a file.")
def schema(out: Path | None) -> None:
    """Print the JSON Schema of scene files.

    Editors that know it (with Even Better TOML, for one) complete keys and mark mistakes as you type.
    """
    from plash.files.atomic import write_bytes
    from plash.scene.language.reference import json_schema

    text = json.dumps(json_schema(), indent=1)
    if out is None:
        click.echo(text)
    else:
        write_bytes(out, f"{text}\n".encode())
        click.echo(f"{out} has the schema")


@click.command()
@click.argument("folder", required=False, shell_complete=completing.runs)
@click.option("--verify", is_flag=True, help="Check every file of the run against its checksum.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def info(folder: str | None, verify: bool, as_json: bool) -> None:
    """Tell about this machine; with FOLDER about the run in it: how far it is, its files and its ledger."""
    if folder is None:
        from plash.cli.report import machine

        facts = machine()
        lines = [f"{name:12}{value}" for name, value in facts.items()]
        click.echo(json.dumps(facts, indent=1) if as_json else "\n".join(lines))
        return
    from plash.pipeline.inspect import inspect_run
    from plash.pipeline.progress import clock

    found = inspect_run(run_folder_of(folder), verify)
    if as_json:
        click.echo(json.dumps(found.as_data(), indent=1))
    else:
        for stage in found.stages:
            seconds = clock(stage.seconds) if stage.seconds else ""
            click.echo(f"{stage.name:10}{stage.status:9}{stage.files:5} files {stage.bytes / 1e6:9.1f} MB  {seconds}")
        for frame, name in found.edited.items():
            click.echo(f"edited    the surface of frame {frame} is {name}, edited by hand")
        click.echo("\n".join(ledger_lines(found.ledger)))
        if found.message:
            click.echo(f"ended with: {found.message}")
        if verify and not found.damaged:
            click.echo("every file is what was written")
    found.raise_damage()


@click.command()
@click.argument("scene", required=False, shell_complete=completing.scenes)
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("out"),
    show_default=True,
    metavar="FOLDER",
    help="Folder of run folders.",
)
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port of this machine.  [default: 8765]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--lan", is_flag=True, help="Let others on the network simulate too, by a password.")
@click.option(
    "--password",
    envvar="PLASH_STUDIO_PASSWORD",
    metavar="TEXT",
    help="Of --lan; - asks for it.  [default: $PLASH_STUDIO_PASSWORD, or a new one that is printed]",
)
@click.option(
    "--tabs", type=click.IntRange(1, 200), metavar="N", help="Tabs that simulate at once.  [default: 4, with --lan 30]"
)
def studio(
    scene: str | None,
    runs: Path,
    port: int | None,
    no_browser: bool,
    lan: bool,
    password: str | None,
    tabs: int | None,
) -> None:
    """Open the studio in the browser.

    Push, pour and draw in a 2-D liquid or smoke while it is computed, look into every stage of its time step, take a
    lesson, save what you made as a scene file, and play back the runs in a folder. SCENE is a 2-D scene file or a name
    from `plash scenes`. Only programs on this machine that know the address printed can use it; with --lan also pages
    of other machines whose users know the password, but not the runs. Ctrl-C ends it.
    """
    import importlib.util

    from plash.errors import MissingPartError

    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn", "websockets")):
        raise MissingPartError(
            'the studio needs a web server, which is not installed. Install it with: pip install "plash[studio]"'
        )
    from plash.cli.start import leave_signals_alone
    from plash.studio.scene_text import start_text
    from plash.studio.server import Addresses, serve
    from plash.studio.simulations import MOST, MOST_OF_A_CLASS

    secret = _studio_password(lan, password)

    def started(addresses: Addresses) -> None:
        click.echo(f"plash studio is at {addresses.own}")
        if addresses.guests:
            click.echo(f"Others on the network open {addresses.guests} with the password {secret}")
        click.echo("Ctrl-C ends it.")
        if not no_browser:
            click.launch(addresses.own)

    leave_signals_alone()  # the server has its own way to end
    most = tabs or (MOST_OF_A_CLASS if lan else MOST)
    serve(start_text(scene), runs, port, started, most, secret)


def _studio_password(lan: bool, password: str | None) -> str | None:
    """The password of guests: the one given, asked for or made; None without guests."""
    from plash.studio.access import SHORTEST, new_password

    if not lan:
        return None
    if password is None:
        return new_password()
    if password == "-":
        password = click.prompt("Password of the studio", hide_input=True)
    if len(password.strip()) < SHORTEST:
        found = len(password.strip())
        raise click.UsageError(f"the password has {found} characters: it needs {SHORTEST} or more")
    return password


@click.command()
@click.option(
    "--scene",
    default="bench_dam_break",
    metavar="SCENE",
    shell_complete=completing.scenes,
    help="Scene to step.  [default: bench_dam_break]",
)
@click.option("--steps", type=click.IntRange(1, 10000), default=10, show_default=True, help="Steps to measure.")
@scene_options
@click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help="Threads.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def bench(scene: str, steps: int, settings: tuple[str, ...], threads: int | None, as_json: bool, **named: Any) -> None:
    """Measure where the time of a step goes on this machine, stage by stage.

    The median over some steps, in milliseconds and microseconds per liquid cell, beside the memory bandwidth that the
    machine reaches in the same minute. Compare figures of one run only: machines are noisy.
    """
    loaded = scene_of(scene, settings, **named)
    use_threads(threads)
    from plash.cli.report import bench_lines
    from plash.pipeline.bench import bench as bench_scene
    from plash.pipeline.compiling import watched_compilation

    with watched_compilation(Plain().compiling):
        measured = bench_scene(loaded, steps)
    click.echo(json.dumps(measured.as_data(), indent=1) if as_json else "\n".join(bench_lines(measured)))


@click.command()
@click.argument("scene", required=False, shell_complete=completing.scenes)
@click.option("--jobs", type=click.IntRange(1, 1024), metavar="N", help="Processes.  [default: one for each core]")
@scene_options
def warm(scene: str | None, jobs: int | None, settings: tuple[str, ...], **named: Any) -> None:
    """Compile the kernels now, on all cores, so that no run has to wait for them.

    With SCENE those that it needs, without all that common scenes need. It is done once for each version of plash: what
    is there is not compiled again. `plash run` does the same for its own scene before it begins.
    """
    from plash.errors import PlashError
    from plash.pipeline.progress import clock
    from plash.pipeline.warm.kernel_list import all_kernels, kernels_for
    from plash.pipeline.warm.warm import jobs_here
    from plash.pipeline.warm.warm import warm as compile_ahead

    calls = kernels_for(scene_of(scene, settings, **named), is_drawn=True) if scene else all_kernels()
    shown, spent = Plain(), 0.0

    def tell(ready: int, total: int, seconds: float) -> None:
        nonlocal spent
        spent = seconds
        shown.compiling(ready, seconds, ready < total, total)

    faults = compile_ahead(calls, jobs or jobs_here(), tell)
    if faults:
        raise PlashError("\n".join(["some kernels could not be compiled:", *faults]))
    click.echo(f"{len(calls)} kernels are ready" + (f", after {clock(spent)}" if spent else ""))
