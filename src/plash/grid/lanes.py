"""Four numbers at once: arithmetic of vectors, for the few numbers that one particle and the grid exchange.

The compiler makes vectors of loops over many values. It does not see them in what a particle does with the eight
corners of a cell: there kernels say so. Four numbers are a tuple of four in single precision; each of these functions
is one instruction on all of them, or a few, with the same bits as on one after another.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types as numba_types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

types: Any = numba_types
intrinsic: Any = numba_intrinsic
pack: Any = cgutils.pack_array
_FOUR = types.UniTuple(types.float32, 4)
_FLOAT, _NUMBER = ir.FloatType(), ir.IntType(32)
_VECTOR, _PAIR = ir.VectorType(_FLOAT, 4), ir.VectorType(_FLOAT, 2)


@intrinsic
def plus(typing_context, a, b):
    """Sums of four numbers and four others, or one other."""
    return _each(a, b, "fadd")


@intrinsic
def minus(typing_context, a, b):
    """Four numbers less four others, or one other."""
    return _each(a, b, "fsub")


@intrinsic
def times(typing_context, a, b):
    """Products of four numbers and four others, or one other."""
    return _each(a, b, "fmul")


@intrinsic
def pairs_from(typing_context, array, a, b, c, d):
    """Four numbers of a flat array, from places without a sign, and the four behind them."""

    def generate(context, builder, signature, arguments):
        places = [_place(context, builder, signature, arguments, place, _PAIR) for place in arguments[1:]]
        one, two, three, four = (builder.load(place, align=4) for place in places)
        low = builder.shuffle_vector(one, two, _mask(0, 1, 2, 3))
        high = builder.shuffle_vector(three, four, _mask(0, 1, 2, 3))
        even = builder.shuffle_vector(low, high, _mask(0, 2, 4, 6))
        odd = builder.shuffle_vector(low, high, _mask(1, 3, 5, 7))
        return pack(builder, [_unpacked(builder, even), _unpacked(builder, odd)])

    return types.UniTuple(_FOUR, 2)(array, types.uint64, types.uint64, types.uint64, types.uint64), generate


@intrinsic
def four_from(typing_context, array, place):
    """Four neighbours in a flat array, from a place without a sign on."""

    def generate(context, builder, signature, arguments):
        at = _place(context, builder, signature, arguments, arguments[1], _VECTOR)
        return _unpacked(builder, builder.load(at, align=4))

    return _FOUR(array, types.uint64), generate


@intrinsic
def add_four(typing_context, array, place, four):
    """Add four numbers to neighbours in a flat array, from a place without a sign on."""

    def generate(context, builder, signature, arguments):
        at = _place(context, builder, signature, arguments, arguments[1], _VECTOR)
        total = builder.fadd(builder.load(at, align=4), _packed(builder, arguments[2]))
        builder.store(total, at, align=4)
        return context.get_dummy_value()

    return types.void(array, types.uint64, _FOUR), generate


@intrinsic
def add_two(typing_context, array, place, one, other):
    """Add two numbers to neighbours in a flat array, from a place without a sign on."""

    def generate(context, builder, signature, arguments):
        at = _place(context, builder, signature, arguments, arguments[1], _PAIR)
        pair = ir.Constant(_PAIR, ir.Undefined)
        for lane in range(2):
            pair = builder.insert_element(pair, arguments[2 + lane], _NUMBER(lane))
        builder.store(builder.fadd(builder.load(at, align=4), pair), at, align=4)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.float32, types.float32), generate


def _each(a: Any, b: Any, operation: str) -> Any:
    """One operation on four numbers, lane by lane."""
    if a != _FOUR or b not in (_FOUR, types.float32):
        return None

    def generate(context, builder, signature, arguments):
        one, other = arguments
        other = _packed(builder, other) if signature.args[1] == _FOUR else _spread(builder, other)
        return _unpacked(builder, getattr(builder, operation)(_packed(builder, one), other))

    return _FOUR(a, b), generate


def _place(context: Any, builder: Any, signature: Any, arguments: Any, place: Any, kind: Any) -> Any:
    """Where in the array, the first argument, numbers of some kind of vector are."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(array.data, [place]), kind.as_pointer())


def _mask(*lanes: int) -> Any:
    return ir.Constant(ir.VectorType(_NUMBER, len(lanes)), list(lanes))


def _packed(builder: Any, four: Any) -> Any:
    vector = ir.Constant(_VECTOR, ir.Undefined)
    for lane in range(4):
        vector = builder.insert_element(vector, builder.extract_value(four, lane), _NUMBER(lane))
    return vector


def _spread(builder: Any, number: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, _NUMBER(0))
    return builder.shuffle_vector(vector, vector, _mask(0, 0, 0, 0))


def _unpacked(builder: Any, vector: Any) -> Any:
    return pack(builder, [builder.extract_element(vector, _NUMBER(lane)) for lane in range(4)])
