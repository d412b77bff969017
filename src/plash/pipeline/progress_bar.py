"""A bar that fills while a run works: in a terminal, and in a notebook."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Mapping

from plash.pipeline.progress import Progress, Silent
from plash.pipeline.progress_state import ProgressState, compiling_text
from plash.solvers.ledger import Ledger
from plash.timing import StepReport

_SECONDS_BETWEEN = 0.1
_WIDTH = 30  # characters


def watcher(progress: Progress | bool | None) -> Progress:
    """Who is told how a run gets on: a bar if that is asked for, or if nothing is and somebody watches."""
    if isinstance(progress, bool) or progress is None:
        is_notebook = _is_notebook()
        wanted = is_notebook or sys.stderr.isatty() if progress is None else progress
        return Bar(_in_notebook() if is_notebook else _in_terminal) if wanted else Silent()
    return progress


class Bar:
    """A bar with a line of text, brought up to date as often as people can read it.

    Args:
        show: Is given how much is done (0 to 1), and the text.
    """

    def __init__(self, show: Callable[[float, str], None]) -> None:
        self.state = ProgressState()
        self._show, self._last, self._shown = show, 0.0, ""

    def begin(self, frames: int, to_do: Mapping[str, int]) -> None:
        """Note the plan."""
        self.state.begin(frames, to_do)

    def step(self, report: StepReport, ledger: Ledger) -> None:
        """Note the step."""
        self.state.step(report, ledger)
        self._refresh()

    def made(self, stage: str, frame: int, seconds: float) -> None:
        """Note the file."""
        self.state.make(stage, frame, seconds)
        self._refresh(is_due=not any(self.state.to_do.values()))

    def compiling(self, kernels: int, seconds: float, is_busy: bool, total: int = 0) -> None:
        """Say it for as long as it takes."""
        self.state.compiling = compiling_text(kernels, seconds, total) if is_busy else ""
        self._refresh()

    def note(self, text: str) -> None:
        """Say it above the bar."""
        print(f"\r{' ' * len(self._shown)}\rnote: {text}", file=sys.stderr)

    def end(self) -> None:
        """Leave the bar as it is."""
        if self._shown:
            self._refresh(is_due=True)
            self._show(self._share, "")

    @property
    def _share(self) -> float:
        """How much is done; nothing before the plan is known."""
        return self.state.share_done if self.state.frames else 0.0

    def _refresh(self, is_due: bool = False) -> None:
        if is_due or time.monotonic() - self._last >= _SECONDS_BETWEEN:
            self._last = time.monotonic()
            self._shown = str(self.state) if self.state.frames else self.state.compiling
            self._show(self._share, self._shown)


def bar_text(share: float, text: str, columns: int) -> str:
    """A bar and what fits of a text into a line.

    >>> bar_text(0.5, "frame 12/24  50 % simulate", 60)
    '███████████████░░░░░░░░░░░░░░░ frame 12/24  50 % simulate'
    """
    full = round(share * _WIDTH)
    return f"{'█' * full}{'░' * (_WIDTH - full)} {text}"[: columns - 1]


def _in_terminal(share: float, text: str) -> None:
    """Write the bar over the line it stands in; without a text, end the line."""
    from rich.console import Console

    if not text:
        print(file=sys.stderr)
        return
    columns = Console(stderr=True).width
    print(f"\r{bar_text(share, text, columns):{columns - 1}}", end="", file=sys.stderr, flush=True)


def _is_notebook() -> bool:
    """Whether a kernel of Jupyter runs this."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _in_notebook() -> Callable[[float, str], None]:
    """Shows the bar in the output of the cell."""
    from IPython.display import HTML, display

    handle = display(HTML(""), display_id=True)

    def show(share: float, text: str) -> None:
        if text and handle is not None:
            bar = f'<progress style="width:20em" max="1" value="{share:.4f}"></progress>'
            handle.update(HTML(f"{bar} <code>{html.escape(text)}</code>"))

    return show
