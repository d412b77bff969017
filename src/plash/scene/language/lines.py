"""On which line of a TOML text each key stands; TOML readers give the values only.

The text is known to be valid TOML, so this walks over it without checking anything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable

from plash.scene.language.words import Location

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_STRING = re.compile(r'''"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?'{3,5}(?!')|"(?:[^"\\]|\\.)*"|'[^']*\'''', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]*")


class LineIndex:
    """Lines of the keys of a TOML text, by their place in the data.

    >>> index = LineIndex("[time]\\nfps = 24\\n\\n[[fill]]\\nshape = { kind = 'box' }")
    >>> index.line(("fill", 0, "shape", "kind"))
    5
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counted = (0, 1)
        self._lines: dict[Location, int] = {}
        self._forgotten: list[Location] = []
        self._arrays: dict[Location, int] = {}
        self._read_statements()

    def line(self, place: Location) -> int | None:
        """The line of a place, or of what is around it if it has none itself; None for the whole file."""
        if any(place[: len(other)] == other for other in self._forgotten):
            return None
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place)

    def forget(self, place: Location) -> None:
        """Give no line any more for a place that the text does not speak for, nor for anything in it."""
        self._forgotten.append(place)

    def _read_statements(self) -> None:
        table: Location = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._read_header()
            else:
                self._read_assignment(table)
            self._skip(_BLANK)

    def _read_header(self) -> Location:
        line = self._line_here()
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        *outer, last = self._read_key()
        self._at += brackets
        table: Location = ()
        for name in outer:
            table = self._mark_latest((*table, name), line)
        if brackets == 2:
            array = (*table, last)
            self._arrays[array] = self._arrays.get(array, -1) + 1
        return self._mark_latest((*table, last), line)

    def _mark_latest(self, table: Location, line: int) -> Location:
        """Mark a table; of an array of tables, the last one so far."""
        self._lines.setdefault(table, line)
        if table in self._arrays:
            table = (*table, self._arrays[table])
            self._lines.setdefault(table, line)
        return table

    def _read_assignment(self, table: Location) -> None:
        line = self._line_here()
        for name in self._read_key():
            table = (*table, name)
            self._lines.setdefault(table, line)
        self._at += 1  # the equals sign
        self._skip(_BLANK)
        self._read_value(table)

    def _read_key(self) -> list[str]:
        """The names of a dotted key; stops at what follows it."""
        names = []
        while True:
            self._skip(_BLANK)
            names.append(_unquoted(self._skip(_KEY)))
            self._skip(_BLANK)
            if self._text[self._at] != ".":
                return names
            self._at += 1

    def _read_value(self, place: Location) -> None:
        opening = self._text[self._at]
        if opening == "[":
            self._read_entries("]", lambda index: self._read_element((*place, index)))
        elif opening == "{":
            self._read_entries("}", lambda _: self._read_assignment(place))
        else:
            self._skip(_STRING if opening in "\"'" else _SCALAR)

    def _read_element(self, place: Location) -> None:
        self._lines.setdefault(place, self._line_here())
        self._read_value(place)

    def _read_entries(self, closing: str, read: Callable[[int], None]) -> None:
        self._at += 1
        self._skip(_BLANK)
        index = 0
        while self._text[self._at] != closing:
            read(index)
            index += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        found = match.group() if match else ""
        self._at += len(found)
        return found

    def _line_here(self) -> int:
        """The line being read; counts on from where it last counted."""
        at, line = self._counted
        self._counted = (self._at, line + self._text.count("\n", at, self._at))
        return self._counted[1]


def _unquoted(key: str) -> str:
    if key[:1] == '"':
        return str(tomllib.loads(f"key = {key}")["key"])
    return key.strip("'")
