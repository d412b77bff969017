"""Z17 and the order of the backward trace."""

import numpy as np
import pytest

from plash.grid.cells import WET
from plash.physics.advection import trace_back

VELOCITIES = [(0.9, -0.4, 0.3), (-1.7, 0.8, -0.2), (0.0, -2.3, 1.1)]


def multilinear(*x):
    u = 0.4
    for a, p in enumerate(x):
        u = u + (0.7 - 0.5 * a) * p
    return u


@pytest.mark.parametrize("velocity", VELOCITIES)
@pytest.mark.parametrize("courant", [0.3, 1.7, 4.6])
def test_a_linear_field_in_a_uniform_flow_is_carried_exactly(make_box, dimension, velocity, courant):
    """The traced component is linear across the flow, so interpolation is exact and only the trace counts."""
    margin = int(np.ceil(courant)) + 1
    along = (40, 44) if dimension == 2 else (26, 28, 24)
    inside = [(margin, n - margin) for n in along]
    box = make_box(
        dimension,
        walls=False,
        cells=along,
        liquid=lambda *i: np.all([(c >= a) & (c < b) for c, (a, b) in zip(i, inside, strict=True)], axis=0),
    )
    u = np.array(velocity[:dimension])
    # The axis that carries the linear profile must not change the flow along its own gradient
    across = int(np.argmin(np.abs(u)))
    slope = 0.03

    def flow(axis, *x):
        others = [x[a] for a in range(dimension) if a != across]
        return u[axis] + (slope * others[0] if axis == across else 0.0)

    field = box.faces(flow)
    dt = courant * box.h / np.abs(u).max()
    result, unknown = trace_back(field, box.cells, dt, box.h)
    assert unknown == 0
    other = next(a for a in range(dimension) if a != across)
    expected = box.faces(lambda axis, *x: flow(axis, *x) - (slope * u[other] * dt if axis == across else 0.0))
    for axis in range(dimension):
        difference = box.dense(result.pool[axis]) - box.dense(expected.pool[axis])
        assert np.nanmax(np.abs(difference)) < 2e-5
        assert np.count_nonzero(~np.isnan(difference)) > 500


def test_only_wet_faces_get_a_velocity(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: i[1] < 9)
    field = box.faces(lambda axis, *x: np.full(x[0].shape, 0.5))
    result, _ = trace_back(field, box.cells, 0.1, box.h)
    assert (~np.isnan(result.pool) == ((box.cells.faces & WET) > 0)).all()


def test_no_time_changes_nothing(make_box, dimension):
    box = make_box(dimension, walls=False)
    field = box.faces(lambda axis, *x: np.sin(2 * x[0]) * np.cos(x[1] + axis))
    result, _ = trace_back(field, box.cells, 0.0, box.h)
    inner = (slice(1, -1),) * dimension
    for axis in range(dimension):
        assert np.allclose(box.dense(result.pool[axis])[inner], box.dense(field.pool[axis])[inner], atol=1e-6)


def test_the_trace_finds_where_a_straight_move_came_from(make_box):
    """X + dt u(X) = x. In a turn that is known; the error of one step falls with dt³, of a fixed time with dt²."""
    box = make_box(2, walls=False, cells=(48, 48), liquid=lambda i, j: (i > 14) & (i < 33) & (j > 14) & (j < 33))
    centre = 24 * box.h
    errors = []
    for dt in (0.4, 0.2, 0.1):
        field = box.faces(lambda axis, *x: -(x[1] - centre) if axis == 0 else x[0] - centre)
        result, unknown = trace_back(field, box.cells, dt, box.h)
        assert unknown == 0
        came_from = np.linalg.inv(np.eye(2) + dt * np.array([[0, -1], [1, 0]]))
        turned = box.faces(
            lambda axis, *x, back=came_from: (
                -(back[1, 0] * (x[0] - centre) + back[1, 1] * (x[1] - centre))
                if axis == 0
                else back[0, 0] * (x[0] - centre) + back[0, 1] * (x[1] - centre)
            )
        )
        inner = (slice(16, 32),) * 2
        errors.append(np.abs(box.dense(result.pool[0]) - box.dense(turned.pool[0]))[inner].max())
    assert errors[0] / errors[1] > 6
    assert errors[1] / errors[2] > 6
