"""What a cube or a square between lattice samples does in each case: tables made from one rule.

    corner c = x + 2y + 4z          feature (x, y, z, kind)

        6-------7                   kind 0, 1, 2: the vertex on the edge that starts
       /|      /|                   at corner (x, y, z) and runs along axis x, y, z
      4-------5 |     z
      | 2-----|-3     | y           kind 2 in a square: the corner itself
      |/      |/      |/
      0-------1       o-- x         case = sum of 2^c over the corners that are inside

Going round a face of the cube, every run of inside corners is cut off by one segment, from the edge where the run
begins to the edge where it ends. Two inside corners across a face are two runs, so what is inside is always
separated on an ambiguous face, seen from either cube: no cracks.

    o-----o        o--|--x          o outside, x inside
    |     |        |   \\_|
    --.   |        --.   |
    x  \\  |        x  \\  |
    |   | |        |   | |
    x---|-o        x---|-o

The segments of the six faces join to loops, and a loop becomes a fan of triangles. The fan starts where none of its
diagonals lies in a face of the cube: there the neighbour could have the same one. A square is one face: what is
inside of it is a polygon for each run.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Corner = tuple[int, int, int]
Feature = tuple[int, int, int, int]
Run = tuple[Feature, list[int], Feature]

_CORNERS: list[Corner] = [(c & 1, (c >> 1) & 1, c >> 2) for c in range(8)]
_SQUARE = (0, 1, 3, 2)  # counter-clockwise


class Rules(NamedTuple):
    """Rows of features by case.

    Attributes:
        features: (x, y, z, kind) of each feature.
        lengths: Number of rows in each case.
        rows: Features [case, row, corner of the row].
    """

    features: NDArray[np.int64]
    lengths: NDArray[np.int64]
    rows: NDArray[np.int64]


@cache
def cube_faces() -> Rules:
    """Triangles of a cube, counter-clockwise seen from outside (where samples are not negative)."""
    faces = _cube_sides()
    return _table([_cube_triangles(case, faces) for case in range(256)], 3)


@cache
def square_faces() -> Rules:
    """Triangles that fill the inside part of a square, counter-clockwise."""
    corners = [(*corner[:2], 0, 2) for corner in _CORNERS]
    cases = []
    for case in range(16):
        polygons = [[begin, *(corners[c] for c in run), end] for begin, run, end in _runs(case, _SQUARE)]
        if case == 15:
            polygons = [[corners[c] for c in _SQUARE]]
        cases.append([triangle for polygon in polygons for triangle in _fan(polygon)])
    return _table(cases, 3)


@cache
def square_edges() -> Rules:
    """Outline of the inside part of a square, with the inside on its left."""
    return _table([[(end, begin) for begin, _, end in _runs(case, _SQUARE)] for case in range(16)], 2)


def _cube_sides() -> list[tuple[int, ...]]:
    """Corners of the six sides of a cube, counter-clockwise seen from outside."""
    sides: list[tuple[int, ...]] = []
    for axis, high in itertools.product(range(3), range(2)):
        one, two = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
        first = high << axis
        side = (first, first + one, first + one + two, first + two)
        sides.append(side if high else side[::-1])
    return sides


def _cube_triangles(case: int, sides: list[tuple[int, ...]]) -> list[tuple[Feature, ...]]:
    following = {begin: end for side in sides for begin, _, end in _runs(case, side)}
    triangles = []
    while following:
        loop = [min(following)]
        while (after := following.pop(loop[-1])) != loop[0]:
            loop.append(after)
        triangles += _fan_inside(loop)
    return triangles


def _runs(case: int, side: tuple[int, ...]) -> list[Run]:
    """Runs of inside corners round a side: where each begins, its corners, where it ends. None if all are alike."""
    inside = [bool(case >> c & 1) for c in side]
    runs = []
    for start in range(4):
        if inside[start] and not inside[start - 1]:
            length = next(n for n in range(1, 4) if not inside[(start + n) % 4])
            run = [side[(start + n) % 4] for n in range(length)]
            runs.append((_edge(side[start - 1], run[0]), run, _edge(run[-1], side[(start + length) % 4])))
    return runs


def _edge(a: int, b: int) -> Feature:
    return (*_CORNERS[min(a, b)], (a ^ b).bit_length() - 1)


def _fan_inside(loop: list[Feature]) -> list[tuple[Feature, ...]]:
    """A fan of triangles without a diagonal in a side of the cube."""
    for turn in range(len(loop)):
        turned = loop[turn:] + loop[:turn]
        if not any(_share_side(turned[0], other) for other in turned[2:-1]):
            return _fan(turned)
    raise AssertionError("every loop has such a fan")


def _share_side(a: Feature, b: Feature) -> bool:
    return any(axis not in (a[3], b[3]) and a[axis] == b[axis] for axis in range(3))


def _fan(polygon: list[Feature]) -> list[tuple[Feature, ...]]:
    return [(polygon[0], b, c) for b, c in itertools.pairwise(polygon[1:])]


def _table(cases: list[list[tuple[Feature, ...]]], width: int) -> Rules:
    features = sorted({feature for rows in cases for row in rows for feature in row})
    lengths = np.array([len(rows) for rows in cases])
    table = np.zeros((len(cases), lengths.max(), width), np.int64)
    for case, rows in enumerate(cases):
        for number, row in enumerate(rows):
            table[case, number] = [features.index(feature) for feature in row]
    return Rules(np.array(features), lengths, table)
