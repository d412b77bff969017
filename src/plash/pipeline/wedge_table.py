"""What was varied in each run of a wedge, and what came out: as rows, and as a CSV file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plash.pipeline.open_run import OpenRun

COLUMNS = ("frames", "volume", "volume_error", "kinetic", "potential", "steps", "seconds")
COUNTS = ("frames", "steps")  # of them, whole numbers


@dataclass(frozen=True)
class WedgeRow:
    """A run of a wedge.

    Attributes:
        run: The name of its folder.
        design: The values of what was varied.
        status: "done", or why it ended early.
        outcome: At its last frame: `frames`, `volume` (m³; m² in 2-D) and `volume_error` as a share, `kinetic` and
            `potential` energy (J; J/m in 2-D); of all frames: `steps`, and `seconds` of the simulation. What is not
            known is None.
    """

    run: str
    design: Mapping[str, Any]
    status: str
    outcome: Mapping[str, float | None]


def row_of(run: OpenRun, design: Mapping[str, Any], trouble: str) -> WedgeRow:
    """What came out of a run."""
    table = run.report
    found: dict[str, float | None] = dict.fromkeys(COLUMNS)
    found["frames"] = len(table["frame"])
    if found["frames"]:
        for name in ("volume", "volume_error", "kinetic", "potential"):
            value = float(table[name][-1])
            found[name] = value if value == value else None
        found["steps"] = int(table["steps"].sum())
        found["seconds"] = round(float(table["seconds.simulate"].sum()), 3)
    return WedgeRow(run.folder.root.name, design, trouble or "done", found)


def csv_bytes(rows: Sequence[WedgeRow]) -> bytes:
    """Rows as a CSV file with a head; lists are written as JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["run", *rows[0].design, "status", *COLUMNS])
    for row in rows:
        values = [value if isinstance(value, str) else json.dumps(value) for value in row.design.values()]
        told = [row.outcome[name] for name in COLUMNS]
        writer.writerow([row.run, *values, row.status, *("" if value is None else value for value in told)])
    return text.getvalue().encode()
