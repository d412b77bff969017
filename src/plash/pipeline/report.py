"""The run on one page: report.html, with everything in it, so that it can be sent to somebody.

Every number comes from the manifest and the log. What a run has not made yet is left out, and the page says so. All
text that comes from the scene is escaped, and the page allows no scripts.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable, Sequence
from html import escape
from importlib import resources
from statistics import fmean
from string import Template
from urllib.parse import quote

from plash.pipeline.chart import Series, ceiling, legend, line_chart, readable, stacked_chart
from plash.pipeline.progress import clock
from plash.pipeline.run_history import FrameLog, RunHistory, edited_surfaces
from plash.pipeline.stages.movies import CONTACT_SHEET, MOVIES, NUMBERS, shown_first
from plash.pipeline.stages.registry import frame_stages
from plash.pipeline.stages.report import REPORT
from plash.pipeline.stages.stage import Inputs
from plash.pipeline.whitewater_report import whitewater_numbers

LARGEST_EMBEDDED = 30_000_000  # bytes of a movie inside the page; a larger one is linked to
_TYPES = {
    "mp4": "video/mp4",
    "webm": "video/webm",
    "gif": "image/gif",
    "webp": "image/webp",
    CONTACT_SHEET: "image/png",
}
_MOST_PARTS = 7  # of a step that have a colour of their own
_OTHER = 9  # the colour of what is left


def report_page(inputs: Inputs) -> str:
    """The page of a run as it is now."""
    history = inputs.history()
    manifest = history.manifest
    text = resources.files("plash.pipeline").joinpath("report.html").read_text("utf-8")
    return Template(text).substitute(
        title=escape(history.scene.title or manifest.name),
        subtitle=escape(_subtitle(history)),
        message=_message(history),
        movie=_movie(inputs),
        numbers=_numbers(history, whitewater_numbers(inputs)),
        plots=_plots(history),
        times=_times(history),
        scene=escape(manifest.scene),
        facts=_facts(history),
        footer=f"Written by plash on {history.today}.",
    )


def _subtitle(history: RunHistory) -> str:
    scene = history.scene
    frames, wanted = len(history.frames), scene.time.frames
    length = f"{wanted / scene.time.fps:.3g} s at {scene.time.fps:g} frames a second"
    done = f"{wanted} frames" if frames == wanted else f"{frames} of {wanted} frames simulated"
    return f"{done}, {length}. Scene: {history.manifest.source}"


def _message(history: RunHistory) -> str:
    """Why the run ended early, if it did."""
    message = history.manifest.message
    return f'<p class="warning">{escape(message)}</p>' if message else ""


# The movie


def _movie(inputs: Inputs) -> str:
    """The movie in the first of its formats that is there, else the contact sheet."""
    for kind in shown_first(inputs.scene):
        if inputs.file(MOVIES, NUMBERS[kind]).written is not None:
            return f'<figure class="movie card">{_shown(inputs, kind)}</figure>'
    return '<p class="note">There is no movie yet: <code>plash run</code> or <code>plash video</code> makes it.</p>'


def _shown(inputs: Inputs, form: str) -> str:
    """A movie or picture inside the page, or a link to it if it is large."""
    file = inputs.file(MOVIES, NUMBERS[form])
    if file.written is not None and file.written.bytes <= LARGEST_EMBEDDED:
        content = base64.b64encode(inputs.read(MOVIES, NUMBERS[form])).decode()
        source = f"data:{_TYPES[form]};base64,{content}"
    else:
        source = quote(file.path.name)
    if form in ("mp4", "webm"):
        return f'<video controls loop muted playsinline preload="auto" src="{source}"></video>'
    return f'<img alt="{"Contact sheet" if form == CONTACT_SHEET else "The movie"}" src="{source}">'


# Key numbers


def _numbers(history: RunHistory, more: Sequence[tuple[str, str, str]]) -> str:
    scene, log = history.scene, history.log
    cells = " × ".join(map(str, scene.domain.cells))
    facts = [("Grid", f"{cells}", f"cells of {_length(scene.domain.h)}")]
    if log:
        last, steps = log[max(log)], sum(frame.steps for frame in log.values())
        iterations = [count for frame in log.values() for count in frame.iterations]
        shortest, courant = min(frame.shortest for frame in log.values()), max(frame.courant for frame in log.values())
        retries = sum(frame.retries for frame in log.values())
        facts += [
            _contents(last, history.counted),
            ("Time steps", f"{steps:,}", f"{steps / len(log):.1f} a frame, {_count(retries, 'was', 'were')} repeated"),
            ("Shortest step", f"{1e3 * shortest:.3g} ms", f"largest Courant number {courant:.2f}"),
            ("Pressure iterations", f"{fmean(iterations):.1f}", f"a step, at most {max(iterations)}"),
            *_density_numbers(log.values()),
            *_viscosity_numbers(log.values()),
        ]
    facts += [*_volume_numbers(history), *more, *_time_numbers(history)]
    cards = (
        f'<div class="card"><dt>{escape(name)}</dt><dd>{escape(value)}</dd><dd>{escape(more)}</dd></div>'
        for name, value, more in facts
    )
    return f'<dl class="numbers">{"".join(cards)}</dl>'


def _density_numbers(log: Collection[FrameLog]) -> list[tuple[str, str, str]]:
    """How the density solves went; nothing if there were none."""
    iterations = [count for frame in log for count in frame.density_iterations]
    if not any(iterations):
        return []
    worst = max(frame.density_residual for frame in log)
    return [("Density iterations", f"{fmean(iterations):.1f}", f"a step, largest relative residual {worst:.2g}")]


def _viscosity_numbers(log: Collection[FrameLog]) -> list[tuple[str, str, str]]:
    """How the viscous solves went; nothing if there were none."""
    iterations = [count for frame in log for count in frame.viscosity_iterations]
    if not any(iterations):
        return []
    worst = max(frame.viscosity_residual for frame in log)
    about = f"a step, largest residual {worst:.2g} of the change of momentum"
    return [("Viscosity iterations", f"{fmean(iterations):.1f}", about)]


def _contents(last: FrameLog, counted: str) -> tuple[str, str, str]:
    """What there is to follow at the end: particles, or, in a box of fluid or with smoke, cells."""
    if counted == "mass":
        return "Cells of air", f"{last.liquid_cells:,}", "near smoke, at the end"
    if last.particles:
        return "Particles", f"{last.particles:,}", f"in {last.liquid_cells:,} liquid cells, at the end"
    return "Liquid cells", f"{last.liquid_cells:,}", "more than half full, at the end"


def _volume_numbers(history: RunHistory) -> list[tuple[str, str, str]]:
    if not history.volumes:
        return []
    unit = history.volume_unit
    target, _, measured = history.volumes[max(history.volumes)]
    ledger = history.simulated[max(history.volumes)].ledger or {}
    errors = history.volume_errors
    what = history.counted.capitalize()
    facts = [(f"{what} at the end", f"{measured:.5g} {unit}", f"measured; target {target:.5g} {unit}")]
    if errors:
        worst = max(errors, key=lambda frame: abs(errors[frame]))
        facts.append(
            (f"{what} error at the end", f"{errors[max(errors)]:+.2%}", f"at worst {errors[worst]:+.2%}, frame {worst}")
        )
    films, spray = ledger.get("films", 0.0), ledger.get("spray", 0.0)
    if films or spray:
        about = f"and {spray:.3g} {unit} in spray: thinner than about half a cell, and not in the measured volume"
        facts.append(("In films on walls", f"{films:.3g} {unit}", about))
    removed = ", ".join(f"{volume:.3g} {unit} {reason}" for reason, volume in ledger.get("removed", {}).items())
    leaks = {name: count for name, count in ledger.get("leaks", {}).items() if count}
    leaked = ", ".join(f"{count} particles in {name}" for name, count in leaks.items())
    return [*facts, ("Removed", removed or "nothing", f"leaks: {leaked or 'none'}")]


def _time_numbers(history: RunHistory) -> list[tuple[str, str, str]]:
    if not history.frames:
        return []
    seconds = history.whole_seconds()
    compiling = f"; compiling: {clock(history.compiling())}, once" if history.compiling() else ""
    return [("Computed in", clock(seconds), f"{clock(seconds / len(history.frames))} a frame{compiling}")]


def _count(number: int, one: str, many: str) -> str:
    return f"{number or 'none'} {one if number == 1 else many}"


def _length(metres: float) -> str:
    """A length for people.

    >>> _length(0.03125), _length(0.0005), _length(2.0)
    ('3.12 cm', '0.5 mm', '2 m')
    """
    for factor, unit in ((1e3, "mm"), (1e2, "cm")):
        if metres * factor < {"mm": 10, "cm": 100}[unit]:
            return f"{metres * factor:.3g} {unit}"
    return f"{metres:.3g} m"


# Plots


def _plots(history: RunHistory) -> str:
    plots = [
        _volume_plot(history),
        _heat_plot(history),
        _energy_plot(history),
        _steps_plot(history),
        _iterations_plot(history),
        _stages_plot(history),
        _parts_plot(history),
    ]
    drawn = "".join(filter(None, plots))
    return f'<div class="plots">{drawn}</div>' if drawn else '<p class="note">Nothing is simulated yet.</p>'


def _figure(title: str, series: Sequence[Series], chart: str, note: str = "") -> str:
    head = f"<figcaption><h3>{escape(title)}</h3>{legend(series) if len(series) > 1 else ''}</figcaption>"
    said = f'<p class="note">{escape(note)}</p>' if note else ""
    return f'<figure class="card">{head}{chart}{said}</figure>\n'


def _volume_plot(history: RunHistory) -> str:
    if not history.volumes:
        return ""
    target, particles, measured = (list(values) for values in zip(*history.volumes.values(), strict=True))
    series = [Series("measured", measured, 1), Series("target", target, 9, dashed=True)]
    if particles != measured:
        series.insert(1, Series("in particles", particles, 2))
    chart = line_chart(list(history.volumes), series, history.volume_unit, least_span=0.02 * max(target))
    return _figure(history.counted.capitalize(), series, chart)


def _heat_plot(history: RunHistory) -> str:
    if not history.warmth:
        return ""
    series = [Series("heat above that of the air", list(history.warmth.values()), 1)]
    unit = "K m³" if history.scene.dimension == 3 else "K m²"
    return _figure("Heat", series, line_chart(list(history.warmth), series, unit))


def _energy_plot(history: RunHistory) -> str:
    known = {frame: item.energy for frame, item in history.simulated.items() if item.energy}
    if not known:
        return ""
    kinetic = [energy["kinetic"] for energy in known.values()]
    potential = [energy["potential"] for energy in known.values()]
    series = [
        Series("kinetic", kinetic, 1),
        Series("potential", potential, 3),
        Series("together", [a + b for a, b in zip(kinetic, potential, strict=True)], 2),
    ]
    unit = "J" if history.scene.dimension == 3 else "J/m"
    return _figure("Energy", series, line_chart(list(known), series, unit))


def _steps_plot(history: RunHistory) -> str:
    if not history.log:
        return ""
    series = [Series("steps", [frame.steps for frame in history.log.values()], 1)]
    return _figure("Sub-steps per frame", series, line_chart(list(history.log), series, "steps", least_span=2))


def _iterations_plot(history: RunHistory) -> str:
    if not history.log:
        return ""
    most = [max(frame.iterations) for frame in history.log.values()]
    mean = [round(fmean(frame.iterations), 2) for frame in history.log.values()]
    series = [Series("most of a step", most, 2), Series("mean of the steps", mean, 1)]
    return _figure("Pressure iterations", series, line_chart(list(history.log), series, "", least_span=4))


def _stages_plot(history: RunHistory) -> str:
    """Kuo's three phases."""
    seconds = {stage.title: history.seconds(stage) for stage in frame_stages()}
    seconds = {name: times for name, times in seconds.items() if times}
    if not seconds:
        return ""
    frames = sorted({frame for times in seconds.values() for frame in times})
    series = [
        Series(name, [times.get(frame) for frame in frames], color)
        for color, (name, times) in enumerate(seconds.items(), start=1)
    ]
    return _stacked_figure("Time per stage", frames, series)


