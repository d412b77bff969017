"""Workers that are processes of this machine: started for a run, and ended with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

_SECONDS_TO_END = 10
# Bytes. Dask has workers give back all that they free, and every array of a picture is new pages of the system then.
# These are the limits that the C library of Linux finds by itself in a program with large arrays
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 26), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}
# Dask's pages about itself are for this machine alone, on whatever port is free. By default workers serve all networks
_PAGES = "127.0.0.1:0"


@contextmanager
def local_workers(count: int, threads: int) -> Iterator[str]:
    """So many workers with so many threads each, and their scheduler; gives its address.

    They are programs of their own, in a session of their own: Ctrl-C is for the run, which then stops them.
    """
    import dask
    from distributed import LocalCluster

    quiet = {"distributed.scheduler.active-memory-manager.start": False}
    with TemporaryDirectory(prefix="plash") as folder, dask.config.set(quiet):
        cluster = LocalCluster(
            n_workers=0,
            processes=True,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": _PAGES},
            silence_logs=logging.CRITICAL,
            host="127.0.0.1",
        )
        processes: list[subprocess.Popen[bytes]] = []
        try:
            processes += [_started(cluster.scheduler_address, threads, folder) for _ in range(count)]
            yield cluster.scheduler_address
        finally:
            for process in processes:
                _end(process)
            cluster.close()


def _started(address: str, threads: int, folder: str) -> subprocess.Popen[bytes]:
    words = ["--nthreads", str(threads), "--nworkers", "1", "--memory-limit", "0", "--no-dashboard"]
    words += ["--local-directory", folder, "--death-timeout", "60", "--host", "127.0.0.1"]
    words += ["--dashboard-address", _PAGES]
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, *words]
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=nowhere, stdout=nowhere, stderr=nowhere, env={**_MEMORY, **os.environ}, **_apart()
    )


def _apart() -> dict[str, Any]:
    """What keeps signals of the terminal from a process."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a worker, gently if it will; what it started ends with it, and without a scheduler."""
    process.terminate()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
