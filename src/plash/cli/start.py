"""The first and the last moments of the program: both are short, and a signal ends it with a word, not a traceback.

Nothing that is imported here takes time. A run has its own way to stop (`plash.pipeline.stop`) while it works.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from types import FrameType

STOPPED = 130


def main() -> None:
    """Run the program; Ctrl-C or SIGTERM ends it at once, since every file on disk is whole or not there."""
    code = 1

    def leave() -> None:
        """End without taking apart modules and machine code one by one, which takes a third of a second."""
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:  # Python itself tells of it
            return
        os._exit(code)

    atexit.register(leave)  # the first to be registered is the last to be called
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    from plash.cli.main import main as run_program

    try:
        code = run_program()
    except SystemExit as ending:  # click's answer to a shell that completes, or whose pipe is gone
        code = int(ending.code or 0)
    sys.exit(code)


def leave_signals_alone() -> None:
    """Let signals do what they do in any other program."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    # Not through the streams: the signal may have come in the middle of writing to one
    if "--json" in sys.argv:
        os.write(1, b'{"event": "error", "message": "stopped", "exit_code": %d}\n' % STOPPED)
    os.write(2, b"plash: stopped\n")
    os._exit(STOPPED)
