"""What becomes of a strain in a step: it turns with the flow, grows by its stretch, and yields.

A step moves liquid on straight paths, x + dt u(x), so what it does to liquid at a point is F = 1 + dt ∇u. Strain is the
logarithm of how far liquid is stretched since it was last at rest, whichever way it came there:

    E <- dev ln(F e^(2E) Fᵀ)/2 ,    to first order E + dt (T + W E - E W + [E, [E, T]]/3)

dev takes out the mean of the diagonal, as volume is the pressure's affair. Liquid that turns as a rigid body has
F Fᵀ = 1, and is strained no more however long the steps are. Without the last term it would be Jaumann's rate: liquid
that is sheared by an angle γ then has the stress G sin γ, which falls from a quarter of a turn on, and weak liquid that
ran apart on a floor got notches and lobes. The paper's form is E <- E + dt T.

Beyond a yield strain E flows, and what is beyond decays at the yield rate, exactly for any dt:

    ‖E‖ -> k + (‖E‖ - k) e^(-r dt) ,    ‖E‖² = Σ E_ab² over all nine entries

The text prints dt E for dt T, and adds the yield term instead of subtracting it.

Reference: Cline equation 22; Goktekin et al. 2004; Dienes 1979, for what is wrong with Jaumann's rate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.grid.compile import inlined

_LEAST_VOLUME = 0.3  # det F: what a step compresses more than this is taken in parts
_MOST_PARTS = 64
_SWEEPS = 8  # of rotations: three do in general
_CLOSE = 1e-15  # what is left beside a diagonal
_TINY = 1e-300
_SMALL = 0.25  # size of what series are taken of in 3-D, where finding axes takes longer: they are exact to 1e-9


class TensorRoom(NamedTuple):
    """Small matrices that a kernel needs for a tensor.

    Attributes:
        strain: E.
        gradient: dt ∇u.
        motion: F.
        axes: Q, or any.
        other: Any.
    """

    strain: NDArray[np.float64]
    gradient: NDArray[np.float64]
    motion: NDArray[np.float64]
    axes: NDArray[np.float64]
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
def _find_axes(matrix, axes, DIM):
    """Make a symmetric matrix diagonal, by Jacobi's rotations; its principal axes are the columns of the other one."""
    for a in range(DIM):
        for b in range(DIM):
            axes[a, b] = 1.0 if a == b else 0.0
    for _ in range(_SWEEPS):
        beside, along = 0.0, 0.0
        for a in range(DIM):
            along += matrix[a, a] * matrix[a, a]
            for b in range(a + 1, DIM):
                beside += matrix[a, b] * matrix[a, b]
        if not beside > _CLOSE * _CLOSE * along:
            break
        for a in range(DIM):
            for b in range(a + 1, DIM):
                if matrix[a, b] != 0.0:
                    _rotate(matrix, axes, a, b, DIM)


@inlined
def _rotate(matrix, axes, a, b, DIM):
    """Turn a symmetric matrix and its axes in the plane ab so that its entry ab becomes zero."""
    ratio = (matrix[b, b] - matrix[a, a]) / (2.0 * matrix[a, b])
    tangent = 1.0 / (abs(ratio) + np.sqrt(ratio * ratio + 1.0))
    if ratio < 0.0:
        tangent = -tangent
    cosine = 1.0 / np.sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    shift = tangent * matrix[a, b]
    matrix[a, a] -= shift
    matrix[b, b] += shift
    matrix[a, b] = matrix[b, a] = 0.0
    for k in range(DIM):
        if k != a and k != b:
            one, other = matrix[k, a], matrix[k, b]
            matrix[k, a] = matrix[a, k] = cosine * one - sine * other
            matrix[k, b] = matrix[b, k] = sine * one + cosine * other
        one, other = axes[k, a], axes[k, b]
        axes[k, a] = cosine * one - sine * other
        axes[k, b] = sine * one + cosine * other


