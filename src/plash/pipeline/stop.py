"""Stopping on request: Ctrl-C or SIGTERM once ends a run after the step in work, twice at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from plash.errors import StoppedError

SAME_COMMAND = "the same command"  # the way on for what is no run of its own

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass
class Stop:
    """Whether somebody asked the run to stop, and how to go on with it."""

    requested: bool = False
    way_on: str = "`plash resume`"

    def raise_if_requested(self, where: str) -> None:
        """End the run here if it was asked to stop."""
        if self.requested:
            raise StoppedError(f"stopped {where}: go on with {self.way_on}")


@contextmanager
def stop_on_signals(way_on: str) -> Iterator[Stop]:
    """Listen for the signals that end a program; outside the main thread nobody can, and nothing stops."""
    stop = Stop(way_on=way_on)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            # Every file on disk is whole at any moment: there is nothing to put in order
            os._exit(StoppedError.exit_code)
        stop.requested = True
        text = "\nstopping after this step; once more to stop at once\n"
        os.write(2, text.encode())

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
