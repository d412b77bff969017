"""Which of Mitsuba's ways to compute works on this machine, and Mitsuba itself.

`llvm_ad_rgb` compiles the whole picture at once and needs LLVM 19 or newer. With an older one the process aborts when
it renders, and Python cannot catch that; so a tiny picture is rendered in a child process first. `scalar_rgb` works
everywhere.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import lru_cache
from typing import Any

from plash.errors import MissingPartError

QUICK, PLAIN = "llvm_ad_rgb", "scalar_rgb"
_PATIENCE = 120.0  # s
_INSTALL = "Debian: apt install libllvm19"

_TRIAL = """
import sys
import mitsuba as mi
mi.set_variant(sys.argv[1])
scene = mi.load_dict({
    "type": "scene",
    "integrator": {"type": "volpath", "max_depth": 4},
    "sensor": {"type": "perspective", "film": {"type": "hdrfilm", "width": 4, "height": 4}},
    "light": {"type": "constant"},
    "ball": {"type": "sphere", "bsdf": {"type": "dielectric"}, "interior": {"type": "homogeneous", "albedo": 0.0}},
})
import numpy
print("works", numpy.isfinite(numpy.array(mi.render(scene, spp=1))).all())
"""


def is_installed() -> bool:
    """Whether the ray tracer and its denoiser are there."""
    return all(importlib.util.find_spec(name) is not None for name in ("mitsuba", "pyoidn"))


def missing() -> MissingPartError:
    """What to say if they are not."""
    return MissingPartError(
        "ray tracing needs Mitsuba and a denoiser, which are not installed. Install them with: "
        'pip install "plash[render]", or use quality "draft"'
    )


@lru_cache(maxsize=1)
def variant() -> str:
    """The quickest variant that works here; tried once in a process. PLASH_MITSUBA_VARIANT overrules it."""
    return os.environ.get("PLASH_MITSUBA_VARIANT") or (QUICK if works(QUICK) else PLAIN)


def works(name: str) -> bool:
    """Whether a variant renders a tiny picture, found out by a process that may crash."""
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _TRIAL, name], capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0 and "works True" in tried.stdout


def compiles(mitsuba: Any) -> bool:
    """Whether Mitsuba compiles what is written in its Python."""
    return str(mitsuba.variant()).startswith("llvm")


def variant_text() -> str:
    """The variant that pictures are ray traced with here, why, and how to have the quicker one if it is not that."""
    if not is_installed():
        return 'not installed: pip install "plash[render]" to ray trace pictures'
    chosen = variant()
    if os.environ.get("PLASH_MITSUBA_VARIANT"):
        return f"{chosen}, as PLASH_MITSUBA_VARIANT says"
    if chosen == QUICK:
        return f"{chosen}, compiled with LLVM: the quickest"
    return f"{chosen}: {QUICK} does not work here. With LLVM 19 or newer pictures take half the time ({_INSTALL})"


@lru_cache(maxsize=1)
def load_mitsuba() -> Any:
    """Mitsuba, in the variant for this machine.

    Raises:
        MissingPartError: It is not installed.
    """
    if not is_installed():
        raise missing()
    import drjit
    import mitsuba
    import numba

    mitsuba.set_variant(variant())
    # With a single one Mitsuba waits for ever when it reads or writes an EXR file
    drjit.set_thread_count(max(numba.get_num_threads(), 2))
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba
