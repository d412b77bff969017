"""The process that compiles kernels for another: python -m plash.pipeline.warm.worker.

Each line of its standard input is a list of kernel calls as JSON. It is answered by a line when they are compiled: a
list of what went wrong. The process ends when its standard input does, whatever became of the other one.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from numba.core.errors import NumbaError

from plash.pipeline.warm.kernel_list import call_from


def main() -> None:
    """Compile what is asked for until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    for line in sys.stdin:
        faults = []
        for entry in json.loads(line):
            call = call_from(entry)
            try:
                call.compile()
            except (ImportError, AttributeError, TypeError, NumbaError) as error:
                faults.append(f"{call.kernel.module}.{call.kernel.name}: {error}")
        try:
            os.write(sys.stdout.fileno(), f"{json.dumps(faults)}\n".encode())
        except BrokenPipeError:
            return  # who asked was killed


if __name__ == "__main__":
    main()
