"""The package as it is installed: built, put into an empty environment outside the clone, and used there."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "plash"
DATA = [
    "py.typed",
    "blender/plash_addon.py",
    "scene/keys.pyi",
    "scenes/dam_break.toml",
    "pipeline/report.html",
    "studio/page/index.html",
    "studio/presets/dam.toml",
    "studio/lessons/1_advection.toml",
    "studio/page/login.html",
]

pytestmark = pytest.mark.slow


def run(*command: str | Path, folder: Path) -> str:
    """What a program prints, away from the clone and from what this environment was told about it."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PLASH", "VIRTUAL"))}
    done = subprocess.run(command, cwd=folder, env=plain, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from an archive of the source, which is made from a copy: building leaves nothing in the clone."""
    folder = tmp_path_factory.mktemp("build")
    clone, built = folder / "clone", folder / "dist"
    shutil.copytree(ROOT / "src", clone / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", built, clone, folder=folder)
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def programs(wheel, tmp_path_factory) -> Path:
    """The programs of an environment with plash from the wheel; its dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder, with_pip=False)
    found = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", found / "python"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, folder=folder)
    # Paths named here are looked into, but their own .pth files are not: an editable plash stays unseen
    paths = sysconfig.get_paths()
    site = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    Path(site, "dependencies.pth").write_text(f"{paths['purelib']}\n{paths['platlib']}\n", "utf-8")
    return found


def test_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    wanted = {path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*") if path.is_file()}
    wanted = {name for name in wanted if "__pycache__" not in name}
    assert {f"plash/{name}" for name in DATA} <= wanted
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if not name.split("/")[0].endswith(".dist-info")}
    assert found == wanted


def test_plash_is_that_of_the_wheel(programs, tmp_path):
    where = run(programs / "python", "-c", "import plash; print(plash.__file__)", folder=tmp_path)
    assert programs.parent in Path(where.strip()).parents


def test_scenes_and_presets_are_found(programs, tmp_path):
    assert "dam_break" in run(programs / "plash", "scenes", folder=tmp_path)
    program = (
        "from plash.studio.presets import presets, preset_text\n"
        "assert all(preset_text(preset['name']) for preset in presets())"
    )
    run(programs / "python", "-W", "error", "-c", program, folder=tmp_path)


def test_a_scene_becomes_a_movie(programs, tmp_path):
    words = ("run", "dam_break_2d", "--resolution", "16", "--frames", "3", "--quality", "draft", "--out", "movie")
    out = run(programs / "plash", *words, folder=tmp_path)
    assert "movie    movie/movie.mp4" in out.replace(os.sep, "/")
    assert (tmp_path / "movie" / "movie.mp4").read_bytes()[4:8] == b"ftyp"
    assert "<svg" in (tmp_path / "movie" / "report.html").read_text("utf-8")
