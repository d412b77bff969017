"""How much of space solids leave open, sampled more finely than cells: what a kernel that a solid cuts off has to know.

A cell has n samples along each side, n = 8 in 2-D and 4 in 3-D. With ψ the solid's distance in cells, linear between
the centres of half cells, and g its gradient, a sample is open to

    o = clamp(1/2 + n ψ/max|g_i|, 0, 1)

and wholly open or closed where its half cell is. What is open of a cut sample lies about (1 - o)/2 samples further out
than its middle: so o (1 - o)/2 |g_i|/|g| of it is given to the next sample out along each axis, and sums with linear
weights are right to second order. (In the thin tip of a pool on a beach they were wrong by a tenth.) The open share of
the hat kernel W round a cell centre is S = Σ o W over its samples, with sides of the domain as mirrors. Samples are
kept for tiles near bodies only, a byte each: everywhere else all is open.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import Kernel, chunk_count, for_tile_shape, inlined, kernel
from plash.grid.loops import chunk_range
from plash.grid.tiles import Shape, Tiles, dimension_of

SAMPLES = {2: 8, 3: 4}  # along each side of a cell
WHOLE = 180  # a sample that is all open; one beside cut ones may have three eighths more

Limits = tuple[NDArray[np.int32], NDArray[np.int32]]  # cells of the domain and kinds of its sides, by axis: low, high


@dataclass(eq=False)
class Openness:
    """What bodies leave open.

    Attributes:
        rows: By slot of a tile, its row in `samples`; 0 where no body is near.
        samples: Openness of samples, of WHOLE [row, z, y, x]; row 0 is all open.
        hat_share: Open share S of the hat kernel round each cell centre [slot, z, y, x], in solids too.
    """

    rows: NDArray[np.int32]
    samples: NDArray[np.uint8]
    hat_share: NDArray[np.float32]

    @staticmethod
    def nothing(tiles: Tiles) -> Openness:
        """Tiles without any body."""
        n = SAMPLES[tiles.dimension]
        sizes = tuple(n * size if size > 1 else 1 for size in tiles.shape)
        hat_share = np.ones((tiles.count + 1, *tiles.shape), np.float32)
        return Openness(np.zeros(tiles.count + 1, np.int32), np.full((1, *sizes), WHOLE, np.uint8), hat_share)

    def taken(self, old: NDArray[np.int32]) -> Openness:
        """The same on other tiles: their slots here, 0 for new ones, which are all open."""
        rows = self.rows[old]
        kept = np.flatnonzero(rows)
        samples = self.samples
        if len(kept) < len(samples) - 1:
            samples = np.concatenate([samples[:1], samples[rows[kept]]])
            rows[kept] = np.arange(1, len(kept) + 1)
        return Openness(rows, samples, self.hat_share[old])

    def forget(self, slots: NDArray[np.int32]) -> None:
        """Leave some tiles all open."""
        self.rows[slots], self.hat_share[slots] = 0, 1.0
        kept = np.flatnonzero(self.rows)
        self.samples = np.concatenate([self.samples[:1], self.samples[self.rows[kept]]])
        self.rows[kept] = np.arange(1, len(kept) + 1)

    def sample(self, tiles: Tiles, slots: NDArray[np.int32], halves: NDArray[np.float64], limits: Limits) -> None:
        """Find the openness of some more tiles.

        Args:
            tiles: All tiles.
            slots: Those to add.
            halves: Distance in cells at the centres of half cells of those and of one more cell round them.
            limits: The domain.
        """
        samples = np.empty((len(slots), *self.samples.shape[1:]), np.uint8)
        hat_share = np.empty((len(slots), *tiles.shape), np.float32)
        _sample(tiles.shape)(halves, tiles.origins[slots], *limits, samples, hat_share, chunk_count())
        self.hat_share[slots] = hat_share
        self._add(slots, samples)

    def _add(self, slots: NDArray[np.integer], samples: NDArray[np.uint8]) -> None:
        self.rows[slots] = len(self.samples) + np.arange(len(slots))
        self.samples = np.concatenate([self.samples, samples])


@inlined
def mirrored(place, low, high, kinds):
    """A place along an axis, or its mirror image if it is beyond a closed side (the first place inside, one past)."""
    if kinds[0] == 1 and place < low:
        return 2 * low - 1 - place
    if kinds[1] == 1 and place >= high:
        return 2 * high - 1 - place
    return place


@inlined
def _between(first, halves, k, N):
    """Half cell before a sample, and the sample's share of the way from its centre to the next one's."""
    place = first + (2 * k + 1) / N - 0.5
    before = min(max(int(np.floor(place)), 0), halves - 2)
    return before, place - before


@inlined
def _slopes(halves, z, y, x, gradient, dimension):
    """Find the gradient at a half cell; returns the sum of the smaller steps to its two neighbours along each axis."""
    here = halves[z, y, x]
    total = 0.0
    for axis in range(dimension):
        a, b, c = 1 if axis == 2 else 0, 1 if axis == 1 else 0, 1 if axis == 0 else 0
        before, behind = here - halves[z - a, y - b, x - c], halves[z + a, y + b, x + c] - here
        gradient[axis] = before + behind
        total += min(abs(before), abs(behind))
    return total


@inlined
def _give(around, given, z, y, x, gradient, dimension):
    """Give parts of a sample to the next ones out, along each axis by how steep the distance is there."""
    length = np.sqrt(gradient[0] ** 2 + gradient[1] ** 2 + gradient[2] ** 2)
    for axis in range(dimension):
        part = given * abs(gradient[axis]) / length
        step = 1 if gradient[axis] > 0 else -1
        a, b, c = z + (step if axis == 2 else 0), y + (step if axis == 1 else 0), x + (step if axis == 0 else 0)
        around[z, y, x] -= part
        if 0 <= a < around.shape[0] and 0 <= b < around.shape[1] and 0 <= c < around.shape[2]:
            around[a, b, c] += part


@for_tile_shape
def _sample(shape: Shape) -> Kernel:
    BZ, BY, BX = shape
    DIM = dimension_of(shape)
    N = SAMPLES[DIM]
    HALO = N // 2
    # A tile and half a cell round it; and one more sample, whose part may be given to the next
    PZ, PY, PX = (N * BZ + 2 * HALO if DIM == 3 else 1), N * BY + 2 * HALO, N * BX + 2 * HALO
    DEEP = 1 if DIM == 3 else 0

    @kernel
    def run(halves, origins, limits, kinds, samples, hat_share, chunks):
        n = len(origins)
        for c in prange(chunks):
            around = np.empty((PZ + 2 * DEEP, PY + 2, PX + 2), np.float64)
            block = np.empty((PZ, PY, PX), np.float32)
            line = np.empty(2 * BX + 4, np.float64)
            gradient = np.zeros(3)
            along_x = np.empty((PZ, PY, BX), np.float32)
            along_y = np.empty((PZ, BY, BX), np.float32)
            image = np.zeros((3, max(PZ, PY, PX)), np.int64)
            taps = np.empty(2 * N, np.float32)
            for k in range(2 * N):
                taps[k] = (1 - abs(k + 0.5 - N) / N) / N
            for i in chunk_range(c, chunks, n):
                for axis in range(3):
                    size = PX if axis == 0 else (PY if axis == 1 else PZ)
                    first = origins[i, axis] * N - HALO
                    for k in range(size):
                        place = mirrored(first + k, limits[axis, 0] * N, limits[axis, 1] * N, kinds[axis]) - first
                        image[axis, k] = min(max(place, 0), size - 1)
                # Distances at samples, and how open these are
                around[:] = 0.0
                for z in range(-DEEP, PZ + DEEP):
                    kz, tz = _between(1.0, halves.shape[1], z, N) if DIM == 3 else (0, 0.0)
                    hz = min(max(1 + (2 * z + 1) // N, 1), halves.shape[1] - 2) if DIM == 3 else 0
                    for y in range(-1, PY + 1):
                        ky, ty = _between(1.0, halves.shape[2], y, N)
                        hy = min(max(1 + (2 * y + 1) // N, 1), halves.shape[2] - 2)
                        for x in range(len(line)):
                            value = (1 - ty) * halves[i, kz, ky, x] + ty * halves[i, kz, ky + 1, x]
                            if DIM == 3:
                                behind = (1 - ty) * halves[i, kz + 1, ky, x] + ty * halves[i, kz + 1, ky + 1, x]
                                value += tz * (behind - value)
                            line[x] = value
                        for x in range(-1, PX + 1):
                            kx, tx = _between(1.0, len(line), x, N)
                            hx = min(max(1 + (2 * x + 1) // N, 1), len(line) - 2)
                            distance = line[kx] + tx * (line[kx + 1] - line[kx])
                            own = halves[i, hz, hy, hx]
                            if abs(distance) >= 1.0 and abs(own) >= 1.0:
                                around[z + DEEP, y + 1, x + 1] += 1.0 if own > 0 else 0.0
                                continue
                            steps = _slopes(halves[i], hz, hy, hx, gradient, DIM)
                            largest = max(abs(gradient[0]), abs(gradient[1]), abs(gradient[2]), 0.5)
                            share = min(max(0.5 + N * distance / largest, 0.0), 1.0)
                            # A half cell that is all open or all closed has such samples: exact for aligned boxes
                            if abs(own) >= max(0.25, 0.5 * steps) - 1e-9:
                                share = 1.0 if own > 0 else 0.0
                            given = 0.5 * share * (1 - share)
                            around[z + DEEP, y + 1, x + 1] += share
                            if given > 1e-9:
                                _give(around, given, z + DEEP, y + 1, x + 1, gradient, DIM)
                for z in range(PZ):
                    for y in range(PY):
                        for x in range(PX):
                            block[z, y, x] = np.float32(np.floor(WHOLE * around[z + DEEP, y + 1, x + 1] + 0.5))
                for z in range(samples.shape[1]):
                    for y in range(samples.shape[2]):
                        for x in range(samples.shape[3]):
                            samples[i, z, y, x] = np.uint8(block[z + HALO if DIM == 3 else 0, y + HALO, x + HALO])
                # The hat along each axis in turn
                for z in range(PZ):
                    for y in range(PY):
                        for x in range(BX):
                            total = np.float32(0)
                            for k in range(2 * N):
                                total += taps[k] * block[z, y, image[0, x * N + k]]
                            along_x[z, y, x] = total / np.float32(WHOLE)
                for z in range(PZ):
                    for y in range(BY):
                        for x in range(BX):
                            total = np.float32(0)
                            for k in range(2 * N):
                                total += taps[k] * along_x[z, image[1, y * N + k], x]
                            along_y[z, y, x] = total
                for z in range(BZ):
                    for y in range(BY):
                        for x in range(BX):
                            total = along_y[0, y, x]
                            if DIM == 3:
                                total = np.float32(0)
                                for k in range(2 * N):
                                    total += taps[k] * along_y[image[2, z * N + k], y, x]
                            hat_share[i, z, y, x] = total

    return run