def _parts_plot(history: RunHistory) -> str:
    """What the simulation spends its time on, the largest parts by name."""
    totals: dict[str, float] = {}
    for frame in history.log.values():
        for name, seconds in frame.seconds.items():
            totals[name] = totals.get(name, 0.0) + seconds
    if not totals:
        return ""
    largest = sorted(totals, key=lambda name: totals[name], reverse=True)[:_MOST_PARTS]
    rest = [name for name in totals if name not in largest]
    series = [
        Series(_in_words(name), [frame.seconds.get(name, 0.0) for frame in history.log.values()], color)
        for color, name in enumerate(largest, start=1)
    ]
    if rest:
        others = [sum(frame.seconds.get(name, 0.0) for name in rest) for frame in history.log.values()]
        series.append(Series("all else", others, _OTHER))
    return _stacked_figure("Time within the simulation", list(history.log), series)


def _stacked_figure(title: str, frames: Sequence[int], series: Sequence[Series]) -> str:
    """Seconds on top of each other; says which frames are cut off at the top."""
    sums = [sum(one.values[n] or 0.0 for one in series) for n in range(len(frames))]
    top = ceiling(sums)
    cut = [f"frame {frame} ({clock(seconds)})" for frame, seconds in zip(frames, sums, strict=True) if seconds > top]
    more = f" and {len(cut) - 3} more" if len(cut) > 3 else ""
    note = f"Cut off at the top: {', '.join(cut[:3])}{more}." if cut else ""
    return _figure(title, series, stacked_chart(frames, series, "s"), note)


