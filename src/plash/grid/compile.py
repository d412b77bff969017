"""How kernels are compiled: four decorators, one compiler setting, one cache.

A *kernel* is a parallel function that divides whole tiles among threads; an *inlined* function is a piece of one.
Kernels are made by a factory that closes over the tile shape, so that loop lengths are constants to the compiler:

    @for_tile_shape
    def _halve(shape):
        BZ, BY, BX = shape

        @kernel
        def run(pool, chunks): ...

        return run

A factory may close over numbers only. Numba keys its disk cache by the closure's pickle, and a compiled function in
there pickles differently in every process: shared pieces are module-level `inlined` functions that take the sizes as
arguments, which inlining turns back into constants.

Floating point is exact IEEE arithmetic in the order it is written. With contraction, reassociation and unsigned zeros
allowed, a process that compiled its kernels got other bits than one that loaded them from the cache; that would gain
four per cent. Sums are written so that they need no licence: each row of a tile by itself, then the rows.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numba

from plash.grid.kernel_cache import KernelCache
from plash.grid.threads import load_tbb

# How long an OpenMP thread spins before it sleeps. The default of about a millisecond makes a step forty times slower
# as soon as another program wants a core; this keeps it at three times, and costs little on an idle machine. It is
# read when the threads are first started.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")
load_tbb()

Kernel = Callable[..., Any]


class KernelName(NamedTuple):
    """Where a kernel is from.

    Attributes:
        module: The module it is in.
        name: Its own name, or that of the factory that makes it.
        numbers: What that factory is given; None for a kernel that stands by itself.
    """

    module: str
    name: str
    numbers: tuple[Any, ...] | None

    def kernel(self) -> Kernel:
        """The kernel, imported and made, but not compiled."""
        found: Kernel = getattr(importlib.import_module(self.module), self.name)
        return found if self.numbers is None else found(*self.numbers)


_made: dict[KernelName, Kernel] = {}


def made_kernels() -> dict[KernelName, Kernel]:
    """All kernels that there are in this process; those that were used have been compiled, or loaded."""
    return dict(_made)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a parallel function on first use; its `prange` runs over chunks of whole tiles."""
    return _known(function, _compiled(function, parallel=True))


def serial_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a function that is too small to divide among threads."""
    return _known(function, _compiled(function))


def inlined(function: Callable[..., Any]) -> Kernel:
    """Compile a piece that becomes part of the kernels that call it, so that its size arguments are constants there.

    Only kernels can call it: a way in from Python would take nearly half of the time to compile it.
    """
    return _compiled(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined_plainly(function: Callable[..., Any]) -> Kernel:
    """The same for a piece that makes no arrays and returns none: it does not count who uses those that it is given.

    Numba counts the users of an array with atomic operations, a few for each array and call. It leaves them out where
    it sees that they cancel, which it does not across branches. Then they take longer than a short piece does itself.
    """
    return _compiled(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


def for_tile_shape(make: Callable[..., Kernel]) -> Callable[..., Kernel]:
    """Make one kernel per tile shape (and other compile-time numbers), once."""

    @functools.cache
    @functools.wraps(make)
    def made(*numbers: Any) -> Kernel:
        run = _made[KernelName(make.__module__, make.__qualname__, numbers)] = make(*numbers)
        return run

    return made


def chunk_count() -> int:
    """How many chunks to divide tiles into: several a thread, so that uneven tiles balance."""
    threads: int = numba.get_num_threads()
    return 1 if threads == 1 else 4 * threads


def _known(function: Callable[..., Any], compiled: Kernel) -> Kernel:
    if "<locals>" not in function.__qualname__:
        _made[KernelName(function.__module__, function.__qualname__, None)] = compiled
    return compiled


def _compiled(function: Callable[..., Any], **options: Any) -> Kernel:
    compiled: Any = numba.njit(error_model="numpy", **options)(function)
    compiled._cache = KernelCache(function)
    kernel: Kernel = compiled
    return kernel
