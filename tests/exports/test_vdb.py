"""VDB files hold every number where it is: read back by a reader of our own, and by OpenVDB where it is installed."""

import sys

import numpy as np
import pytest

from plash.errors import MissingPartError
from plash.exports.vdb import vdb_bytes, vdb_file
from plash.exports.vdb_packing import PLAIN, ZIPPED, packing
from plash.grid.dense import tiles_over
from plash.grid.sparse_grid import GridKind, SparseGrid, volume_grids
from plash.grid.tiles import Tiles
from plash.grid.volume import Volume

from .vdb_reader import read_vdb

H = 0.25
# Beside each other, in other nodes of the tree, below 0
APART = [[0, 0, 0], [1, 0, 0], [-1, 3, 2], [600, -5, 17], [16, 0, 0], [15, 0, 0]]


@pytest.fixture(params=["none", "zip", "blosc"])
def packed(request):
    """Every way to pack numbers."""
    if request.param == "blosc":
        pytest.importorskip("blosc")
    return packing(request.param)


def volume(places=APART, dimension=3):
    tiles, random = Tiles.at(places, dimension), np.random.default_rng(3)
    density = random.random((tiles.count + 1, *tiles.shape)).astype(np.float32)
    density[density < 0.3] = 0
    velocity = random.standard_normal((tiles.count + 1, *tiles.shape, dimension)).astype(np.float32)
    density[0], velocity[0] = 0, 0
    return Volume(tiles, {"density": density, "velocity": velocity}, H)


def voxels(volume, name):
    """Every voxel that is not zero, by its place."""
    pool = volume.pools[name]
    told = pool != 0 if pool.ndim == 4 else (pool != 0).any(axis=-1)
    told[0] = False
    slots, z, y, x = np.nonzero(told)
    places = volume.tiles.origins[slots] + np.stack([x, y, z], axis=1)
    return {tuple(place): value for place, value in zip(places.tolist(), pool[told], strict=True)}


def in_space(vector):
    return [*vector, 0.0][:3]


@pytest.mark.parametrize("half", [False, True])
def test_every_voxel_is_where_it_was(half, packed):
    given = volume()
    grids = read_vdb(vdb_file(volume_grids(given), half=half, packing=packed))
    assert list(grids) == ["density", "velocity"]
    for name, grid in grids.items():
        wanted = voxels(given, name)
        assert grid.active.keys() == wanted.keys()
        read = np.array([grid.active[place] for place in wanted])
        asked = np.array([np.atleast_1d(value) for value in wanted.values()])
        assert np.abs(read - asked).max() <= (2e-3 if half else 0)
        assert not any(np.any(value) for value in grid.inactive.values())
        assert grid.about["is_saved_as_half_float"] == half
        assert grid.about["file_voxel_count"] == len(wanted)
        places = np.array(list(wanted))
        assert grid.about["file_bbox_min"] == tuple(places.min(axis=0))
        assert grid.about["file_bbox_max"] == tuple(places.max(axis=0))
    assert grids["density"].about["class"] == "fog volume"
    assert grids["velocity"].about["vector_type"] == "contravariant relative"


def test_voxels_stand_at_the_centres_of_cells():
    name, numbers = read_vdb(vdb_bytes(volume()))["density"].transform
    assert name == "UniformScaleTranslateMap"
    assert numbers.tolist() == [H / 2] * 3 + [H] * 6 + [1 / H] * 3 + [1 / H**2] * 3 + [0.5 / H] * 3


def test_with_z_up_places_and_vectors_are_turned_alike():
    given = volume()
    grid = read_vdb(vdb_bytes(given, up="z"))["velocity"]
    name, numbers = grid.transform
    matrix = numbers.reshape(4, 4)
    assert name == "AffineMap"
    for (x, y, z), (u, v, w) in voxels(given, "velocity").items():
        assert grid.active[x, y, z].tolist() == [u, -w, v]
        at = np.array([x, y, z, 1]) @ matrix
        assert np.allclose(at, [(x + 0.5) * H, -(z + 0.5) * H, (y + 0.5) * H, 1])


def test_a_plane_volume_is_one_layer():
    given = volume([[0, 0, 0], [1, -2, 0]], dimension=2)
    grids = read_vdb(vdb_bytes(given))
    for name in ("density", "velocity"):
        wanted = voxels(given, name)
        assert grids[name].active.keys() == wanted.keys()
        assert {place[2] for place in wanted} == {0}
    place, value = next(iter(voxels(given, "velocity").items()))
    assert grids["velocity"].active[place].tolist() == in_space(value)


