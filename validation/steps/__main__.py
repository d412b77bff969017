"""Measure cases over a table of courant numbers; see the package."""

from __future__ import annotations

import argparse
import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any

import plash
import validation.steps
from validation.steps.cases import CASES
from validation.steps.runs import Case
from validation.steps.tables import Table, write_json, write_markdown


def main(words: list[str]) -> None:
    """Run cases one after the other; each table is printed, and the files are written again, as soon as it is done."""
    options = _options(words)
    solver = dict(map(_setting, options.solver))
    sizes = {} if options.cells is None else {"cells": options.cells}
    tables: list[Table] = []
    for name in options.cases:
        for transfer in options.transfer:
            table = Table(name, inspect.getdoc(CASES[name]) or "", transfer)
            tables.append(table)
            for courant in options.courant:
                _add_row(table, CASES[name], courant, {**sizes, **solver})
                _write(tables, options)
            print(table.text(), end="\n\n", flush=True)


def _add_row(table: Table, case: Case, courant: float, keys: dict[str, Any]) -> None:
    """Measure one row; a run that plash gives up is a row without figures."""
    start = time.perf_counter()
    try:
        table.rows[courant] = case(courant, table.transfer, **keys)
    except plash.DivergedError as error:
        print(f"{table.title}, courant {courant:g}: {error}", file=sys.stderr, flush=True)
        table.rows[courant] = {}
    table.seconds[courant] = time.perf_counter() - start
    print(f"{table.title}, courant {courant:g}: {table.seconds[courant]:.1f} s", file=sys.stderr, flush=True)


def _write(tables: list[Table], options: argparse.Namespace) -> None:
    about = {"plash": plash.__version__, "solver": options.solver, "cells": options.cells}
    if options.json is not None:
        write_json(tables, about, options.json)
    if options.markdown is not None:
        write_markdown(tables, options.markdown)


def _setting(word: str) -> tuple[str, Any]:
    """Key and value of a word key=value; what is no number, true or false is a text.

    >>> _setting("density_projection=false"), _setting("free_surface=ghost")
    (('density_projection', False), ('free_surface', 'ghost'))
    """
    key, _, value = word.partition("=")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m validation.steps",
        description=validation.steps.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n\n".join(f"{name}: {inspect.getdoc(case)}" for name, case in CASES.items()),
    )
    parser.add_argument("--courant", type=float, nargs="+", default=[1.0, 2.0, 3.0, 5.0])
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME")
    parser.add_argument("--transfer", nargs="+", default=["apic"])
    parser.add_argument("--cells", type=int, help="another size of the cases: what it counts stands with each")
    parser.add_argument("--solver", nargs="*", default=[], metavar="KEY=VALUE", help="settings of [solver]")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="the section of docs/performance.md")
    return parser.parse_args(words)


if __name__ == "__main__":
    main(sys.argv[1:])