def _in_words(name: str) -> str:
    """The name of a stage of the solver, for people.

    >>> _in_words("PressureSolver.project"), _in_words("fill_fraction")
    ('pressure solver: project', 'fill fraction')
    """
    spaced = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
    return spaced.replace(".", ": ").replace("_", " ").strip()


# Kuo's table


def _times(history: RunHistory) -> str:
    """Time of each frame by stage, with sums and means.

    Reference: Kuo, section 7, tables 1 to 3: frame, simulation, surface construction, rendering.
    """
    shown = [stage for stage in frame_stages() if stage.wanted(history.scene)]
    columns = [history.seconds(stage) for stage in shown]
    frames = sorted({frame for column in columns for frame in column})
    if not frames:
        return '<p class="note">Nothing is simulated yet.</p>'
    head = _row("th", ["frame", *(stage.title for stage in shown), "together"])
    body = (_row("td", [f"{frame}", *_cells([column.get(frame) for column in columns])], head=True) for frame in frames)
    sums = [sum(column.values()) if column else None for column in columns]
    means = [fmean(column.values()) if column else None for column in columns]
    foot = _row("td", ["sum", *_cells(sums)], head=True) + _row("td", ["mean", *_cells(means)], head=True)
    return (
        f'<div class="card scroll" tabindex="0"><table><thead>{head}</thead><tbody>{"".join(body)}</tbody>'
        f"<tfoot>{foot}</tfoot></table></div>"
        f'<p class="note">In seconds, as measured when each file was made. {_compiling(history)}</p>'
    )


