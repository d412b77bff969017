"""Scene files with one thing wrong each: every one is refused by file, line, key and value."""

import pytest

from plash.errors import SceneError
from plash.scene import load_scene

GOOD = """\
version = 1
[domain]
size = [2, 1, 1]
resolution = 64
[time]
frames = 10
[liquid]
material = "water"
[[fill]]
shape = { kind = "box", min = [0, 0, 0], max = [1, 0.5, 1] }
[[solid]]
name = "ball"
shape = { kind = "sphere", center = [1.5, 0.2, 0.5], radius = 0.1 }
"""

SPHERE = 'shape = { kind = "sphere", center = [1.5, 0.2, 0.5], radius'
DEEP = "shape = " + '{ kind = "union", of = [' * 17 + "]}" * 17
LONG = "k" * 100_000

# line to change, what stands there instead, line and key of the problem, words in the message
BROKEN = {
    "wrong unit": (
        13,
        f'{SPHERE} = "10 kg" }}',
        13,
        "solid[0].shape.radius",
        ['"10 kg"', "a mass, not a length"],
    ),
    "unknown unit": (3, 'size = ["2 metrs", 1, 1]', 3, "domain.size[0]", ['"2 metrs"', '"meter"']),
    "text for a number": (6, 'frames = "ten"', 6, "time.frames", ['"ten"', "whole number"]),
    "number for text": (12, "name = 3", 12, "solid[0].name", ["3", "text"]),
    "number for a table": (10, "shape = 3", 10, "fill[0].shape", ["3", "a table with a kind"]),
    "date": (6, "frames = 1979-05-27", 6, "time.frames", ["1979", "whole number"]),
    "half a frame": (6, "frames = 2.5", 6, "time.frames", ["2.5", "whole number"]),
    "switch for a number": (4, "resolution = true", 4, "domain.resolution", ["true", "whole number"]),
    "unknown key": (4, "resolutoin = 32", 4, "domain.resolutoin", ["set to 32", 'Did you mean "resolution"']),
    "unknown table": (5, "[tiem]", 5, "tiem", ["unknown table", 'Did you mean "time"']),
    "table of a later version": (5, "[smoke]", 5, "smoke", ["unknown table", "version, title, domain"]),
    "unknown key at the top": (1, 'version = 1\ntilte = "x"', 2, "tilte", ['"x"', 'Did you mean "title"']),
    "unknown key in a shape": (13, f"{SPHERE} = 1, colour = 7 }}", 13, "solid[0].shape.colour", ["set to 7"]),
    "version 2": (1, "version = 2", 1, "version", ["2", "must be 1"]),
    "no version": (1, "", None, "version", ["is missing", "version = 1"]),
    "version as text": (1, 'version = "1"', 1, "version", ['"1"', "whole number"]),
    "zero size": (3, "size = [2, 0, 1]", 3, "domain.size[1]", ["0", "above 0 m"]),
    "size in several lines": (3, "size = [\n2,\n-1,\n1]", 5, "domain.size[1]", ["-1", "above 0 m"]),
    "one-dimensional": (3, "size = [2]", 3, "domain.size", ["[2]", "length 1"]),
    "no size": (3, "", 2, "domain.size", ["is missing"]),
    "resolution 0": (4, "resolution = 0", 4, "domain.resolution", ["0", "at least 1"]),
    "resolution of a thousand million": (
        4,
        "resolution = 1000000000",
        4,
        "domain.resolution",
        ["1000000000", "at most 4096"],
    ),
    "more cells than can be counted": (
        4,
        "resolution = 4096",
        4,
        "domain.resolution",
        ["4096", "2147483648"],
    ),
    "number of ten thousand bits": (
        4,
        f"resolution = 0x1{'0' * 2500}",
        4,
        "domain.resolution",
        ["10001 bits"],
    ),
    "nan": (13, f"{SPHERE} = nan }}", 13, "solid[0].shape.radius", ["nan", "finite"]),
    "infinity": (4, "cell_size = inf", 4, "domain.cell_size", ["inf", "finite"]),
    "negative radius": (13, f'{SPHERE} = "-3 cm" }}', 13, "solid[0].shape.radius", ['"-3 cm"', "above 0 m"]),
    "fill outside": (
        10,
        'shape = { kind = "sphere", center = [5, 0.5, 0.5], radius = 1 }',
        10,
        "fill[0].shape",
        ["wholly outside", "from (4, -0.5, -0.5) to (6, 1.5, 1.5) m"],
    ),
    "fill below the floor": (
        10,
        'shape = { kind = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }',
        10,
        "fill[0].shape",
        ["wholly outside"],
    ),
    "no fill": (9, "[[solid]]", None, "fill", ["no liquid", "[[fill]]"]),
    "fill in single brackets": (9, "[fill]", 9, "fill", ["[[ ]]"]),
    "domain in double brackets": (2, "[[domain]]", 2, "domain", ["[ ]"]),
    "same name twice": (
        12,
        'name = "a"\nshape.kind = "half_space"\nshape.point = [0, 0, 0]\nshape.normal = [1, 0, 0]\n'
        '[[solid]]\nname = "a"',
        17,
        "solid[1].name",
        ['"a"', "solid[0]", "names must differ"],
    ),
    "2-D vector in a 3-D scene": (
        10,
        GOOD.splitlines()[9] + "\nvelocity = [0, -1]",
        11,
        "fill[0].velocity",
        ["[0.0, -1.0]", "3-D"],
    ),
    "both resolution and cell_size": (
        4,
        'resolution = 64\ncell_size = "5 cm"',
        5,
        "domain.cell_size",
        ["0.05", "resolution = 64"],
    ),
    "both viscosities": (
        8,
        'dynamic_viscosity = 1\nkinematic_viscosity = "1 cSt"',
        9,
        "liquid.kinematic_viscosity",
        ["1e-06", "dynamic_viscosity = 1.0"],
    ),
    "box inside out": (
        10,
        'shape = { kind = "box", min = [0, 0, 0], max = [1, -0.5, 1] }',
        10,
        "fill[0].shape.max",
        ["-0.5", "along y"],
    ),
    "rod without length": (
        13,
        'shape = { kind = "cylinder", base = [1, 1, 1], top = [1, 1, 1], radius = 1 }',
        13,
        "solid[0].shape.top",
        ["[1.0, 1.0, 1.0]", "same point"],
    ),
    "plane without direction": (
        13,
        'shape = { kind = "half_space", point = [1, 1, 1], normal = [0, 0, 0] }',
        13,
        "solid[0].shape.normal",
        ["[0.0, 0.0, 0.0]", "no direction"],
    ),
    "unknown material": (
        8,
        'material = "wather"',
        8,
        "liquid.material",
        ['"wather"', 'Did you mean "water"'],
    ),
    "unknown shape": (
        13,
        'shape = { kind = "spere" }',
        13,
        "solid[0].shape",
        ['"spere"', 'Did you mean "sphere"'],
    ),
    "shape without kind": (13, "shape = { radius = 1 }", 13, "solid[0].shape", ["no kind", "half_space"]),
    "function in a file": (
        13,
        'shape = { kind = "function", function = "f" }',
        13,
        "solid[0].shape.function",
        ['"f"', "names no function", "waves:height"],
    ),
    "unknown word": (7, '[solver]\ntransfer = "flop"\n[liquid]', 8, "solver.transfer", ['"flop"', '"flip"']),
    "5 particles in a cell": (
        7,
        "[solver]\nparticles_per_cell = 5\n[liquid]",
        8,
        "solver.particles_per_cell",
        ["5", "a cube", "8, 27"],
    ),
    "courant of 11": (7, "[solver]\ncourant = 11\n[liquid]", 8, "solver.courant", ["11", "at most 10"]),
    "unknown side": (4, 'sides = { y_mix = "open" }', 4, "domain.sides.y_mix", ['"open"', '"y_min"']),
    "difference of nothing": (
        13,
        'shape = { kind = "difference", of = [] }',
        13,
        "solid[0].shape.of",
        ["[]", "too short"],
    ),
    "unions seventeen deep": (13, DEEP, 13, "solid[0].shape", ["more than 16 shapes deep"]),
    "key of a hundred thousand letters": (
        4,
        f"{LONG} = 1",
        4,
        'domain."' + "k" * 56 + "...",
        ["unknown key"],
    ),
    "key with a dot": (4, '"a.b" = 1', 4, 'domain."a.b"', ["set to 1"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_scene_is_refused_by_file_line_key_and_value(case, tmp_path):
    changed, text, line, key, words = BROKEN[case]
    lines = GOOD.splitlines()
    lines[changed - 1] = text
    path = tmp_path / "my_scene.toml"
    path.write_text("\n".join(lines))
    with pytest.raises(SceneError) as error:
        load_scene(path)
    assert type(error.value) is SceneError
    (problem,) = error.value.problems
    assert (problem.line, problem.key) == (line, key)
    assert all(word in problem.message for word in words), problem.message
    assert str(error.value).startswith(f"{path}: " + (f"line {line}: {key}: " if line else f"{key}: "))
    assert len(str(error.value)) < 600


def test_scene_that_the_broken_ones_come_from_is_good(tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(GOOD)
    assert load_scene(path).domain.cells == (64, 32, 32)


def test_all_problems_of_a_file_are_reported_in_the_order_of_their_lines(tmp_path):
    path = tmp_path / "many.toml"
    text = GOOD.replace("64", "-64").replace("10", "0").replace("water", "watre").replace("0.1 }", '"1 s" }')
    path.write_text(text.replace("version = 1\n", "\n") + "[[solid]]\nshape = 3\n[smoke]\n")
    with pytest.raises(SceneError) as error:
        load_scene(path)
    assert [(problem.line, problem.key) for problem in error.value.problems] == [
        (None, "version"),
        (4, "domain.resolution"),
        (6, "time.frames"),
        (8, "liquid.material"),
        (13, "solid[0].shape.radius"),
        (15, "solid[1].shape"),
        (16, "smoke"),
    ]


# Files that are no scene at all: bytes, line, words in the message
NO_SCENE = {
    "empty": (b"", None, ["empty"]),
    "only blanks": (b" \n\n", None, ["empty"]),
    "not TOML": (b"version = 1\n\nthis is prose\n", 3, ["not valid TOML"]),
    "string without end": (b'version = 1\ntitle = "abc\n', 2, ["not valid TOML"]),
    "array without end": (b"version = 1\n[domain]\nsize = [1, 2\n", 3, ["not valid TOML"]),
    "same key twice": (b"version = 1\nversion = 1\n", 2, ["not valid TOML"]),
    "binary": (b"\x7fELF\x00\x01\x02\xff" * 100, None, ["binary"]),
    "Latin-1": ('version = 1\ntitle = "Fön"\n'.encode("latin-1"), 2, ["0xf6", "UTF-8"]),
    "UTF-16": ("version = 1\n".encode("utf-16"), None, ["binary"]),
    "brackets nested deep": (b"a = " + b"[" * 100_000, None, ["nested too deep"]),
    "number of five thousand digits": (b"version = " + b"1" * 5000, 1, ["5000 digits"]),
    "five million letters": (b"#" * 5_000_000, None, ["5000000 bytes", "4194304"]),
}


@pytest.mark.parametrize("case", NO_SCENE)
def test_file_that_is_no_scene_is_refused(case, tmp_path):
    data, line, words = NO_SCENE[case]
    path = tmp_path / "my_scene.toml"
    path.write_bytes(data)
    with pytest.raises(SceneError) as error:
        load_scene(path)
    (problem,) = error.value.problems
    assert problem.line == line
    assert all(word in problem.message for word in words), problem.message
    assert str(error.value).startswith(f"{path}: ")


def test_file_with_byte_order_mark_and_windows_lines_is_read(tmp_path):
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_scene(path).solid[0].name == "ball"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("64", "0").replace("\n", "\r\n").encode())
    with pytest.raises(SceneError, match=r"line 4: domain\.resolution: 0"):
        load_scene(path)


def test_missing_file_is_refused_with_the_nearest_name_of_the_gallery():
    with pytest.raises(
        SceneError, match=r'dam_brake: .*Did you mean "dam_break"\? The gallery has: ball_drop, bench_dam_break,'
    ):
        load_scene("dam_brake")
    with pytest.raises(SceneError, match=r"nowhere/still_pol\.toml: .*\"still_pool\""):
        load_scene("nowhere/still_pol.toml")


def test_directory_is_refused(tmp_path):
    with pytest.raises(SceneError, match="is a directory"):
        load_scene(tmp_path)


def test_device_is_refused():
    with pytest.raises(SceneError, match="not a file"):
        load_scene("/dev/zero")


def test_file_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "secret.toml"
    path.write_text(GOOD)

    def forbidden(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", forbidden)
    with pytest.raises(SceneError, match="cannot be read: Permission denied"):
        load_scene(path)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "", ".", "/"])
def test_name_that_no_file_can_have_is_refused(name):
    with pytest.raises(SceneError):
        load_scene(name)
