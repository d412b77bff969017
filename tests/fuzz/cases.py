"""Cases: each is a number and a seed, and these alone decide what it is.

Of every twenty numbers so many belong to each part. A part has a function `attempt(chance, place)`: it makes something
odd out of random numbers, tries it in an empty folder, and returns in a word what came of it. What must not happen
raises an error: a `BrokenPromiseError` where plash did something it promises not to, or whatever plash raised.
"""

import importlib
import random
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

_SHARES = {"scenes": 9, "simulated": 4, "folders": 3, "studio": 4}
_ORDER = [part for part, share in _SHARES.items() for _ in range(share)]
random.Random(0).shuffle(_ORDER)

PARTS = tuple(_SHARES)


class BrokenPromiseError(Exception):
    """Something that plash promises never to do."""


def part_of(number: int) -> str:
    """The part that a case belongs to."""
    return _ORDER[number % len(_ORDER)]


def numbers(first: int, cases: int, parts: Sequence[str] = PARTS) -> Iterator[int]:
    """So many numbers of cases of some parts, from a number on."""
    return islice((number for number in count(first) if part_of(number) in parts), cases)


def attempt(seed: int, number: int, place: Path) -> str:
    """Try a case in an empty folder; returns in a word what came of it."""
    part = importlib.import_module(f"{__package__}.{part_of(number)}")
    outcome: str = part.attempt(random.Random(f"{seed} {number}"), place)
    return outcome


def promise(holds: object, text: str) -> None:
    """Raise an error unless something holds."""
    if not holds:
        raise BrokenPromiseError(text)
