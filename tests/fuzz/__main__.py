"""Throw nonsense at plash: `python -m tests.fuzz --cases 10000 --seed 3 --jobs 2 --kills 100`.

Prints a table of what came of it, and every failure with the command that does it again; ends with 1 if there was one.
docs/reliability.md says what is tried.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from .campaign import LIMIT, Failure, Tally, campaign
from .cases import PARTS, numbers
from .kills import Killed
from .kills import campaign as campaign_of_kills


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=500, help="how many  [500]")
    parser.add_argument("--seed", type=int, default=1, help="start of all random numbers  [1]")
    parser.add_argument("--first", type=int, default=1, help="number of the first case, to go on from  [1]")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each  [1]")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds after which a case hangs  [{LIMIT:g}]")
    parser.add_argument("--kills", type=int, default=0, help="how often to kill runs, after the cases  [0]")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))  # so that no process is left behind

    chosen = numbers(asked.first, asked.cases, asked.only)
    tally = campaign(asked.seed, chosen, jobs=asked.jobs, limit=asked.limit, told=_Progress(asked.seed, asked.cases))
    if asked.kills:
        _kill(asked.seed, asked.kills, tally)
    print(f"\nseed {asked.seed}\n{tally.table()}")
    return 1 if tally.failures else 0


def _kill(seed: int, kills: int, tally: Tally) -> None:
    """Kill runs, and add what came of it to the tally; a case is a kill."""

    def told(killed: Killed) -> None:
        print(f"{killed.kind}: {killed.kills} kills in {killed.seconds:.0f} s. {killed.failure}", flush=True)
        for number in range(killed.kills):
            is_last = number == killed.kills - 1
            failure = Failure(0, "kills", killed.failure) if killed.failure and is_last else None
            tally.count("kills", killed.kind, killed.seconds / killed.kills, failure)

    with tempfile.TemporaryDirectory(prefix="plash-kills-") as place:
        campaign_of_kills(seed, kills, Path(place), told)


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
