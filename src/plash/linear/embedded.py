"""Poisson and Helmholtz equations on a box with cells cut out of it.

    identity x + spread (held x + Σ over neighbours of link (x - x_neighbour)) / h² = right

Conjugate gradients, preconditioned by the direct solution on the whole box: what was cut out disturbs only near
itself, and the number of iterations hardly grows with resolution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from plash.grid.compile import inlined, kernel
from plash.linear.transforms import BoxSolver

Array = NDArray[np.float64]

_MOST_ITERATIONS = 200
_ROWS = 8  # that one partial sum goes over
_HARDLY = 0.05  # spread over h² below which conjugate gradients need no help


@dataclass(frozen=True, eq=False)
class Embedded:
    """The samples of a box that take part, and how they hang together.

    Attributes:
        box: The whole box.
        is_known: Whether a sample is given (as zero), [z,] y, x: those cut out, and faces on walls.
        links: 1 where a sample and the one before it along an axis are joined, else 0: [axis, [z,] y, x], x first.
        held: How many neighbours of a sample are known to be zero and pull on it.
        across: Axis of the array that faces are across; None if samples are cells.
    """

    box: BoxSolver
    is_known: NDArray[np.bool_]
    links: Array
    held: Array
    across: int | None = None

    def poisson(self, right: Array, tolerance: float, floor: float = 0.0) -> tuple[Array, int, float]:
        """As `BoxSolver.poisson`; also the number of iterations, and the residual over the right side.

        Args:
            right: One value for each cell.
            tolerance: Residual over the right side, at which to stop.
            floor: Residual below which all is round-off.
        """
        start = np.zeros_like(right)
        # The signs are turned round, so that the matrix is positive
        return self._solved(-right, 0.0, 1.0, (tolerance, floor), start, self._roughly_solved)

    def helmholtz(self, right: Array, spread: float, tolerance: float) -> tuple[Array, int, float]:
        """As `BoxSolver.helmholtz`; also the number of iterations, and the residual over the right side."""

        def precondition(residual: Array) -> Array:
            # What hardly spreads is solved faster as it is
            hardly = spread < _HARDLY * self.box.h**2
            return residual if hardly else self.box.helmholtz(residual, spread, self.across)

        return self._solved(right, 1.0, spread, (tolerance, 0.0), right, precondition)

    def _roughly_solved(self, residual: Array) -> Array:
        """What an empty box would answer, in single numbers; a power of two keeps the smallest from vanishing."""
        scale = math.ldexp(1.0, math.frexp(float(np.abs(residual).max()))[1])
        return -self.box.poisson((residual / scale).astype(np.float32)).astype(np.float64) * scale

    def _solved(
        self,
        right: Array,
        identity: float,
        spread: float,
        tolerances: tuple[float, float],
        start: Array,
        precondition: Callable[[Array], Array],
    ) -> tuple[Array, int, float]:
        right = np.where(self.is_known, 0.0, right)
        x = np.where(self.is_known, 0.0, start)
        scale = spread / self.box.h**2
        image, direction = np.empty_like(x), np.zeros_like(x)
        self.apply(x, identity, scale, image)
        residual = right - image
        size, left = _norm(right), _norm(residual)
        enough = max(tolerances[0] * size, tolerances[1])
        before, iterations = math.inf, 0
        while left > enough and iterations < _MOST_ITERATIONS:
            shifted = precondition(residual)
            now = _product(residual, shifted)
            _turn(_rows(shifted), _rows(self.is_known), now / before, _rows(direction))
            step = now / self.apply(direction, identity, scale, image)
            left = math.sqrt(_advance(step, direction, image, x, residual))
            before = now
            iterations += 1
        return x, iterations, left / size if size > 0 else 0.0

    def apply(self, x: Array, identity: float, scale: float, image: Array) -> float:
        """Set the image to the matrix times x, scale being spread/h²; returns the product of both."""
        links, shape = self._links_in_space, self._links_in_space.shape[1:]
        products = _partial_sums(x)
        held = self.held.reshape(shape)
        _multiply(x.reshape(shape), links, held, identity, scale, image.reshape(shape), products)
        return float(products.sum())

    @cached_property
    def _links_in_space(self) -> Array:
        """Links along three axes; in 2-D there are none along z."""
        d = len(self.box.shape)
        if d == 3:
            return self.links
        space = np.zeros((3, 1, *self.box.shape))
        space[:2, 0] = self.links
        return space


def _norm(values: Array) -> float:
    return math.sqrt(_product(values, values))


def _product(a: Array, b: Array) -> float:
    products = _partial_sums(a)
    _multiply_rows(_rows(a), _rows(b), products)
    return float(products.sum())


def _advance(step: float, direction: Array, image: Array, x: Array, residual: Array) -> float:
    """Go a step on; returns the square of the residual that is left."""
    squares = _partial_sums(x)
    _go(step, _rows(direction), _rows(image), _rows(x), _rows(residual), squares)
    return float(squares.sum())


def _rows(values: NDArray[Any]) -> NDArray[Any]:
    return values.reshape(-1, values.shape[-1])


def _partial_sums(values: Array) -> Array:
    """Room for the sums of columns over some rows each, which are the same for any number of threads."""
    return np.zeros((math.ceil(len(_rows(values)) / _ROWS), values.shape[-1]))


@kernel
def _multiply(x, links, held, identity, scale, image, products):
    nz, ny, nx = x.shape
    for block in prange(len(products)):
        for row in range(block * _ROWS, min((block + 1) * _ROWS, nz * ny)):
            k, j = row // ny, row % ny
            above, front = min(k + 1, nz - 1), min(j + 1, ny - 1)
            here, out = x[k, j], image[k, j]
            _hold(here, held[k, j], out)
            _pull(here[1:], here[:-1], links[0, k, j][1:], out[1:])
            _pull(here[:-1], here[1:], links[0, k, j][1:], out[:-1])
            _pull(here, x[k, max(j - 1, 0)], links[1, k, j], out)
            _pull(here, x[k, front], links[1, k, front], out)
            _pull(here, x[max(k - 1, 0), j], links[2, k, j], out)
            _pull(here, x[above, j], links[2, above, j], out)
            for i in range(nx):
                value = identity * here[i] + scale * out[i]
                out[i] = value
                products[block, i] += here[i] * value


@inlined
def _hold(here, held, out):
    for i in range(len(here)):
        out[i] = held[i] * here[i]


@inlined
def _pull(here, there, links, out):
    for i in range(len(here)):
        out[i] += links[i] * (here[i] - there[i])


@kernel
def _multiply_rows(a, b, products):
    rows, nx = a.shape
    for block in prange(len(products)):
        for row in range(block * _ROWS, min((block + 1) * _ROWS, rows)):
            for i in range(nx):
                products[block, i] += a[row, i] * b[row, i]


@kernel
def _turn(shifted, is_known, ratio, direction):
    """The next direction, from the preconditioned residual."""
    rows, nx = shifted.shape
    for row in prange(rows):
        for i in range(nx):
            turned = shifted[row, i] + ratio * direction[row, i]
            direction[row, i] = 0.0 if is_known[row, i] else turned


@kernel
def _go(step, direction, image, x, residual, squares):
    rows, nx = x.shape
    for block in prange(len(squares)):
        for row in range(block * _ROWS, min((block + 1) * _ROWS, rows)):
            for i in range(nx):
                x[row, i] += step * direction[row, i]
                left = residual[row, i] - step * image[row, i]
                residual[row, i] = left
                squares[block, i] += left * left
