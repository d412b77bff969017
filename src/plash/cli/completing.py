"""What the shell offers when Tab is pressed: commands and options by click, and from here scenes, runs and parameters.

Bash splits words at "=", so that click's own script is of no use for `--set solver.transfer=flip`. Its class here reads
the line as it stands. Nothing heavy is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

VARIABLE = "_PLASH_COMPLETE"
SHELLS = ("bash", "zsh", "fish")

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response type value
    response=$(env COMP_LINE="$COMP_LINE" COMP_POINT=$COMP_POINT %(complete_var)s=bash_complete "$1")
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
            [[ $value == *[=./] ]] && compopt -o nospace
        fi
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class LineOfBash(BashComplete):
    """Completion in Bash by the whole line, of which only what stands behind the last "=" of a word is replaced."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being written, and that one."""
        # Bash counts in bytes
        line = os.environ["COMP_LINE"].encode()[: int(os.environ["COMP_POINT"])].decode(errors="ignore")
        words = split_arg_string(line)[1:]
        self._incomplete = "" if line[-1:].isspace() or not words else words.pop()
        return words, self._incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """A line of the answer."""
        before = self._incomplete.rpartition("=")[0]
        value = str(item.value)
        if before and not self._incomplete.startswith("--"):
            value = value.removeprefix(f"{before}=")
        return f"{item.type},{value}"


def complete_lines_of_bash() -> None:
    """Have click complete lines of Bash by the class here."""
    add_completion_class(LineOfBash)


def script(shell: str, program: click.Command) -> str:
    """The script that has a shell complete what is written after `plash`."""
    complete_lines_of_bash()
    found = get_completion_class(shell)
    assert found is not None
    return found(program, {}, "plash", VARIABLE).source()


def gallery_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The scenes that come with plash."""
    from plash.scene.language.gallery import gallery

    return [CompletionItem(name, help=text) for name, text in gallery().items() if name.startswith(incomplete)]


def scenes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The scenes that come with plash, and scene files."""
    return [*gallery_names(ctx, param, incomplete), *map(CompletionItem, _paths(incomplete, ".toml"))]


def runs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Run folders: those in out/, and folders on the way to others."""
    found = sorted(str(place.parent) for place in Path("out").glob("*/manifest.json"))
    listed = [name for name in found if name.startswith(incomplete)]
    return [CompletionItem(name) for name in dict.fromkeys([*listed, *_paths(incomplete, "")])]


def parameters(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Parameters of a scene, "solver.transfer=" and the like; behind the "=" the words that one may be."""
    from plash.scene.language.fields import models_in, words_in
    from plash.scene.language.overrides import parameter_names
    from plash.scene.model import Scene

    key, equals, _ = incomplete.partition("=")
    places = {name: found[0] for name, found in parameter_names().items() if len(found) == 1}
    places |= {".".join(map(str, place)): place for found in parameter_names().values() for place in found}
    if not equals:
        tables = {f"{place[0]}." for place in places.values() if len(place) > 1}
        offered = [*sorted(tables), *(f"{name}=" for name in places if "." not in name)]
        if "." in key:
            offered = [f"{name}=" for name in places if "." in name]
        return [CompletionItem(name) for name in offered if name.startswith(incomplete)]
    place = places.get(key, ())
    if len(place) < 2:
        return []
    models = models_in(Scene.model_fields[str(place[0])].annotation)
    fields = [model.model_fields[str(place[1])] for model in models if str(place[1]) in model.model_fields]
    words = [word for field in fields for word in words_in(field.annotation)]
    if any(field.annotation is bool for field in fields):
        words += ["true", "false"]
    values = dict.fromkeys(f"{key}={word}" for word in words)
    return [CompletionItem(value) for value in values if value.startswith(incomplete)]


def _paths(incomplete: str, suffix: str) -> Iterator[str]:
    """Folders, and files with a suffix, whose path begins so; nothing hidden."""
    start, _, begun = incomplete.rpartition("/")
    folder = Path(f"{start}/") if "/" in incomplete else Path()
    try:
        entries = sorted(entry for entry in folder.iterdir() if entry.name.startswith(begun) and entry.name[0] != ".")
    except OSError:  # there is no such folder: there is nothing to offer
        return
    for entry in entries:
        shown = f"{start}/{entry.name}" if "/" in incomplete else entry.name
        if entry.is_dir():
            yield f"{shown}/"
        elif suffix and entry.suffix == suffix:
            yield shown
