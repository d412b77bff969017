import itertools
from typing import Any

import numpy as np

from plash.mesh.cases import cube_faces, square_edges, square_faces


def triangles(case):
    rules = cube_faces()
    return [tuple(map(tuple, rules.features[row])) for row in rules.rows[case, : rules.lengths[case]]]


def test_every_cut_edge_is_used_and_no_other():
    for case in range(256):
        inside = [bool(case >> c & 1) for c in range(8)]
        cut = set()
        for c, axis in itertools.product(range(8), range(3)):
            if not c >> axis & 1 and inside[c] != inside[c | 1 << axis]:
                cut.add((c & 1, c >> 1 & 1, c >> 2, axis))
        assert {feature for triangle in triangles(case) for feature in triangle} == cut


def test_no_side_of_a_triangle_runs_through_a_face_but_its_cut():
    """Inside the cube every side has two triangles; those in its faces are the cuts, and belong to one."""
    for case in range(256):
        sides = [(t[k], t[(k + 1) % 3]) for t in triangles(case) for k in range(3)]
        assert len(set(sides)) == len(sides)
        for a, b in sides:
            in_face = any(axis not in (a[3], b[3]) and a[axis] == b[axis] for axis in range(3))
            assert in_face != ((b, a) in sides)


def test_neighbours_cut_their_common_face_alike():
    """The low and the high x-face have the same cuts, in opposite directions, for the same corners."""
    low: dict[tuple[int, ...], Any] = {}
    high: dict[tuple[int, ...], Any] = {}
    for case in range(256):
        for found, x in ((low, 0), (high, 1)):
            corners = tuple(case >> c & 1 for c in range(8) if c & 1 == x)
            cuts = set()
            for t in triangles(case):
                for k in range(3):
                    a, b = t[k], t[(k + 1) % 3]
                    if a[0] == b[0] == x and 0 not in (a[3], b[3]):
                        cuts.add((a[1:], b[1:]) if x else (b[1:], a[1:]))
            assert found.setdefault(corners, cuts) == cuts
    assert low == high


def test_ambiguous_squares_separate_what_is_inside():
    assert square_edges().lengths[0b1001] == square_edges().lengths[0b0110] == 2
    assert square_faces().lengths[0b1001] == square_faces().lengths[0b0110] == 2
    assert list(square_edges().lengths[[0, 15]]) == [0, 0]
    assert list(square_faces().lengths[[0, 15]]) == [0, 2]
    assert np.array_equal(cube_faces().lengths[[0, 255]], [0, 0])
