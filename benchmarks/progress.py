"""A line now and then, so that nobody wonders whether anything happens."""

from __future__ import annotations

import sys
import time

_START = time.perf_counter()


def progress(message: str) -> None:
    """Say on standard error what is being done, and since when the run has been going."""
    print(f"[{time.perf_counter() - _START:7.1f} s] {message}", file=sys.stderr, flush=True)
