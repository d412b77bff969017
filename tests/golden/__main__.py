"""Checksums of what every gallery scene gives, to prove that a change of the code changed no result.

    python -m tests.golden record before.json      on the code before
    python -m tests.golden compare before.json     on the code after, on the same machine

Each scene is simulated for 12 frames and meshed, with one thread and with two. Every array of a frame and every
property of a surface has its own checksum, so that a new one is no difference. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import plash

Checksums = dict[str, str]  # of each array, by scene, number of threads, file and name

_FRAMES = 12
_PLY_TYPES = {"float": "<f4", "int": "<i4", "uchar": "u1"}


def main(arguments: list[str]) -> int:
    """Record or compare checksums."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path, help="JSON file of checksums")
    parser.add_argument("--scenes", nargs="+", default=sorted(plash.gallery()), help="default: the whole gallery")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--jobs", type=int, default=1, help="scenes at a time")
    asked = parser.parse_args(arguments)
    cases = [(scene, threads) for scene in asked.scenes for threads in asked.threads]
    with ThreadPoolExecutor(asked.jobs) as pool:
        found: Checksums = {}
        for (scene, threads), part in zip(cases, pool.map(lambda case: checksums(*case), cases), strict=True):
            print(f"{scene}, {threads} threads: {len(part)} arrays", flush=True)
            found |= part
    if asked.what == "record":
        asked.file.parent.mkdir(parents=True, exist_ok=True)
        asked.file.write_text(json.dumps(found, indent=0, sort_keys=True))
        return 0
    return report(json.loads(asked.file.read_text()), found, asked.scenes, asked.threads)


def report(before: Checksums, after: Checksums, scenes: list[str], threads: list[int]) -> int:
    """Print what differs; returns 1 if anything does."""
    wanted = {name for name in before if name.split("/")[0] in scenes and int(name.split("/")[1]) in threads}
    differing = sorted(name for name in wanted if before[name] != after.get(name))
    for name in differing[:40]:
        print(f"{name}: {'differs' if name in after else 'is missing'}")
    print(f"{len(wanted) - len(differing)} of {len(wanted)} arrays are equal")
    return 1 if differing or not wanted else 0


def checksums(scene: str, threads: int) -> Checksums:
    """Run a scene in a process of its own, and take the checksums of its frames and surfaces."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        plash_command = [sys.executable, "-m", "plash"]
        simulate = [*plash_command, "simulate", scene, "--frames", str(_FRAMES), "--threads", str(threads)]
        for command in ([*simulate, "--out", str(out)], [*plash_command, "mesh", str(out), "--threads", str(threads)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
            if done.returncode:
                raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        found: Checksums = {}
        for path in sorted([*out.glob("particles/*.npz"), *out.glob("grids/*.npz"), *out.glob("mesh/*.ply")]):
            arrays = ply_arrays(path.read_bytes()) if path.suffix == ".ply" else np.load(path)
            for name in arrays:
                content = np.ascontiguousarray(arrays[name])
                kind = f"{content.dtype} {content.shape}".encode()
                checksum = hashlib.sha256(kind + content.tobytes()).hexdigest()[:20]
                found[f"{scene}/{threads}/{path.name}/{name}"] = checksum
        return found


def ply_arrays(data: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Every property of a binary PLY file as an array, by element and name."""
    header, body = data.split(b"end_header\n", 1)
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    begin = 0
    for name, count, rest in re.findall(r"element (\w+) (\d+)\n((?:property [^\n]+\n)+)", header.decode()):
        fields: list[Any] = []
        for kind, place in re.findall(r"property (.+) (\w+)\n", rest):
            if kind.startswith("list "):  # plash writes triangles only
                fields += [(f"{place}_count", "u1"), (place, "<i4", 3)]
            else:
                fields.append((place, _PLY_TYPES[kind]))
        table = np.frombuffer(body, np.dtype(fields), int(count), begin)
        begin += table.nbytes
        arrays |= {f"{name}.{column}": table[column] for column in table.dtype.names or ()}
    return arrays


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
