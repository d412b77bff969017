"""Options that several commands share, and what they mean."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from plash.cli import completing
from plash.cli.show import JsonLines, Line, Plain, is_terminal
from plash.errors import StorageError
from plash.pipeline.progress import Progress, Silent

if TYPE_CHECKING:
    from plash.scene.model import Scene

_LONGEST_NAME = 200  # bytes; file systems allow 255, and a temporary name is longer

Command = TypeVar("Command", bound=Callable[..., Any])


def scene_options(command: Command) -> Command:
    """Options that change the scene."""
    for option in (
        click.option("--seed", type=int, metavar="N", help="Random seed."),
        click.option("--frames", type=int, metavar="N", help="Number of frames."),
        click.option("--resolution", type=int, metavar="N", help="Cells along the longest side of the domain."),
        click.option(
            "--set",
            "settings",
            multiple=True,
            metavar="KEY=VALUE",
            shell_complete=completing.parameters,
            help="Replace any parameter of the scene, such as solver.transfer=flip or fill[0].velocity=[1,0,0].",
        ),
    ):
        command = option(command)
    return command


def quality_option(command: Command) -> Command:
    """The option that says how pictures are made."""
    option = click.option(
        "--quality",
        type=click.Choice(["draft", "preview", "final"]),
        help="How pictures are made: drawn (draft), ray traced (preview), or ray traced with many samples (final).",
    )
    return option(command)


def work_options(command: Command) -> Command:
    """Options about how the work is done and told."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line."),
        click.option("--quiet", "-q", is_flag=True, help="Print errors only."),
        click.option("--threads", type=click.IntRange(1, 1024), metavar="N", help="Threads; the result is the same."),
    ):
        command = option(command)
    return command


def workers_options(command: Command) -> Command:
    """Options about who does the work."""
    for option in (
        click.option(
            "--on", metavar="ADDRESS", help="Have the workers of a Dask scheduler do it, such as tcp://host:8786."
        ),
        click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Have N processes do it."),
    ):
        command = option(command)
    return command


def workers_of(workers: int | None, on: str | None) -> int | str | None:
    """Who does the work: so many processes, the scheduler at an address, or nobody but this program."""
    if workers is not None and on is not None:
        raise click.UsageError("--workers starts processes here, and --on uses those of a scheduler: give one of them")
    return workers if workers is not None else on


def overrides_of(settings: tuple[str, ...], **named: Any) -> dict[str, Any]:
    """The parameters that options replace: KEY=VALUE texts, and options with a value.

    >>> overrides_of(("solver.transfer=flip", "courant=2", "cell_size=2 cm"), frames=10, seed=None)
    {'solver.transfer': 'flip', 'courant': 2, 'cell_size': '2 cm', 'frames': 10}
    """
    replaced: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{setting!r} is not of the form KEY=VALUE", param_hint="--set")
        replaced[key.strip()] = _value(text.strip())
    return replaced | {key: value for key, value in named.items() if value is not None}


def scene_of(scene: str, settings: tuple[str, ...], **named: Any) -> Scene:
    """The scene of a name or path, with the parameters that options replace."""
    from plash.scene.language.read import load_scene

    return load_scene(scene, **overrides_of(settings, **named))


def _value(text: str) -> Any:
    """A value as in a scene file; a text needs no quotes."""
    try:
        data = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # no TOML, more digits than Python reads, brackets too deep
        return text
    # More lines than one are no value
    return data["value"] if len(data) == 1 else text


def varied(texts: tuple[str, ...]) -> dict[str, Any]:
    """The values that parameters take, from KEY=A,B,C or KEY=A..B texts.

    >>> varied(("solver.seed=1..4", "liquid.material=water,honey", "gravity=[0,-9.81],[0,0]"))
    {'solver.seed': Between(low=1, high=4), 'liquid.material': ['water', 'honey'], 'gravity': [[0, -9.81], [0, 0]]}
    """
    from plash.pipeline.designs import Between

    found: dict[str, Any] = {}
    for text in texts:
        key, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not key or not values:
            raise click.BadParameter(f"{text!r} is not of the form KEY=A,B,C or KEY=A..B", param_hint="--vary")
        low, dots, high = values.partition("..")
        ends = [_value(low.strip()), _value(high.strip())]
        if dots and all(isinstance(end, int | float) for end in ends):
            try:
                found[key] = Between(*ends)
            except ValueError as error:
                raise click.BadParameter(f"{key}: {error}", param_hint="--vary") from None
        else:
            listed = _value(f"[{values}]")
            found[key] = listed if isinstance(listed, list) else [_value(part.strip()) for part in values.split(",")]
    return found


def default_out(scene: str) -> Path:
    """The run folder of a scene unless the user says otherwise: out/<name>."""
    return Path("out") / (Path(scene).name.removesuffix(".toml") or "plash")


def new_scene_path(name: str) -> Path:
    """The file of a new scene: NAME.toml.

    Raises:
        click.BadParameter: No file can have that name, or it is one that nobody would find again.
    """
    from plash.scene.language.words import shown

    last = os.path.basename(name).removesuffix(".toml")
    fault = ""
    if not last.strip(". "):
        fault = f"{shown(name)} is a folder, or nothing: a scene needs a name"
    elif not name.isprintable():
        fault = f"{shown(name)} has a character that cannot be printed: a scene needs a plain name"
    elif len(os.fsencode(last)) > _LONGEST_NAME:
        fault = f"{shown(last)} has {len(os.fsencode(last))} bytes: the name of a scene may have {_LONGEST_NAME}"
    if fault:
        raise click.BadParameter(fault, param_hint="NAME")
    return Path(name if name.endswith(".toml") else f"{name}.toml")


def run_folder_of(target: str) -> Path:
    """The run folder that a user means: the folder itself, or the scene it was made from."""
    if (Path(target) / "manifest.json").exists():
        return Path(target)
    folder = default_out(target)
    if (folder / "manifest.json").exists():
        return folder
    from plash.scene.language.words import nearest

    others = [found.parent.name for found in Path("out").glob("*/manifest.json")]
    raise StorageError(
        f"{target}: is no run folder, and neither is {folder}.{nearest(folder.name, others)} `plash run` or "
        "`plash simulate` makes one"
    )


def use_threads(count: int | None) -> None:
    """Use so many threads; must come before numba is first imported, which fixes how many there can be."""
    if count is None:
        return
    if count > (os.cpu_count() or 1):
        os.environ["NUMBA_NUM_THREADS"] = str(count)
    import numba

    from plash.grid.threads import load_tbb

    load_tbb()
    numba.set_num_threads(count)


def progress_for(quiet: bool, as_json: bool) -> Progress:
    """Who tells the user how a run is getting on."""
    if as_json:
        return JsonLines()
    if quiet:
        return Silent()
    return Line() if is_terminal() else Plain()
