"""Which combinations of values to try: all of them, or some at random."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_MOST = 10_000


@dataclass(frozen=True)
class Between:
    """Any number from one to another; whole ones if both are."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"{self.low}..{self.high} is no range: the first number must not be above the second")

    @property
    def whole(self) -> tuple[int, int] | None:
        """Its ends, if they are whole numbers."""
        ends = (self.low, self.high)
        return (int(self.low), int(self.high)) if all(isinstance(end, int) for end in ends) else None


Values = Sequence[Any] | Between


def designs(vary: Mapping[str, Values], samples: int | None, seed: int) -> list[dict[str, Any]]:
    """The values of every parameter in each run.

    Args:
        vary: By parameter, the values it takes.
        samples: So many random designs; all combinations if not said.
        seed: Of the random designs.

    Raises:
        ValueError: Nothing is varied, or a range has no end of values and no samples are asked for.

    >>> designs({"a": [1, 2], "b": Between(3, 4)}, None, 0)
    [{'a': 1, 'b': 3}, {'a': 1, 'b': 4}, {'a': 2, 'b': 3}, {'a': 2, 'b': 4}]
    >>> [sorted(design) for design in designs({"a": Between(0.5, 2.0)}, 2, 0)]
    [['a'], ['a']]
    """
    for key, values in vary.items():
        if not isinstance(values, Between) and len(values) == 0:
            raise ValueError(f"{key} has no values to take")
    if not vary:
        raise ValueError("nothing is varied: name a parameter and the values it takes")
    if samples is not None:
        if not 1 <= samples <= _MOST:
            raise ValueError(f"{samples} samples: there must be from 1 to {_MOST}")
        dice = random.Random(seed)
        return [{key: _drawn(values, dice) for key, values in vary.items()} for _ in range(samples)]
    listed = {key: _all_of(key, values) for key, values in vary.items()}
    count = 1
    for each in listed.values():
        count *= len(each)
    if count > _MOST:
        raise ValueError(f"{count} combinations are more than {_MOST}: ask for random ones with samples")
    return [dict(zip(listed, choice, strict=True)) for choice in itertools.product(*listed.values())]


def _all_of(key: str, values: Values) -> Sequence[Any]:
    if not isinstance(values, Between):
        return values
    if values.whole is None:
        raise ValueError(f"{key}: {values.low}..{values.high} has no end of values: list some, or ask for samples")
    first, last = values.whole
    return range(first, last + 1)


def _drawn(values: Values, dice: random.Random) -> Any:
    if not isinstance(values, Between):
        return dice.choice(list(values))
    if values.whole is not None:
        return dice.randint(*values.whole)
    return dice.uniform(values.low, values.high)
