"""What a solver needs of the files it is stored in: arrays that are checked when they are taken, and numbers.

Where they come from is the business of `plash.files`; what must be in them, of each solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray
from pydantic import ConfigDict, Field

from plash.carried import Limit
from plash.errors import DamagedError

ArraysByName = dict[str, NDArray[Any]]

# Of what was read from disk: types as they are written, no keys but those that are known, no numbers beyond numbers
AS_WRITTEN = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

Count = Annotated[int, Field(ge=0, lt=1 << 53)]
Seconds = Annotated[float, Field(ge=0)]


@dataclass
class StateNumbers:
    """The numbers of every state, beside its arrays."""

    __pydantic_config__ = AS_WRITTEN
    time: Seconds
    steps: Count


class StoredArrays(Protocol):
    """The arrays of a file."""

    def __contains__(self, name: str) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def damaged(self, what: str) -> DamagedError:
        """That something is wrong with the file."""

    def take(
        self,
        name: str,
        dtype: DTypeLike,
        shape: tuple[int | None, ...],
        low: Limit = -np.inf,
        high: Limit = np.inf,
        unknown: Callable[[NDArray[Any]], NDArray[np.bool_]] | None = None,
    ) -> NDArray[Any]:
        """An array that has a type, a shape and limits; anything else is damage."""
