"""Run folders that were damaged, or that come from a stranger: one error with a name, or the same bits again.

Commands run in this process, as the command line would run them: a crash of one is a crash of the case.
"""

import contextlib
import importlib
import io
import json
import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from random import Random

import plash
from plash.scene import parse_scene
from plash.studio.runs import Runs

from .cases import promise
from .forgery import FORGERIES
from .rot import ROT, Damage

_SCENES = {
    "flat": """version = 1
[domain]
size = [1, 0.7]
resolution = 12
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.4, 0.5] }
""",
    "deep": """version = 1
[domain]
size = [1, 1, 0.6]
resolution = 8
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [1, 0.3, 0.6] }
[[source]]
kind = "spout"
shape = { kind = "disc", center = [0.3, 0.8, 0.3], normal = [0, -1, 0], radius = 0.15 }
speed = 1
[[solid]]
shape = { kind = "sphere", center = [0.7, 0.3, 0.3], radius = 0.2 }
motion = { velocity = [-0.5, 0, 0] }
""",
    "grids": """version = 1
[domain]
size = [0.8, 1]
resolution = 10
[solver]
kind = "stable_fluids"
[liquid]
thermal_expansion = 0.01
[[fill]]
shape = { kind = "box", min = [0, 0], max = [0.4, 0.5] }
temperature = 350
""",
}
_SHORT = "\n[time]\nframes = 3\nfps = 12\n[look]\nquality = 'draft'\nwidth = 48\n"
_ENDINGS = {0, 3, 4, 5, 6, 7}  # what the program may end with here: docs/runs.md
_SAME = (".ply", ".png", ".mp4", ".npz")  # but for checkpoints


def attempt(chance: Random, place: Path) -> str:
    """Damage a finished run, look at it, and let it be mended."""
    kind = chance.choice(sorted(_SCENES))
    undisturbed = _finished(place.parent, kind)
    folder, outside = place / "run", place / "outside"
    shutil.copytree(undisturbed, folder)
    _furnish(outside)
    is_hostile = chance.random() < 0.6
    done = []
    for damage in _chosen(chance, is_hostile):
        # What is gone or spoilt already needs no more damage
        with contextlib.suppress(OSError, IndexError, KeyError, ValueError):
            damage(chance, folder, outside)
            done.append(damage.__name__)
    # What was made of a damaged file has to be made again, or nobody would read it
    if is_hostile and chance.random() < 0.7:
        _forget(chance, folder)
    before = _beside(folder)
    longer = ["--frames", "5"] if is_hostile and chance.random() < 0.5 else []
    looks = [["info"], ["info", "--verify"], ["info", "--json"], ["render"], ["video"], ["mesh"], ["report"]]
    asked = [*chance.sample([*looks, ["resume"]], chance.choice([0, 1, 2])), ["resume", "--verify", *longer]]
    try:
        for words in asked:
            code, said = _plash(*words, str(folder), *([] if words[0] == "info" else ["--threads", "1", "--quiet"]))
            sentence = f"plash {' '.join(words)} after {', '.join(done)} of {kind} ended with {code}:\n{said}"
            promise(code in _ENDINGS and "Traceback" not in said and "internal error" not in said, sentence)
            promise(code == 0 or said.strip(), sentence)
        json.dumps(Runs(place).all())
        if code == 0 and not is_hostile:
            promise(_bits(folder) == _bits(undisturbed), f"other bits, mended after {', '.join(done)} of {kind}")
            code, said = _plash("info", "--verify", str(folder))
            promise(code == 0, f"mended after {', '.join(done)} of {kind}, but: {said}")
        return "mended" if code == 0 else f"refused ({code})"
    finally:
        promise(_beside(folder) == before, f"wrote beside the folder after {', '.join(done)} of {kind}")


def _chosen(chance: Random, is_hostile: bool) -> list[Damage]:
    """A few kinds of damage."""
    kinds = FORGERIES if is_hostile else ROT
    found = chance.sample(kinds, chance.choice([1, 1, 1, 2, 3]))
    return sorted(found, key=kinds.index) if is_hostile else found


def _plash(*words: str) -> tuple[int, str]:
    """What the command line ends with, and all it says."""
    program = importlib.import_module("plash.cli.main")
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = program._exit_code(list(words))
    return code, said.getvalue()


def _finished(root: Path, kind: str) -> Path:
    """A finished run of a scene, made once for all cases that share a folder."""
    folder = root / "finished" / kind / "run"
    if not folder.exists():
        folder.parent.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=root) as new:
            plash.run(parse_scene(_SCENES[kind] + _SHORT), Path(new) / "run")
            os.rename(Path(new) / "run", folder)
    return folder


def _furnish(outside: Path) -> None:
    """A folder with something to lose."""
    outside.mkdir()
    for name in ("precious", "precious.hdr", "frame.0001.png", "checkpoint.0001.npz", "surface.0002.ply"):
        (outside / name).write_bytes(b"precious\n")


def _forget(chance: Random, folder: Path) -> None:
    """Take away later stages, or later frames."""
    for name in chance.choice([["render"], ["mesh", "render"], ["particles", "grids", "mesh", "render"]]):
        part = folder / name
        if part.is_dir() and not part.is_symlink():
            for file in sorted(part.iterdir())[chance.choice([0, 1, 2]) :]:
                if file.is_file():
                    file.unlink()
    for movie in folder.glob("*.mp4"):
        movie.unlink()


def _bits(folder: Path) -> dict[str, str]:
    """The checksum of every file that must be the same again."""
    found = (p for p in sorted(folder.rglob("*")) if p.suffix in _SAME and p.parent.name != "checkpoints")
    return {str(p.relative_to(folder)): sha256(p.read_bytes()).hexdigest() for p in found}


def _beside(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything that is not in the folder: what it is, and what it holds."""
    found = {}
    for root, folders, files in os.walk(folder.parent):
        if Path(root) == folder.parent:
            folders.remove(folder.name)
        for name in (*folders, *files):
            path = Path(root, name)
            found[str(path)] = (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
    return found
