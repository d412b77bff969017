"""Names of bodies: each has one, no two have the same, and whoever names another names one that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plash.scene.language.words import Finding, nearest, refusals, shown
from plash.scene.solver import Solver
from plash.scene.sources import Sink, Source, Spout
from plash.scene.warmth import no_meaning


def named(table: str, bodies: Sequence[Any], others: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
    """The bodies of a table with a name each, which none of the other tables' bodies has.

    Raises:
        ValueError: Two have one name.
    """
    names = [body.name or f"{table} {index + 1}" for index, body in enumerate(bodies)]
    found = clashes(table, names, others)
    if found:
        raise refusals(found)
    return tuple(body if body.name else body.with_values(name=name) for body, name in zip(bodies, names, strict=True))


def clashes(table: str, names: Sequence[str], others: Mapping[str, Sequence[Any]]) -> list[Finding]:
    """Names of a table's bodies that one before has already, or a body of other tables."""
    taken = {body.name: f"{other}[{index}]" for other, bodies in others.items() for index, body in enumerate(bodies)}
    found: list[Finding] = []
    for index, name in enumerate(names):
        if name in taken:
            found.append(((index, "name"), f"{shown(name)} is the name of {taken[name]} already: names must differ"))
        taken.setdefault(name, f"{table}[{index}]")
    return found


def name_in(item: object, table: str, index: int) -> str:
    """The name that a body will have, of what was given for it: it may have faults."""
    name = item.get("name") if isinstance(item, dict) else getattr(item, "name", None)
    return name if isinstance(name, str) and name else f"{table} {index + 1}"


def faults_of_matches(sinks: Sequence[Sink], sources: Sequence[Source] | None, solver: Solver | None) -> list[Finding]:
    """Sinks that match what is no spout, or with a solver that knows no such sinks; None has faults of its own."""
    matched = [(index, sink.match) for index, sink in enumerate(sinks) if sink.match]
    if solver is not None and not solver.has_matched_sinks:
        return [((index, "match"), no_meaning(solver)) for index, _ in matched]
    if sources is None:
        return []
    names = [source.name for source in sources if isinstance(source, Spout)]
    return [
        (
            (index, "match"),
            f"{shown(name)} is not the name of a spout.{nearest(name, names)} Known: {', '.join(names) or 'none'}",
        )
        for index, name in matched
        if name not in names
    ]
