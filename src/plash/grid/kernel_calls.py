"""Kernels with the types of their arguments, as plain data: what has to be compiled can be written to a file.

An argument is a number, an array or a named tuple of these, and so are all that kernels take:

    "int64"                                     a number
    "float32 4 C", "float32 4 C readonly"       an array: type, axes, layout, and whether it may be written to
    ["plash.particles.positions:Positions", ..] a named tuple: its class, then its members; a plain one has no class
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from numba import types as numba_types

from plash.grid.compile import KernelName, made_kernels

types: Any = numba_types
Argument = str | list[Any]


class KernelCall(NamedTuple):
    """A kernel and what it is called with.

    Attributes:
        kernel: Where it is from.
        arguments: The types of its arguments, as plain data.
    """

    kernel: KernelName
    arguments: tuple[Argument, ...]

    def compile(self) -> None:
        """Compile the kernel for these arguments, or load it if that was done before."""
        compiled: Any = self.kernel.kernel()
        compiled.compile(tuple(_type(argument) for argument in self.arguments))


def calls_so_far() -> Iterator[KernelCall]:
    """Every kernel that this process has compiled or loaded, once for each kind of arguments.

    One that another kernel calls with a constant is compiled with that kernel, and so left out.
    """
    for name, compiled in made_kernels().items():
        overloads: Any = compiled
        for signature in overloads.overloads:
            if not any(isinstance(kind, types.Literal) for kind in signature):
                yield KernelCall(name, tuple(_data(kind) for kind in signature))


def _data(kind: Any) -> Argument:
    """The type of an argument as plain data.

    >>> _data(types.Array(types.float32, 4, "C")), _data(types.boolean)
    ('float32 4 C', 'bool')
    """
    if isinstance(kind, types.Array):
        return f"{kind.dtype} {kind.ndim} {kind.layout}{'' if kind.mutable else ' readonly'}"
    if isinstance(kind, types.BaseNamedTuple):
        return [f"{kind.instance_class.__module__}:{kind.instance_class.__qualname__}", *map(_data, kind.types)]
    if isinstance(kind, types.BaseTuple):
        return ["", *map(_data, kind.types)]
    if isinstance(kind, types.Number | types.Boolean):
        return str(kind)
    raise TypeError(f"a kernel takes numbers, arrays and tuples, and no {kind}")


def _type(argument: Argument) -> Any:
    """The type that plain data stand for.

    >>> _type("float32 4 C readonly"), _type("bool")
    (Array(float32, 4, 'C', True, aligned=True), bool)
    """
    if isinstance(argument, str):
        dtype, *array = argument.split()
        number = types.boolean if dtype == "bool" else getattr(types, dtype)
        return types.Array(number, int(array[0]), array[1], readonly="readonly" in array) if array else number
    members = [_type(member) for member in argument[1:]]
    if not argument[0]:
        return types.BaseTuple.from_types(members)
    module, name = argument[0].split(":")
    return types.BaseTuple.from_types(members, getattr(importlib.import_module(module), name))
