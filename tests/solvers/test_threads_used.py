"""A run with one thread keeps one core busy: nothing in a step may wake threads of another library.

NumPy's linear algebra has threads of its own. After a large product they spin for a while, on the cores that the
kernels' threads need, and how they share a sum depends on their number.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_RUN = """
import os
import plash

def ticks():
    tasks = "/proc/self/task"
    stats = {task: open(f"{tasks}/{task}/stat").read().rpartition(")")[2].split() for task in os.listdir(tasks)}
    return {task: int(stat[11]) + int(stat[12]) for task, stat in stats.items()}

scene = plash.load_scene("bench_dam_break", resolution=40)
solver = plash.build(scene)
solver.advance(1e-3)
before = ticks()
for frame in range(1, 5):
    while solver.state.time < frame / 24:
        solver.advance(frame / 24)
    solver.snapshot().energy(1000.0, (0.0, -9.81, 0.0))
busy = sorted((count - before.get(task, 0) for task, count in ticks().items()), reverse=True)
print(busy[0], sum(busy[1:]))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not tell what its threads do")
def test_a_run_with_one_thread_keeps_one_core_busy() -> None:
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", _RUN], env=environment, capture_output=True, text=True, check=True)
    own, others = map(int, done.stdout.split())
    assert own > 0
    assert others <= 0.1 * own + 2