def _compiling(history: RunHistory) -> str:
    seconds = history.compiling()
    if not seconds:
        return "No kernel had to be compiled."
    return f"Compiling: {clock(seconds)}, once for this version of plash; it is not in the table."


def _cells(seconds: Iterable[float | None]) -> list[str]:
    """Times of a row, and their sum."""
    values = list(seconds)
    together = sum(value for value in values if value is not None)
    return [*("–" if value is None else f"{value:.3f}" for value in values), f"{together:.3f}"]


def _row(tag: str, cells: Sequence[str], head: bool = False) -> str:
    first = f'<th scope="row">{escape(cells[0])}</th>' if head else f"<{tag}>{escape(cells[0])}</{tag}>"
    return f"<tr>{first}{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells[1:])}</tr>\n"


# What made it


def _facts(history: RunHistory) -> str:
    manifest = history.manifest
    sizes = ", ".join(
        f"{name} {sum(item.bytes for item in record.items.values()) / 1e6:,.1f} MB"
        for name, record in manifest.stages.items()
        if record.items and name != REPORT.name
    )
    rows = {
        "Versions": ", ".join(f"{name} {version}" for name, version in manifest.versions.items()),
        "Seed": readable(manifest.seed) if manifest.seed < 10**5 else str(manifest.seed),
        "Simulation": manifest.physics,
        "Files": sizes,
        "Page written on": history.machine,
        "Units": manifest.units,
    }
    edited = edited_surfaces(manifest)
    if edited:
        rows["Surfaces edited by hand"] = ", ".join(f"frame {frame} ({name})" for frame, name in edited.items())
    entries = (f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows.items())
    return f'<dl class="facts card">{"".join(entries)}</dl>'
