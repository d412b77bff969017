"""Runs that are killed at any moment, and resumed: they end with the same bits as if nothing had happened.

python -m tests.fuzz --cases 0 --kills 100
"""

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .cases import BrokenPromiseError, promise

DEEP = """version = 1
[domain]
size = [1, 0.8, 0.6]
resolution = 16
[time]
frames = 6
[look]
width = 64
"""
SCENES = {
    "2-D": """version = 1
[domain]
size = [1, 0.7]
resolution = 32
[time]
frames = 10
[look]
width = 96
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.4, 0.5] }
""",
    "3-D, ray traced": DEEP
    + """quality = "preview"
samples = 4
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [0.4, 0.5, 0.6] }
""",
    "source and sink": DEEP
    + """quality = "draft"
[[source]]
kind = "spout"
shape = { kind = "disc", center = [0.3, 0.7, 0.3], normal = [0, -1, 0], radius = 0.12 }
speed = 1.5
[[sink]]
shape = { kind = "box", min = [0.8, 0, 0], max = [1, 0.1, 0.6] }
""",
    "moving solid": DEEP
    + """quality = "draft"
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [1, 0.3, 0.6] }
[[solid]]
shape = { kind = "box", min = [0.4, 0, 0.1], max = [0.5, 0.5, 0.5] }
motion = { spin = "200 deg/s", axis = [0, 1, 0], center = [0.45, 0.2, 0.3] }
""",
    "level set": """version = 1
[domain]
size = [1, 0.7]
resolution = 32
[time]
frames = 10
[solver]
surface = "levelset"
levelset_volume = "shift"
[look]
width = 96
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.4, 0.5] }
[[source]]
kind = "spout"
shape = { kind = "disc", center = [0.8, 0.6], normal = [0, -1], radius = 0.08 }
speed = 1
""",
    "stable fluids": """version = 1
[domain]
size = [0.7, 1]
resolution = 48
[time]
frames = 10
[solver]
kind = "stable_fluids"
[liquid]
thermal_expansion = 0.01
[look]
width = 96
[[fill]]
shape = { kind = "sphere", center = [0.35, 0.3], radius = 0.2 }
temperature = 360
""",
    "smoke and fire": DEEP
    + """quality = "draft"
[solver]
kind = "smoke"
confinement = 2
[[source]]
kind = "smoke"
shape = { kind = "sphere", center = [0.4, 0.2, 0.3], radius = 0.12 }
density_rate = 2
temperature = 600
fuel = 0.8
color = "teal"
[[solid]]
shape = { kind = "sphere", center = [0.3, 0.5, 0.3], radius = 0.12 }
motion = { velocity = [0.5, 0, 0] }
""",
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
_PATIENCE = 900.0  # s to wait for a whole run, in which kernels may be compiled


def plash(*words: str, **options) -> subprocess.Popen:
    """The program, started."""
    return subprocess.Popen(
        [sys.executable, "-m", "plash", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def finish(process: subprocess.Popen, timeout: float = 300) -> tuple[int, str, str]:
    """Wait for the program: its exit code, and what it wrote to both outputs."""
    out, err = process.communicate(timeout=timeout)
    assert "Traceback" not in err, err
    return process.returncode, out, err


def checksums(folder: Path) -> dict[str, str]:
    """Of every file but those that hold times or the process number."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix in (".ply", ".png", ".mp4"))
    frames = (path for part in ("particles", "grids", "volumes") for path in (folder / part).glob("*"))
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted([*files, *frames])}


def kill_again_and_again(words: list[str], folder: Path, chance: Random, kills: int, longest: float) -> None:
    """Start a run and kill it, again and again, each time at another moment; then let it finish.

    Args:
        words: What `plash run` is to run, without the folder.
        folder: The run's folder.
        chance: Random numbers.
        kills: How often it is killed.
        longest: Seconds after which it is killed at the latest.
    """
    begin = ["run", *words, "--out", str(folder), "--json"]
    for _ in range(kills):
        known = (folder / "manifest.json").exists()
        process = plash(*(["resume", str(folder), "--json"] if known else begin))
        if chance.random() < 0.9:
            process.stdout.readline()  # the plan: from here on it works
        number = chance.choice(SIGNALS)
        time.sleep(chance.uniform(0.0, longest))
        process.send_signal(number)
        _, err = process.communicate(timeout=_PATIENCE)
        promise(
            "Traceback" not in err and process.returncode in (0, 130, -number),
            f"{number.name} ended the run with {process.returncode}: {err[-2000:]}",
        )
    last = ["resume", str(folder), "-q"] if (folder / "manifest.json").exists() else [*begin[:-1], "-q"]
    code, _, err = finish(plash(*last), _PATIENCE)
    promise(code == 0, f"the last resume ended with {code}: {err}")
    code, out, err = finish(plash("info", str(folder), "--verify"))
    promise(code == 0 and "every file is what was written" in out, f"{out}{err}")
    promise(not list(folder.rglob("*.tmp")), "something half-written is left")


@dataclass(frozen=True)
class Killed:
    """What came of killing the run of a scene some times."""

    kind: str
    kills: int
    seconds: float
    failure: str


def campaign(seed: int, kills: int, place: Path, told: Callable[[Killed], None]) -> None:
    """Kill runs of every scene in turn, five times each, until there were so many kills."""
    sound: dict[str, tuple[dict[str, str], float]] = {}
    for number in range(-(-kills // 5)):
        kind = list(SCENES)[number % len(SCENES)]
        scene = place / f"{list(SCENES).index(kind)}.toml"
        scene.write_text(SCENES[kind])
        words = [str(scene), "--threads", "1"]
        start, failure = time.monotonic(), ""
        folder = place / f"killed {number}" / "run"
        count = min(5, kills - 5 * number)
        try:
            if kind not in sound:
                sound[kind] = _undisturbed(words, place / f"undisturbed {kind}" / "run")
            kill_again_and_again(words, folder, Random(f"{seed} kills {number}"), count, sound[kind][1] / 4)
            promise(checksums(folder) == sound[kind][0], "the bits are not those of an undisturbed run")
        except (BrokenPromiseError, AssertionError, subprocess.TimeoutExpired) as error:
            failure = f"{kind}, seed {seed}, run {number}: {error}"
        told(Killed(kind, count, time.monotonic() - start, failure))


def _undisturbed(words: list[str], folder: Path) -> tuple[dict[str, str], float]:
    """The bits of a run that nobody kills, and how long the work in it takes when no kernel is to be compiled."""
    code, _, err = finish(plash("run", *words, "--out", str(folder), "-q"), _PATIENCE)
    promise(code == 0, err)
    manifest = json.loads((folder / "manifest.json").read_text())
    seconds = sum(item["seconds"] for stage in manifest["stages"].values() for item in stage["items"].values())
    return checksums(folder), seconds
