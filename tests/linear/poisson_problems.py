"""Poisson problems for the tests of this room, described by dense arrays.

A problem starts as a dense array of labels [z, y, x]: liquid cells are the unknowns, air is a given value of zero,
solid lets nothing through, and so does everything outside the array. Faces have a conductance. Everything that a test
compares with is computed here from the dense arrays by slicing, never through tiles.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from plash.grid.tiles import TILE_SHAPES, Tiles
from plash.linear import pcg
from plash.linear.operators import PoissonOperator

LIQUID, AIR, SOLID = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Problem:
    """A x = b on dense arrays and on tiles.

    Attributes:
        labels: What each cell is, [z, y, x].
        conductance: Of the minimal faces, [axis, z, y, x] with axes in order x, y[, z]; zero beside solids.
        origin: Cell coordinates (x, y, z) of the array's first cell: any integers.
        margin: Rows of tiles without unknowns to keep around it; -1 keeps only tiles with unknowns.
        unit: Leave the operator's weights away: between unknowns all conductances are one.
    """

    labels: np.ndarray
    conductance: np.ndarray
    origin: tuple[int, int, int] = (0, 0, 0)
    margin: int = -1
    unit: bool = True

    @property
    def dimension(self):
        return len(self.conductance)

    @cached_property
    def unknown(self):
        """Liquid cells with an open face."""
        return (self.labels == LIQUID) & (sum_of_faces(self.conductance) > 0)

    @cached_property
    def diagonal(self):
        """Sum of the conductances around each unknown, rounded to single precision once."""
        return np.where(self.unknown, sum_of_faces(self.conductance), 0).astype(np.float32)

    @cached_property
    def box(self):
        """First tile and number of tiles along (z, y, x) of the smallest box of whole tiles, with its margin."""
        shape = np.array(TILE_SHAPES[self.dimension])
        wide = np.array([max(self.margin, 0)] * 3) * (1 if self.dimension == 3 else (0, 1, 1))
        first = np.array(self.origin[::-1]) // shape - wide
        last = (np.array(self.origin[::-1]) + self.labels.shape - 1) // shape + wide
        return first, last - first + 1

    def blocks(self, dense):
        """Every tile of the box in order of coordinates, [tile, z, y, x]."""
        shape = np.array(TILE_SHAPES[self.dimension])
        first, count = self.box
        before = np.array(self.origin[::-1]) - first * shape
        after = count * shape - before - dense.shape
        padded = np.pad(dense, list(zip(before, after, strict=True)))
        split = padded.reshape([n for pair in zip(count, shape, strict=True) for n in pair])
        return split.transpose(0, 2, 4, 1, 3, 5).reshape(-1, *shape)

    @cached_property
    def kept(self):
        """Which tiles of the box exist."""
        some = self.blocks(self.unknown).any(axis=(1, 2, 3))
        return some | (self.margin >= 0)

    @cached_property
    def tiles(self):
        first, count = self.box
        z, y, x = (index.ravel() + start for index, start in zip(np.indices(count), first, strict=True))
        return Tiles.at(np.stack([x, y, z], axis=1)[self.kept], self.dimension)

    @cached_property
    def operator(self):
        weights = None if self.unit else np.stack([self.pool(w, np.float32) for w in self.conductance])
        return PoissonOperator(self.tiles, self.pool(self.diagonal, np.float32), weights)

    def pool(self, dense, dtype=np.float64):
        """Values of a dense array, tile by tile."""
        blocks = self.blocks(dense)[self.kept]
        return np.concatenate([np.zeros((1, *blocks.shape[1:])), blocks]).astype(dtype)

    def dense(self, pool):
        """A pool's values as a dense array."""
        shape = np.array(TILE_SHAPES[self.dimension])
        first, count = self.box
        blocks = np.zeros((len(self.kept), *shape), pool.dtype)
        blocks[self.kept] = pool[1:]
        whole = blocks.reshape(*count, *shape).transpose(0, 3, 1, 4, 2, 5).reshape(count * shape)
        start = np.array(self.origin[::-1]) - first * shape
        return whole[tuple(slice(a, a + n) for a, n in zip(start, self.labels.shape, strict=True))]

    @cached_property
    def matrix(self):
        """A = Gᵀ W G, where a row of G takes the difference across one face."""
        number = np.full(self.labels.shape, -1)
        number[self.unknown] = np.arange(np.count_nonzero(self.unknown))
        parts: list[tuple[Any, Any, Any]] = []
        for axis, conductance in enumerate(self.conductance):
            below, above = (
                np.moveaxis(number, 2 - axis, 0)[part].ravel() for part in (slice(None, -1), slice(1, None))
            )
            parts.append((below, above, np.moveaxis(conductance, 2 - axis, 0)[1:].ravel()))
        lower, upper, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
        faces = np.arange(len(weight))
        rows = np.concatenate([faces[lower >= 0], faces[upper >= 0]])
        columns = np.concatenate([lower[lower >= 0], upper[upper >= 0]])
        signs = np.concatenate([-np.ones(np.count_nonzero(lower >= 0)), np.ones(np.count_nonzero(upper >= 0))])
        shape = (len(faces), np.count_nonzero(self.unknown))
        difference = scipy.sparse.csr_array((signs, (rows, columns)), shape=shape)
        matrix = (difference.T @ scipy.sparse.diags_array(weight.astype(np.float64)) @ difference).tocsr()
        # What is solved has its diagonal in single precision
        matrix.setdiag(self.diagonal[self.unknown].astype(np.float64))
        return matrix

    def residual(self, x, b):
        """‖b - A x‖₂ of dense arrays in double precision."""
        r = np.where(self.unknown, b - self.diagonal.astype(np.float64) * x, 0.0)
        for axis, conductance in enumerate(self.conductance):
            w = np.moveaxis(conductance, 2 - axis, 0)[1:].astype(np.float64)
            values, result = np.moveaxis(x, 2 - axis, 0), np.moveaxis(r, 2 - axis, 0)
            result[1:] += w * values[:-1]
            result[:-1] += w * values[1:]
        return float(np.linalg.norm(r[self.unknown]))

    def noise(self, seed=1):
        """White noise in the unknowns, dense."""
        values = np.zeros(self.labels.shape)
        values[self.unknown] = np.random.default_rng(seed).standard_normal(np.count_nonzero(self.unknown))
        return values

    def smooth(self):
        """A low-frequency right-hand side, dense: what body forces leave."""
        _, y, x = unit_coordinates(self.labels.shape)
        return np.where(self.unknown, np.sin(5 * x) * np.cos(3 * y), 0.0)

    def moved(self, **changes):
        """The same problem somewhere else or with other tiles."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Problem(**(given | changes))


def sum_of_faces(conductance):
    """Sum over the faces of each cell."""
    total = np.zeros(conductance.shape[1:])
    for axis, faces in enumerate(conductance):
        result, w = np.moveaxis(total, 2 - axis, 0), np.moveaxis(faces, 2 - axis, 0)
        result += w
        result[:-1] += w[1:]
    return total


def beside(labels, label):
    """By axis and minimal face: whether either cell has the label; outside is solid."""
    found = np.zeros((3, *labels.shape), np.bool_)
    for axis in range(3):
        cells, faces = np.moveaxis(labels, 2 - axis, 0), np.moveaxis(found[axis], 2 - axis, 0)
        faces[:] = cells == label
        faces[1:] |= cells[:-1] == label
        faces[0] |= label == SOLID
    return found


def unit_problem(labels, dimension=3, **place):
    """Every face between two cells that are not solid has conductance one."""
    return Problem(labels, (~beside(labels, SOLID))[:dimension].astype(np.float32), **place)


def cut_problem(labels, near, dimension=3, seed=2, step=0.0, **place):
    """Random conductances in [0.01, 1] on faces of the cells that are `near`.

    A step makes them multiples of it: then sums of powers of two are exact in single precision.
    """
    problem = unit_problem(labels, dimension)
    w = np.random.default_rng(seed).uniform(0.01, 1.0, problem.conductance.shape)
    if step:
        w = np.ceil(w / step) * step
    conductance = np.where(near, problem.conductance * w, problem.conductance).astype(np.float32)
    return Problem(labels, conductance, unit=False, **place)


def ghost_problem(labels, dimension=3, seed=3, **place):
    """Air faces conduct 1/θ, θ from 1e-4 to 1 with every order of magnitude as likely."""
    problem = unit_problem(labels, dimension)
    theta = 10.0 ** np.random.default_rng(seed).uniform(-4.0, 0.0, problem.conductance.shape)
    conductance = np.where(beside(labels, AIR)[:dimension], problem.conductance / theta, problem.conductance)
    return Problem(labels, conductance.astype(np.float32), **place)


def unit_coordinates(shape):
    """Cell centres along (z, y, x), each side scaled to one, ready to broadcast."""
    return np.meshgrid(*((np.arange(n) + 0.5) / n for n in shape), indexing="ij", sparse=True)


def wavy_pool(shape):
    """Labels of an irregular free surface with a solid sphere in it, 44 % full; shape in order z, y, x."""
    z, y, x = unit_coordinates(shape)
    surface = 0.45 + 0.25 * np.cos(3.1 * x) + 0.06 * np.sin(9 * x + 4 * z) * np.cos(11 * z)
    surface = surface + 0.02 * np.sin(60 * x) * np.sin(50 * z)
    labels = np.where(y < surface, LIQUID, AIR).astype(np.uint8)
    labels[distance_to_sphere(shape) < 0] = SOLID
    return labels


def distance_to_sphere(shape):
    """Signed distance to the sphere of `wavy_pool`, the side of the box being one."""
    z, y, x = unit_coordinates(shape)
    return np.sqrt((x - 0.55) ** 2 + (y - 0.3) ** 2 + (z - 0.5) ** 2) - 0.16


def with_sealed_pockets(labels):
    """The same with liquid inside the sphere's shell and in three solid boxes hanging in the air and the pool."""
    sealed = labels.copy()
    sealed[distance_to_sphere(labels.shape) < -0.05] = LIQUID
    z, y, x = (np.broadcast_to(c, labels.shape) for c in unit_coordinates(labels.shape))
    for centre, half in (((0.8, 0.8, 0.3), 0.15), ((0.2, 0.2, 0.25), 0.1), ((0.15, 0.85, 0.8), 0.12)):
        away = np.maximum.reduce([abs(x - centre[0]), abs(y - centre[1]), abs(z - centre[2])])
        sealed[away < half] = SOLID
        sealed[away < half - 0.04] = LIQUID
    return sealed


