"""Throw nonsense at plash: `python -m tests.fuzz --cases 10000 --seed 3 --jobs 2 --kills 100`.

Prints a table of what came of it, and every failure with the command that does it again; ends with 1 if there was one.
docs/reliability.md says what is tried.
"""

import argparse
import sys
import time

from .campaign import LIMIT, Tally, campaign
from .cases import PARTS, numbers


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=500, help="how many  [500]")
    parser.add_argument("--seed", type=int, default=1, help="start of all random numbers  [1]")
    parser.add_argument("--first", type=int, default=1, help="number of the first case, to go on from  [1]")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each  [1]")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds after which a case hangs  [{LIMIT:g}]")
    asked = parser.parse_args()

    chosen = numbers(asked.first, asked.cases, asked.only)
    tally = campaign(asked.seed, chosen, jobs=asked.jobs, limit=asked.limit, told=_Progress(asked.seed, asked.cases))
    print(f"\nseed {asked.seed}\n{tally.table()}")
    return 1 if tally.failures else 0


class _Progress:
    """Tells of every failure at once, and now and then how far it is."""

    def __init__(self, seed: int, cases: int) -> None:
        self._seed, self._cases = seed, cases
        self._told = 0
        self._then = time.monotonic()

    def __call__(self, number: int, tally: Tally) -> None:
        for failure in tally.failures[self._told :]:
            print(failure.told(self._seed), flush=True)
        self._told = len(tally.failures)
        if time.monotonic() - self._then > 10:
            self._then = time.monotonic()
            print(f"{tally.cases}/{self._cases} cases, {self._told} failed; now at {number}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
