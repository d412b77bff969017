"""A process that tries cases: numbers come in by line, and what came of each goes out as a line of JSON.

It may crash or hang: whoever started it sees that, and starts another. While a kernel is compiled it says so, as that
takes its time and is no hang.
"""

import json
import os
import resource
import shutil
import sys
import time
import traceback
import warnings
from pathlib import Path

from plash.pipeline.compiling import watched_compilation

from .cases import attempt

MOST_MEMORY = 12 * 2**30  # bytes that a case may ask for


def main() -> None:
    seed, folder = int(sys.argv[1]), Path(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever prints does not disturb the answers

    def answer(**data: object) -> None:
        answers.write(json.dumps(data) + "\n")

    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("error")
    with watched_compilation(lambda kernels, seconds, is_busy: answer(event="compiling")):
        answer(event="ready")
        for line in sys.stdin:
            answer(event="done", **_attempted(seed, int(line), folder))


def _attempted(seed: int, number: int, folder: Path) -> dict[str, object]:
    """What came of a case, and if it failed why."""
    place = folder / f"case {number}"
    place.mkdir(parents=True)
    start = time.monotonic()
    try:
        outcome, failure = attempt(seed, number, place), ""
    except Exception:  # noqa: BLE001
        outcome, failure = "failed", traceback.format_exc()
    shutil.rmtree(place, ignore_errors=True)
    return {"outcome": outcome, "failure": failure, "seconds": time.monotonic() - start}


if __name__ == "__main__":
    main()