def make(kind, shape, **place):
    """The wavy pool of one kind: unit, cut, cut everywhere, ghost or sealed; two numbers (y, x) make it 2-D."""
    dimension = len(shape)
    shape = (1,) * (3 - dimension) + tuple(shape)
    labels = wavy_pool(shape)
    if kind == "unit":
        return unit_problem(labels, dimension, **place)
    if kind == "cut":
        return cut_problem(labels, abs(distance_to_sphere(shape)) < 3 / shape[1], dimension, **place)
    if kind == "cut everywhere":
        return cut_problem(labels, np.ones(shape, np.bool_), dimension, **place)
    if kind == "dyadic":
        return cut_problem(labels, abs(distance_to_sphere(shape)) < 0.2, dimension, step=2.0**-10, **place)
    if kind == "ghost":
        return ghost_problem(labels, dimension, **place)
    if kind == "sealed":
        return unit_problem(with_sealed_pockets(labels), dimension, **place)
    if kind == "sealed cut":
        sealed = with_sealed_pockets(labels)
        return cut_problem(sealed, abs(distance_to_sphere(shape)) < 0.2, dimension, **place)
    raise ValueError(kind)


def target(operator, b, tolerance, floor=0.0):
    """Residual at which a solve is done: a share of the right-hand side, or what is as good as zero."""
    return max(tolerance * pcg.norm(operator, b), floor)
