"""Facts about the machine and the software, recorded with every run."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_VARIABLES = ("OMP_PROC_BIND", "OMP_PLACES", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER")


def facts() -> dict[str, Any]:
    """What does not change while a run goes on. The threading layer is known only after the first parallel kernel."""
    import numba
    import numpy as np

    import plash

    library: Any = numba
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "threads": library.config.NUMBA_NUM_THREADS,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "plash": plash.__version__,
        "commit": _commit(),
        "threading_layer": library.threading_layer(),
        "environment": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
    }


def load() -> list[float]:
    """Load averages over 1, 5 and 15 minutes; empty where the system has none."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else []


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _commit() -> str:
    """The commit that is checked out, with a plus if files differ from it; empty outside a repository."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD").strip()
        return commit + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    command = ["git", "--no-optional-locks", "-C", str(_ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