@inlined
def _compose(diagonal, axes, result, DIM):
    """Set result = Q D Qᵀ, D what is on the diagonal of a matrix."""
    for a in range(DIM):
        for b in range(a, DIM):
            total = 0.0
            for k in range(DIM):
                total += axes[a, k] * diagonal[k, k] * axes[b, k]
            result[a, b] = result[b, a] = total


@inlined
def _multiply(one, other, result, DIM):
    """Set result = A B of two symmetric matrices with the same axes."""
    for a in range(DIM):
        for b in range(a, DIM):
            total = 0.0
            for k in range(DIM):
                total += one[a, k] * other[k, b]
            result[a, b] = result[b, a] = total


@inlined
def _set_unit_plus(scale, unit, matrix, result, DIM):
    """Set result = unit 1 + scale A."""
    for a in range(DIM):
        for b in range(DIM):
            result[a, b] = scale * matrix[a, b]
        result[a, a] += unit


@inlined
def _exponential(room, DIM):
    """Set other = e^(2E); E is lost. By its series where E is small in 3-D, else by its axes."""
    strain, axes, other = room.strain, room.axes, room.other
    if DIM == 3 and size_of(strain, DIM) < _SMALL:
        _set_unit_plus(2.0 / 9, 1.0, strain, other, DIM)
        for k in range(8, 0, -1):
            _multiply(strain, other, axes, DIM)
            _set_unit_plus(2.0 / k, 1.0, axes, other, DIM)
        return
    _find_axes(strain, axes, DIM)
    for a in range(DIM):
        strain[a, a] = np.exp(2.0 * strain[a, a])
    _compose(strain, axes, other, DIM)


@inlined
def _logarithm(room, DIM):
    """Set E = ln(other)/2 and lose it: artanh Z, Z = 1 - 2 (1 + other)⁻¹, by its series if that is small in 3-D."""
    strain, axes, other = room.strain, room.axes, room.other
    _set_unit_plus(1.0, 1.0, other, axes, DIM)
    _invert(axes, strain, DIM)
    _set_unit_plus(-2.0, 1.0, strain, axes, DIM)
    if DIM == 3 and size_of(axes, DIM) < _SMALL:
        _multiply(axes, axes, other, DIM)
        _set_unit_plus(1.0 / 13, 1.0 / 11, other, strain, DIM)
        for k in range(9, 0, -2):
            _multiply(other, strain, room.motion, DIM)
            _set_unit_plus(1.0, 1.0 / k, room.motion, strain, DIM)
        _multiply(axes, strain, other, DIM)
        strain[:] = other
        return
    _find_axes(other, axes, DIM)
    for a in range(DIM):
        other[a, a] = 0.5 * np.log(max(other[a, a], _TINY))
    _compose(other, axes, strain, DIM)


@inlined
def strain_along(room, DIM):
    """Let a strain go along with the flow: E <- dev ln(F e^(2E) Fᵀ)/2 of F = 1 + the gradient."""
    strain, f, other = room.strain, room.motion, room.other
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
    _exponential(room, DIM)
    for _ in range(parts):
        # F B Fᵀ
        for a in range(DIM):
            for b in range(DIM):
                total = 0.0
                for k in range(DIM):
                    total += f[a, k] * other[k, b]
                strain[a, b] = total
        for a in range(DIM):
            for b in range(a, DIM):
                total = 0.0
                for k in range(DIM):
                    total += strain[a, k] * f[b, k]
                other[a, b] = other[b, a] = total
    _logarithm(room, DIM)
    mean = 0.0
    for a in range(DIM):
        mean += strain[a, a] / DIM
    for a in range(DIM):
        strain[a, a] -= mean


@inlined
def strain_as_in_paper(room, DIM):
    """Let a strain grow as the text has it: E <- E + dt T."""
    for a in range(DIM):
        for b in range(DIM):
            room.strain[a, b] += 0.5 * (room.gradient[a, b] + room.gradient[b, a])
