"""Measurements in a process of their own: peak memory and start-up times.

A pinned OpenMP run binds the thread that started it to one core, and child processes inherit that. The cores are
remembered when this module is imported, which has to happen before the first parallel kernel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


class ChildError(Exception):
    """A child process that ended without an answer."""


def in_child(task: str, arguments: dict[str, Any], environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run a task of `benchmarks/child.py` in a new process, on all cores, and return its answer."""
    request = {"task": task, "arguments": arguments, "cores": _CORES, "spawned": time.time()}
    answer = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", json.dumps(request)],
        cwd=_ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
    )
    if answer.returncode != 0:
        lines = answer.stderr.strip().splitlines() or ["no message"]
        raise ChildError(f"{task} {arguments}: exit code {answer.returncode}: {lines[-1]}")
    result: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return result
