"""The table of a wedge as a Parquet file, for programs that work with many runs: every column has a type."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from plash.errors import MissingPartError
from plash.pipeline.wedge_table import COLUMNS, COUNTS, WedgeRow


def load_arrow() -> Any:
    """The package that writes Parquet files.

    Raises:
        MissingPartError: It is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPartError(
            "a table as a Parquet file needs the package pyarrow, which is not installed. Install it with: "
            'pip install "plash[parquet]", or use the table in CSV, which is always written'
        ) from None
    return pyarrow


def parquet_bytes(arrow: Any, rows: Sequence[WedgeRow]) -> bytes:
    """Rows as a Parquet file, with the columns of the CSV file: what is not known is null, and lists are lists.

    Args:
        arrow: The package that writes it.
        rows: The runs.
    """
    columns: dict[str, Any] = {"run": arrow.array([row.run for row in rows], arrow.string())}
    for name in rows[0].design:
        columns[name] = _column(arrow, [row.design[name] for row in rows])
    columns["status"] = arrow.array([row.status for row in rows], arrow.string())
    for name in COLUMNS:
        kind = arrow.int64() if name in COUNTS else arrow.float64()
        columns[name] = arrow.array([row.outcome[name] for row in rows], kind)
    file = io.BytesIO()
    arrow.parquet.write_table(arrow.table(columns), file)
    return file.getvalue()


def _column(arrow: Any, values: Sequence[Any]) -> Any:
    """Values as a column of the type that they have; those of several types as texts of JSON."""
    try:
        return arrow.array(values)
    except (arrow.ArrowInvalid, arrow.ArrowTypeError):
        return arrow.array([value if isinstance(value, str) else json.dumps(value) for value in values])
