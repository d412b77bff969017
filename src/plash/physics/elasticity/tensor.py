"""What becomes of a strain in a step: it turns with the flow, grows by its stretch, and yields.

A step moves liquid on straight paths, x + dt u(x), so what it does to liquid at a point is F = 1 + dt ∇u. With F = V R,
a rotation R and then a stretch V,

    E <- R E Rᵀ + dev (V - V⁻¹)/2 ,    to first order E + dt (T + W E - E W)

which is Jaumann's rate; dev takes out the mean of the diagonal, as volume is the pressure's affair. Liquid that turns
as a rigid body has V = 1, and no strain is made however long the steps are. The paper's form is E <- E + dt T.

Beyond a yield strain E flows, and what is beyond decays at the yield rate, exactly for any dt:

    ‖E‖ -> k + (‖E‖ - k) e^(-r dt) ,    ‖E‖² = Σ E_ab² over all nine entries

The text prints dt E for dt T, and adds the yield term instead of subtracting it.

Reference: Cline equation 22; Goktekin et al. 2004.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined

_LEAST_VOLUME = 0.3  # det F: what a step compresses more than this is taken in parts
_MOST_PARTS = 64
_NEWTON = 16
_CLOSE = 1e-13


class TensorRoom(NamedTuple):
    """Small matrices that a kernel needs for a tensor.

    Attributes:
        strain: E.
        gradient: dt ∇u.
        motion: F.
        turn: R.
        other: Any.
    """

    strain: NDArray[np.float64]
    gradient: NDArray[np.float64]
    motion: NDArray[np.float64]
    turn: NDArray[np.float64]
    other: NDArray[np.float64]


@inlined
def room_for_tensors():
    """New matrices."""
    return TensorRoom(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)))


@inlined
def yield_factor(size, point, rate, dt):
    """What a strain of some size is multiplied by as it yields for dt."""
    if not size > point:
        return 1.0
    return (point + (size - point) * np.exp(-rate * dt)) / size


@inlined
def size_of(strain, DIM):
    """‖E‖."""
    total = 0.0
    for a in range(DIM):
        for b in range(DIM):
            total += strain[a, b] * strain[a, b]
    return np.sqrt(total)


@inlined
def _determinant(f, DIM):
    if DIM == 2:
        return f[0, 0] * f[1, 1] - f[0, 1] * f[1, 0]
    total = 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        total += f[0, a] * (f[1, b] * f[2, c] - f[1, c] * f[2, b])
    return total


@inlined
def _invert(f, result, DIM):
    """Set result = f⁻¹."""
    scale = 1.0 / _determinant(f, DIM)
    if DIM == 2:
        result[0, 0], result[1, 1] = f[1, 1] * scale, f[0, 0] * scale
        result[0, 1], result[1, 0] = -f[0, 1] * scale, -f[1, 0] * scale
        return
    for a in range(3):
        for b in range(3):
            c, d, e, g = (b + 1) % 3, (b + 2) % 3, (a + 1) % 3, (a + 2) % 3
            result[a, b] = scale * (f[c, e] * f[d, g] - f[c, g] * f[d, e])


@inlined
def _find_turn(room, DIM):
    """Find R of F, whose determinant is positive: the rotation nearest to it."""
    f, turn, other = room.motion, room.turn, room.other
    if DIM == 2:
        along, across = f[0, 0] + f[1, 1], f[1, 0] - f[0, 1]
        scale = 1.0 / np.sqrt(along * along + across * across)
        turn[0, 0] = turn[1, 1] = along * scale
        turn[1, 0], turn[0, 1] = across * scale, -across * scale
        return
    turn[:] = f
    for _ in range(_NEWTON):
        _invert(turn, other, 3)
        change = 0.0
        for a in range(3):
            for b in range(3):
                step = 0.5 * (other[b, a] - turn[a, b])
                change += step * step
                turn[a, b] += step
        if change < _CLOSE * _CLOSE:
            break


@inlined
def strain_along(room, DIM):
    """Let a strain go along with the flow: E <- R E Rᵀ + dev (V - V⁻¹)/2 of F = 1 + the gradient."""
    strain, f, turn, other = room.strain, room.motion, room.turn, room.other
    parts = 1
    for _ in range(7):
        for a in range(DIM):
            for b in range(DIM):
                f[a, b] = room.gradient[a, b] / parts
            f[a, a] += 1.0
        if _determinant(f, DIM) > _LEAST_VOLUME or parts >= _MOST_PARTS:
            break
        parts *= 2
    if not _determinant(f, DIM) > 0.0:
        return
    _find_turn(room, DIM)
    for _ in range(parts):
        # R E Rᵀ
        for a in range(DIM):
            for b in range(DIM):
                total = 0.0
                for k in range(DIM):
                    total += turn[a, k] * strain[k, b]
                other[a, b] = total
        for a in range(DIM):
            for b in range(DIM):
                total = 0.0
                for k in range(DIM):
                    total += other[a, k] * turn[b, k]
                strain[a, b] = total
        # F Rᵀ - R F⁻¹
        _invert(f, other, DIM)
        mean = 0.0
        for a in range(DIM):
            for b in range(a, DIM):
                grown = 0.0
                for k in range(DIM):
                    grown += f[a, k] * turn[b, k] - turn[a, k] * other[k, b]
                    if a != b:
                        grown += f[b, k] * turn[a, k] - turn[b, k] * other[k, a]
                grown *= 0.5 if a == b else 0.25
                strain[a, b] += grown
                if a != b:
                    strain[b, a] = strain[a, b]
                else:
                    mean += grown / DIM
        for a in range(DIM):
            strain[a, a] -= mean


@inlined
def strain_as_in_paper(room, DIM):
    """Let a strain grow as the text has it: E <- E + dt T."""
    for a in range(DIM):
        for b in range(DIM):
            room.strain[a, b] += 0.5 * (room.gradient[a, b] + room.gradient[b, a])
