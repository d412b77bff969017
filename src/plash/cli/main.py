"""The program: its commands, and how it ends.

Exit codes: 0 done, 1 internal error, 2 bad command line, 3 scene invalid, 4 diverged or over its error budget, 5 disk,
6 the folder holds another simulation, 7 an optional part is missing, 8 workers cannot be used, 130 stopped, resumable.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import sys
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plash.errors import PlashError
from plash.version import VERSION

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FILES = ("commands", "exchange", "tools")  # in the order in which a user meets what is in them


@cache
def _commands() -> dict[str, str]:
    """Every command, and the first line of its help, as their files have them: those take long to load."""
    return {name: sentence for file in _FILES for name, sentence in _commands_in(file).items()}


@cache
def _commands_in(file: str) -> dict[str, str]:
    text = Path(__file__).with_name(f"{file}.py").read_text("utf-8")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        function.name.replace("_", "-"): (ast.get_docstring(function) or "").partition("\n")[0]
        for function in functions
        if not function.name.startswith("_")
    }


class Commands(click.Group):
    """Commands that are loaded when they are called: help stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order a user meets them."""
        return list(_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in _commands():
            return None
        file = next(file for file in _FILES if cmd_name in _commands_in(file))
        module = importlib.import_module(f"plash.cli.{file}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """What the shell offers after `plash`: commands, without loading any of them, and options."""
        from click.shell_completion import CompletionItem

        known = [CompletionItem(name, help=text) for name, text in _commands().items() if name.startswith(incomplete)]
        return [*known, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_commands().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command to call; an unknown one is answered with the nearest."""
        name, known = args[0], _commands()
        if name not in known:
            from plash.scene.language.words import nearest

            meant = nearest(name, known) or f" There are: {', '.join(known)}."
            ctx.fail(f"no such command {name!r}.{meant}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Try:   plash run dam_break
Then:  plash new mine; edit mine.toml; plash check mine.toml; plash run mine.toml""",
)
@click.version_option(VERSION, prog_name="plash")
def plash() -> None:
    """plash turns a short scene file into a movie of a liquid.

    SCENE is a scene file, or the name of a scene that comes with plash (`plash scenes`). A run leaves everything in
    out/<scene>, or in the folder given with --out: frames of particles, surfaces, pictures, the movie, a report, a log.
    It can be stopped with Ctrl-C at any time and goes on with `plash resume`.
    """


def main() -> int:
    """Run the program; the code says how it went."""
    return _exit_code(sys.argv[1:])


def _exit_code(arguments: list[str]) -> int:
    if "_PLASH_COMPLETE" in os.environ:  # the shell asks what could come next
        from plash.cli.completing import complete_lines_of_bash

        complete_lines_of_bash()
    try:
        plash.main(args=arguments, prog_name="plash", standalone_mode=False)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _failed("stopped", 130, arguments)
    except PlashError as error:
        return _failed(str(error), error.exit_code, arguments)
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        return 0
    except OSError as error:
        return _failed(f"{error.filename or 'disk'}: {error.strerror or error}", 5, arguments)
    except MemoryError:
        return _failed("there is not enough memory: `plash check` says how much a scene needs", 1, arguments)
    except Exception as error:  # noqa: BLE001
        # A mistake of plash itself: a user gets a sentence, and whoever looks into it the whole story
        if os.environ.get("PLASH_TRACEBACK"):
            traceback.print_exc()
        text = f"internal error: {type(error).__name__}: {error}. PLASH_TRACEBACK=1 shows where; please report it"
        return _failed(text, 1, arguments)
    return 0


def _failed(text: str, code: int, arguments: list[str]) -> int:
    if "--json" in arguments:
        click.echo(json.dumps({"event": "error", "message": text, "exit_code": code}))
    click.echo(f"plash: {text}", err=True)
    return code
