"""What the user sees: a live line on a terminal, plain lines elsewhere, JSON for programs; tables at the end."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plash.pipeline.progress import clock
from plash.pipeline.progress_state import ProgressState, compiling_text
from plash.solvers.ledger import Ledger, off_target, target_volume
from plash.timing import StepReport

if TYPE_CHECKING:
    from plash.pipeline.run import Outcome
    from plash.pipeline.wedge import Wedge

_SECONDS_BETWEEN_LINES = 1.0
_SECONDS_BETWEEN_KERNELS = 5.0  # between two lines that say that kernels are compiled
_LITTLE = 0.03  # of the target volume: so much may lie just outside a lively surface, and is not worth a word


def is_terminal() -> bool:
    """Whether somebody is watching."""
    return sys.stderr.isatty()


class Plain:
    """Lines of text, not more than one a second."""

    def __init__(self) -> None:
        self.state = ProgressState()
        self._last = 0.0
        self._last_kernel = -_SECONDS_BETWEEN_KERNELS

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Say what is planned."""
        self.state.begin(frames, to_do)
        work = ", ".join(f"{stage} {count}" for stage, count in to_do.items() if count)
        self._print(f"{frames} frames; to do: {work or 'nothing'}")

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Count the step."""
        self.state.step(report, ledger)

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Say how far it is, unless that was just said."""
        self.state.make(stage, frame, seconds)
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_LINES or not any(self.state.to_do.values()):
            self._last = time.monotonic()
            self._print(str(self.state))

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """Say that kernels are compiled, unless that was just said."""
        if is_busy and time.monotonic() - self._last_kernel >= _SECONDS_BETWEEN_KERNELS:
            self._last_kernel = time.monotonic()
            self._print(compiling_text(kernels, seconds, total))

    def note(self, text: str) -> None:
        """Say it."""
        self._print(f"note: {text}")

    def end(self) -> None:
        """Nothing is open."""

    def _print(self, text: str) -> None:
        click.echo(text, err=True)


class Line(Plain):
    """One line on the terminal that is always up to date."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        self._text = Text
        self._console = Console(stderr=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=False)

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Say what is planned, and open the line."""
        super().begin(frames, to_do)
        if any(to_do.values()):
            self._live.start()

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Bring the line up to date."""
        super().step(report, ledger)
        self._refresh()

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Bring the line up to date."""
        self.state.make(stage, frame, seconds)
        self._refresh()

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """Say it in the line, for as long as it takes; before there is a line, above it."""
        if not self._live.is_started:
            super().compiling(kernels, seconds, is_busy, total)
            return
        self.state.compiling = compiling_text(kernels, seconds, total) if is_busy else ""
        self._show()

    def note(self, text: str) -> None:
        """Say it above the line."""
        self._console.print(f"note: {text}", markup=False, highlight=False)

    def end(self) -> None:
        """Leave the line as it is."""
        self._live.stop()

    def _refresh(self) -> None:
        if time.monotonic() - self._last >= 0.1 or not any(self.state.to_do.values()):
            self._show()

    def _show(self) -> None:
        self._last = time.monotonic()
        line = self._text(str(self.state), no_wrap=True, overflow="ellipsis")
        self._live.update(line, refresh=True)


class JsonLines:
    """Every event as a line of JSON on standard output."""

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Tell the plan."""
        _emit("begin", frames=frames, to_do=dict(to_do))

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Tell the step."""
        _emit("step", **asdict(report))

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Tell the file."""
        _emit("made", stage=stage, frame=frame, seconds=round(seconds, 4))

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """Tell the kernel."""
        of = {"total": total} if total else {}
        _emit("compiling", kernels=kernels, seconds=round(seconds, 4), busy=is_busy, **of)

    def note(self, text: str) -> None:
        """Tell it."""
        _emit("note", message=text)

    def end(self) -> None:
        """Nothing is open."""


def _emit(event: str, **data: Any) -> None:
    click.echo(json.dumps({"event": event, **data}))


def show_outcome(outcome: Outcome, quiet: bool, as_json: bool) -> None:
    """Tell what a run left: files, time and every drop."""
    if as_json:
        _emit("done", **{name: _plain(value) for name, value in asdict(outcome).items()})
    elif not quiet:
        click.echo("\n".join(outcome_lines(outcome)))


def _plain(value: Any) -> Any:
    """A value of an outcome as JSON can hold it: paths are texts."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value


def outcome_lines(outcome: Outcome) -> list[str]:
    """The summary of a run, for people."""
    lines = [f"{'folder':9}{outcome.folder} ({outcome.frames} frames)"]
    if outcome.picture:
        return [*lines, f"{'picture':9}{outcome.picture}", *(f"{'note':9}{note}" for note in outcome.notes)]
    lines += [f"{'movie':9}{movie}" for movie in outcome.movies]
    if outcome.report:
        lines.append(f"{'report':9}{outcome.report}")
    if outcome.seconds:
        spent = ", ".join(f"{stage} {clock(seconds)}" for stage, seconds in outcome.seconds.items() if seconds)
        lines.append(f"{'time':9}{spent}")
    lines += [f"{'note':9}{note}" for note in outcome.notes]
    return lines + ledger_lines(outcome.ledger)


def show_wedge(found: Wedge, quiet: bool, as_json: bool) -> None:
    """Tell what a wedge left: its table."""
    if as_json:
        rows = [{"run": row.run, **row.design, "status": row.status, **row.outcome} for row in found.rows]
        _emit("done", folder=str(found.folder), table=str(found.table), rows=rows)
    elif not quiet:
        click.echo(found.table.read_text("utf-8").rstrip())
        perhaps = (found.parquet, found.sheet, found.movie)
        shown = [found.table, *(path for path in perhaps if path is not None), found.page]
        click.echo("\n".join(map(str, shown)))


def ledger_lines(ledger: Mapping[str, Any]) -> list[str]:
    """Where every drop went."""
    if not ledger:
        return []
    target = target_volume(ledger)
    lines = [
        f"{'volume':9}target {target:.6g} = {ledger['initial']:.6g} at the start + {ledger['inflow']:.6g} in "
        f"- {ledger['outflow']:.6g} out",
        f"{'':9}{_in_particles(ledger)}measured {ledger['volume']:.6g}{_off(ledger, 'volume')}",
    ]
    films, spray = ledger.get("films", 0.0), ledger.get("spray", 0.0)
    if films + spray > _LITTLE * target:
        thin = "thinner than about half a cell, which are not measured"
        lines.append(f"{'':9}beside {films:.6g} in films on walls and {spray:.6g} in spray and sheets, {thin}")
    lines += [f"{'brought':9}{volume:.6g} by {name!r}" for name, volume in ledger.get("brought", {}).items()]
    removed = ledger["removed"].items()
    lines += [f"{'removed':9}{volume:.6g} {reason}" for reason, volume in removed] or [f"{'removed':9}nothing"]
    leaks = {name: count for name, count in ledger["leaks"].items() if count}
    return lines + [f"{'leak':9}{count} particles were inside {name!r} at once" for name, count in leaks.items()]


def _in_particles(ledger: Mapping[str, Any]) -> str:
    """What particles carry, where there are any: the density of stable fluids is what is measured."""
    carried = ledger["particle_volume"]
    return f"in particles {carried:.6g}{_off(ledger, 'particle_volume')}, " if carried != ledger["volume"] else ""


def _off(ledger: Mapping[str, Any], entry: str) -> str:
    error = off_target(ledger, entry)
    return "" if error is None else f" ({100 * error:+.2g} %)"
