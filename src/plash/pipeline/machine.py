"""What the machine has: memory, disk, threads."""

from __future__ import annotations

import math
import os
import platform
import shutil
import sys
from pathlib import Path

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # their numbers in malloc.h


def peak_memory() -> int:
    """Most memory that this program has held so far, in bytes; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def free_memory() -> float:
    """Bytes of memory that programs can have now; infinite where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return math.inf
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    return 1024.0 * kilobytes[0] if kilobytes else math.inf


def keep_freed_memory() -> None:
    """Let this program keep memory that it frees, for whatever asks next, so that the system need not clear it again.

    That took a tenth of a picture's time and a sixth of a surface's. Blocks above 32 MB, and what is free above
    512 MB, go back as ever. Only the C library of GNU can be told so.
    """
    if sys.platform != "linux":
        return
    import ctypes

    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(_M_MMAP_THRESHOLD, 32 << 20)
        tell(_M_TRIM_THRESHOLD, 512 << 20)


def free_disk(folder: Path) -> float:
    """Bytes free on the disk that a folder is on, or will be."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    return float(shutil.disk_usage(place).free)


def threads() -> int:
    """Threads that a run will use."""
    import numba

    count: int = numba.get_num_threads()
    return min(count, os.cpu_count() or count)


def machine_text() -> str:
    """This machine in a line: processor, cores, system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