def test_nothing_is_a_file_too():
    (grid,) = read_vdb(vdb_bytes(Volume.empty(3, H))).values()
    assert not grid.active
    assert read_vdb(vdb_file([])) == {}


def ball(band=0.75):
    """The distance to a ball in a narrow band."""
    tiles = tiles_over((-3, 0, 0), (40, 36, 30))
    middle, radius = np.array([12.0, 20.0, 12.0]) * H, 11 * H
    distance = np.full((tiles.count + 1, *tiles.shape), band, np.float32)
    places = tiles.cell_centres(tiles.slots, H) - 0.5 * H
    distance[1:].reshape(-1)[:] = np.clip(np.sqrt(((places - middle) ** 2).sum(axis=1)) - radius, -band, band)
    active = np.abs(distance) < band
    return SparseGrid("surface", GridKind.LEVEL_SET, tiles, distance, active, band, H, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("half", [False, True])
def test_a_level_set_keeps_its_sign_beyond_the_band(half):
    given = ball()
    grid = read_vdb(vdb_file([given], half=half, packing=ZIPPED if half else PLAIN))["surface"]
    assert grid.about["class"] == "level set"
    assert grid.background.tolist() == [0.75]
    outside = inside = 0
    for slot in given.tiles.slots:
        for z, y, x in np.ndindex(*given.tiles.shape):
            place = tuple(int(c) for c in given.tiles.origins[slot] + [x, y, z])
            leaf = tuple(c // 8 * 8 for c in place)
            known = grid.active.get(place, grid.inactive.get(place, grid.tiles.get(leaf, grid.background)))
            assert abs(known[0] - given.pool[slot, z, y, x]) <= (5e-4 if half else 0)
            outside += known[0] == 0.75
            inside += known[0] == -0.75
    assert min(outside, inside) > 500
    assert grid.tiles  # the middle of the ball needs no leaf


def test_the_same_grids_give_the_same_bytes():
    assert vdb_bytes(volume()) == vdb_bytes(volume())
    assert vdb_bytes(volume()) != vdb_bytes(volume(APART[1:]))


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("half", [False, True])
def test_openvdb_reads_the_same(tmp_path, up, half, packed):
    openvdb = pytest.importorskip("pyopenvdb")
    given, path = volume(), tmp_path / "volume.vdb"
    path.write_bytes(vdb_file([*volume_grids(given), ball()], up, half, packed))
    grids = {grid.name: grid for grid in openvdb.readAll(str(path))[0]}
    assert sorted(grids) == ["density", "surface", "velocity"]
    for name in ("density", "velocity"):
        accessor = grids[name].getConstAccessor()
        wanted = voxels(given, name)
        assert grids[name].activeVoxelCount() == len(wanted)
        for place, value in wanted.items():
            if name == "velocity" and up == "z":
                value = [value[0], -value[2], value[1]]
            assert np.abs(np.array(accessor.getValue(place)) - value).max() <= (2e-3 if half else 0)
    x, y, z = 1.5 * H, 2.5 * H, 3.5 * H
    assert grids["density"].transform.indexToWorld((1, 2, 3)) == ((x, y, z) if up == "y" else (x, -z, y))
    surface, accessor = ball(), grids["surface"].getConstAccessor()
    for slot in surface.tiles.slots:
        place = tuple(int(c) for c in surface.tiles.origins[slot])
        assert abs(accessor.getValue(place) - surface.pool[slot, 0, 0, 0]) <= (5e-4 if half else 0)


@pytest.mark.parametrize("way", ["zip", "blosc"])
def test_smooth_smoke_is_packed_to_less(way):
    if way == "blosc":
        pytest.importorskip("blosc")
    tiles = tiles_over((0, 0, 0), (24, 16, 32))
    x, y, z = tiles.cell_centres(tiles.slots, H).astype(np.float32).T
    density = np.zeros((tiles.count + 1, *tiles.shape), np.float32)
    density[1:].reshape(-1)[:] = np.exp(-x) * (1.2 + np.sin(y + z))
    grids = volume_grids(Volume(tiles, {"density": density}, H))
    plain, shorter = (len(vdb_file(grids, packing=packing(each))) for each in ("none", way))
    assert shorter < 0.9 * plain


def test_without_blosc_its_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "blosc", None)
    with pytest.raises(MissingPartError, match=r'pip install "plash\[vdb\]"'):
        packing("blosc")
