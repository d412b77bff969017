"""Figures as tables: text for a terminal, JSON, and the section of a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from validation.steps.runs import Figures

_WIDEST = 118


@dataclass
class Table:
    """The figures of one case and one transfer.

    Attributes:
        case: Its name.
        about: What it is, and what is exact.
        transfer: What carries velocity.
        rows: Figures by courant number.
        seconds: What each row took.
    """

    case: str
    about: str
    transfer: str
    rows: dict[float, Figures] = field(default_factory=dict)
    seconds: dict[float, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Case and transfer."""
        return f"{self.case}, {self.transfer}"

    def names(self) -> list[str]:
        """Of all figures, in their order."""
        return list(dict.fromkeys(name for row in self.rows.values() for name in row))

    def text(self) -> str:
        """A row for each courant number; columns that do not fit side by side go below."""
        first = ["courant", *(f"{courant:g}" for courant in self.rows)]
        columns = [[name, *(shown(row.get(name)) for row in self.rows.values())] for name in self.names()]
        columns.append(["seconds", *(f"{self.seconds[courant]:.1f}" for courant in self.rows)])
        blocks = ["\n".join(_lines(block)) for block in _blocks(first, columns)]
        return "\n".join([self.title, *blocks])

    def markdown(self) -> str:
        """A row for each figure, and a column for each courant number."""
        head = ["courant", *(f"{courant:g}" for courant in self.rows)]
        lines = [head, ["---"] * len(head)]
        lines += [[name, *(shown(row.get(name)) for row in self.rows.values())] for name in self.names()]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def data(self) -> dict[str, Any]:
        """As plain data."""
        rows = [{"courant": courant, "seconds": self.seconds[courant], **row} for courant, row in self.rows.items()]
        return {"case": self.case, "transfer": self.transfer, "rows": rows}


def shown(value: float | None) -> str:
    """A figure in four digits.

    >>> shown(0.123456), shown(-2.5e-7), shown(None), shown(512.0)
    ('0.1235', '-2.5e-07', '-', '512')
    """
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


def write_json(tables: list[Table], about: dict[str, Any], path: Path) -> None:
    """All tables, with what they were made with."""
    text = json.dumps({**about, "tables": [table.data() for table in tables]}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def write_markdown(tables: list[Table], path: Path) -> None:
    """A section of a page: each case with what is exact, and a table for each transfer."""
    parts = ["## Longer steps\n\nMade by `python -m validation.steps`."]
    for case in dict.fromkeys(table.case for table in tables):
        same = [table for table in tables if table.case == case]
        parts.append(f"### {case}\n\n{same[0].about}")
        parts += [f"`{table.transfer}`:\n\n{table.markdown()}" for table in same]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _blocks(first: list[str], columns: list[list[str]]) -> Iterator[list[list[str]]]:
    """Columns that fit side by side, each time after the first."""
    block, width = [first], _width(first)
    for column in columns:
        if len(block) > 1 and width + 2 + _width(column) > _WIDEST:
            yield block
            block, width = [first], _width(first)
        block.append(column)
        width += 2 + _width(column)
    yield block


def _width(column: list[str]) -> int:
    return max(map(len, column))


def _lines(columns: list[list[str]]) -> list[str]:
    padded = [[word.rjust(_width(column)) for word in column] for column in columns]
    return ["  " + "  ".join(line) for line in zip(*padded, strict=True)]
