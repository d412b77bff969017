"""What the pages tell their readers to type: blocks of shell, files and Python, done as a reader would, but small."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from plash.cli.main import _exit_code

DOCS = Path(__file__).parents[1] / "docs"
TINY = ("--set", "look.width=96")
TAKES_A_LOOK = ("run", "simulate", "resume", "render", "video")


class Block(NamedTuple):
    """A fenced block of a page: its language, its text, and the heading above it."""

    language: str
    text: str
    heading: str


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found, heading = [], ""
    pattern = r"^#+ (?P<heading>[^\n]*)$|^```(?P<language>\w+)\n(?P<text>.*?)^```"
    for match in re.finditer(pattern, (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL):
        if match["heading"] is not None:
            heading = match["heading"]
        else:
            found.append(Block(match["language"], match["text"], heading))
    return found


def named_file(text: str) -> str:
    """The file that the first line of a block names; empty if it names none."""
    match = re.match(r"# ([\w./]+)\b", text)
    return match[1] if match else ""


def commands(text: str) -> list[list[str]]:
    """The commands of a block of shell."""
    return [shlex.split(line, comments=True) for line in text.splitlines() if shlex.split(line, comments=True)]


def typed(command: Sequence[str], small: Sequence[str] = ()) -> None:
    """Do a command in this process; pictures are made tiny, and what else is small by options behind its own."""
    program, *arguments = command
    if program == "python":
        runpy.run_path(arguments[0], run_name="__main__")
        return
    assert program == "plash", f"no test does {command}"
    if arguments[0] in TAKES_A_LOOK:
        arguments = [*arguments, *small, *TINY, "--quiet"]
    elif arguments[0] == "look":
        arguments = [*arguments, *TINY]
    code = _exit_code(arguments)
    assert code == 0, f"{shlex.join(command)} ended with {code}"
