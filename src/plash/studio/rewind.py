"""Moments of a simulation to go back to: the last ones, as far as a fixed amount of memory reaches."""

from __future__ import annotations

from collections import deque

MOST_BYTES = 64 * 2**20
MOST = 400
BETWEEN = 0.1  # s of the clock between two moments that are kept while a simulation runs


class Rewind:
    """The last moments, the newest last.

    >>> rewind = Rewind(most_bytes=10)
    >>> for moment in (b"first", b"second", b"3rd"):
    ...     rewind.keep(moment, 0.5)
    >>> len(rewind), rewind.back(), rewind.back(), rewind.back()
    (2, (b'3rd', 0.5), (b'second', 0.5), None)
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._moments: deque[tuple[bytes, float]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """How many moments there are to go back to."""
        return len(self._moments)

    def keep(self, moment: bytes, goal: float) -> None:
        """Add a moment and the time that it was on its way to, s; the oldest make room for it.

        One that is larger than all room is not kept.
        """
        self._moments.append((moment, goal))
        self._bytes += len(moment)
        while self._moments and (self._bytes > self._most_bytes or len(self._moments) > MOST):
            self._bytes -= len(self._moments.popleft()[0])

    def back(self) -> tuple[bytes, float] | None:
        """The last moment and its goal, which are taken away; None if there is none."""
        if not self._moments:
            return None
        last = self._moments.pop()
        self._bytes -= len(last[0])
        return last

    def forget(self) -> None:
        """Forget all moments."""
        self._moments.clear()
        self._bytes = 0
