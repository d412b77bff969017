"""Scenes that are no scenes, and some that are: read, checked and written again, or refused with every reason."""

import math
import re
from pathlib import Path
from random import Random
from typing import Any

import plash
from plash.errors import SceneError
from plash.scene import Scene, gallery, load_scene, parse_scene, scene_text
from plash.scene.language.read import gallery_text

from .cases import promise
from .flows import Writer
from .words import DATE, ENTRIES, KEYS, KINDS, LETTERS, NUMBERS, TOML_LINES, TOML_TABLES, TOML_VALUES, WORDS

_LONGEST_SENTENCE = 1000
_STEPS = 0.04  # share of the scenes that are checked with steps
_MOST_CELLS = 20_000  # of a scene that is checked with steps


def attempt(chance: Random, place: Path) -> str:
    """Read something, and if it is a scene look for trouble in it."""
    kinds = (_damaged_text, _damaged_text, _damaged_tables, _damaged_tables, _lines, _tables, _overrides, _bytes)
    try:
        scene = chance.choice(kinds)(chance, place)
        _check(scene, chance)
    except SceneError as error:
        promise(error.problems, "refused without a reason")
        longest = max(len(str(problem)) for problem in error.problems)
        promise(longest < _LONGEST_SENTENCE, f"a reason of {longest} characters")
        return "refused"
    return "a scene"


def _check(scene: Scene, chance: Random) -> None:
    promise(isinstance(scene, Scene), f"{scene!r} is no scene")
    promise(parse_scene(scene_text(scene)) == scene, "written and read again it is another scene")
    cells = math.prod(scene.domain.cells)
    with_steps = chance.random() < _STEPS and cells < _MOST_CELLS
    report = plash.check(scene, with_steps=with_steps)
    promise(report.estimate is None or math.isfinite(report.estimate.memory), f"{report}")
    report.raise_errors()


# What is read


def _damaged_text(chance: Random, place: Path) -> Scene:
    text = _text(chance)
    for _ in range(chance.choice([1, 1, 2, 4])):
        text = chance.choice((_cut, _revalued, _rearranged))(chance, text)
    return parse_scene(text, "scene", Path(plash.__file__).parent / "scenes")


def _damaged_tables(chance: Random, place: Path) -> Scene:
    data = Writer(chance).scene()
    for _ in range(chance.choice([0, 1, 1, 2])):
        _damage(chance, data)
    return Scene(**data)


def _lines(chance: Random, place: Path) -> Scene:
    lines = []
    for _ in range(chance.randrange(12)):
        key = ".".join(chance.sample(KEYS, chance.choice([1, 1, 2])))
        lines.append(chance.choice([f"{key} = {chance.choice(TOML_VALUES)}", *TOML_TABLES, *TOML_LINES]))
    return parse_scene("\n".join(lines))


def _tables(chance: Random, place: Path) -> Scene:
    data = {key: nonsense(chance) for key in chance.sample(KEYS, chance.randrange(5))}
    if chance.random() < 0.8:
        shapes = [{"shape": _shape(chance)} for _ in range(chance.randrange(3))]
        data |= {"domain": {"size": chance.choice([[1, 1], [1, 1, 1], nonsense(chance)])}, "fill": shapes}
    return Scene(**data)


def _overrides(chance: Random, place: Path) -> Scene:
    keys = [*KEYS, "solver.seed", "fill[0].shape", "fill[9]", "domain.size[0]", "a.b", "", "[", "fill[-1].shape.min"]
    changes = {chance.choice(keys): nonsense(chance) for _ in range(chance.choice([1, 1, 2, 3]))}
    return load_scene(chance.choice(sorted(gallery())), **changes)


def _bytes(chance: Random, place: Path) -> Scene:
    path = place / "scene.toml"
    data = _text(chance).encode() if chance.random() < 0.5 else chance.randbytes(chance.randrange(200))
    for _ in range(chance.choice([0, 1, 3])):
        if data:
            at = chance.randrange(len(data))
            data = data[:at] + chance.randbytes(1) + data[at + 1 :]
    path.write_bytes(data)
    return load_scene(path)


# How it is damaged


def _text(chance: Random) -> str:
    if chance.random() < 0.6:
        return gallery_text(chance.choice(sorted(gallery())))
    try:
        return scene_text(Scene(**Writer(chance).scene()))
    except SceneError:
        return gallery_text("dam_break_2d")


def _cut(chance: Random, text: str) -> str:
    """A few letters taken out, and others put in."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.randrange(9))
    return text[:start] + "".join(chance.choices(LETTERS, k=chance.randrange(6))) + text[end:]


def _revalued(chance: Random, text: str) -> str:
    """A value that is another."""
    values = list(re.finditer(r"= *([^\n,}]+)", text))
    if not values:
        return text
    match = chance.choice(values)
    value = chance.choice([*TOML_VALUES, *(match.group(1) + end for end in ("0", "e9", "e-9", "e300", ".5"))])
    return text[: match.start(1)] + value + text[match.end(1) :]


def _rearranged(chance: Random, text: str) -> str:
    """A line that is missing, is there twice, or is somewhere else."""
    lines = text.split("\n")
    line = lines.pop(chance.randrange(len(lines)))
    for _ in range(chance.choice([0, 1, 2])):
        lines.insert(chance.randrange(len(lines) + 1), line)
    return "\n".join(lines)


def _damage(chance: Random, data: Any) -> None:
    """Replace, take out or add an entry somewhere in nested tables and lists."""
    places: list[tuple[Any, Any]] = []
    level = [data]
    while level:
        item = level.pop()
        inner = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
        for key, value in inner:
            places.append((item, key))
            level.append(value)
    if not places:
        return
    item, key = chance.choice(places)
    deed = chance.choice(["replace", "replace", "remove", "add", "scale"])
    if deed == "remove":
        del item[key]
    elif deed == "add":
        if isinstance(item, dict):
            item[chance.choice(KEYS)] = nonsense(chance)
        else:
            item.append(nonsense(chance))
    elif deed == "scale" and isinstance(item[key], int | float):
        item[key] *= chance.choice([-1, 0, 1e-12, 1e3, 1e12, 1e300])
    else:
        item[key] = nonsense(chance)


def nonsense(chance: Random, depth: int = 0) -> Any:
    """A value of any kind."""
    kind = chance.choice(["number", "number", "word", "entries", "text", "other", *(["list", "table"] * (depth < 3))])
    if kind == "number":
        return chance.choice([*NUMBERS, chance.randint(-(10**6), 10**6), chance.gauss(0, 1)])
    if kind == "word":
        return chance.choice(WORDS)
    if kind == "entries":
        return chance.choices(ENTRIES, k=chance.choice([2, 3]))
    if kind == "text":
        return "".join(chr(chance.choice([chance.randrange(128), chance.randrange(0x110000)])) for _ in range(4))
    if kind == "list":
        return [nonsense(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == "table":
        return {key: nonsense(chance, depth + 1) for key in chance.sample(KEYS, chance.randrange(5))}
    return chance.choice([None, True, False, b"ab", DATE, (1,), (1, 2, 3)])


def _shape(chance: Random) -> Any:
    keys = ("min", "max", "center", "radius", "of", "base", "file", "scale")
    return {"kind": chance.choice(KINDS), **{key: nonsense(chance) for key in chance.sample(keys, 3)}}
