"""What workers cost and bring: tiny orders, and pictures on one worker and on two.

    python -m benchmarks.farm

Each worker is a process with one thread. The times are by the clock, one worker and two in turn: run it on a
calm machine.
The load of the machine is printed beside them.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import plash
from plash.pipeline.farm.local import local_workers
from plash.pipeline.farm.orders import Tell
from plash.pipeline.farm.workers import workers_at
from plash.pipeline.stop import Stop

ORDERS = 1000
FRAMES = 24
TURNS = 5


@dataclass(frozen=True)
class Nothing:
    """An order with nothing to do."""

    session: str

    def done(self, stop: Stop, tell: Tell) -> int:
        return 0


def tiny_orders(workers: int) -> tuple[float, float]:
    """Seconds for each of many orders that do nothing, once everything is warm; and of the processor, all processes."""
    with workers_at(workers) as found:
        for count in (50, ORDERS):
            start, used = time.perf_counter(), _used(found.client)
            for number in range(count):
                found.send(str(number), Nothing(found.session))
            left = count
            while left:
                left -= sum(1 for _ in found.arrived(1.0))
        return (time.perf_counter() - start) / ORDERS, (_used(found.client) - used) / ORDERS


def _used(client: Any) -> float:
    """Seconds of the processor that this program and its workers have used."""
    return time.process_time() + float(sum(client.run(time.process_time).values()))


def drawing(home: Path, count: int) -> float:
    """Seconds in which so many workers draw the pictures of a run, as the second one that they draw.

    The first loads kernels and solids. The time is that of the whole call, which also greets workers and writes down
    what they did.
    """
    from distributed import Client

    with local_workers(count, 1) as address:
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(count)
        for turn in ("first", "second"):
            folder = home / f"{turn}{count}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(home / "run", folder)
            start = time.perf_counter()
            plash.resume(folder, stages=["render"], workers=address, progress=False)
        return time.perf_counter() - start


def main() -> None:
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    seconds, used = tiny_orders(2)
    print(f"{ORDERS} tiny orders: {1e3 * seconds:.2f} ms each, {1e3 * used:.2f} ms of the processor")
    scene = plash.load_scene("dam_break", resolution=32, frames=FRAMES)
    with TemporaryDirectory(prefix="plash") as name:
        home = Path(name)
        plash.run(scene, home / "run", stages=["simulate", "mesh"])
        shares = []
        for _ in range(TURNS):
            one, two = drawing(home, 1), drawing(home, 2)
            shares.append(two / one)
            print(f"{FRAMES} pictures: {one:.1f} s on one worker, {two:.1f} s on two, {shares[-1]:.2f} of the time")
    print(f"median of {TURNS}: {statistics.median(shares):.2f} of the time")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
