"""Gates's 63 cases, and whole steps with them; h and rho are never one, and no box is a cube."""

import itertools

import numpy as np
import pytest
from scipy.spatial import cKDTree

import plash
from plash.grid.cells import AIR, LIQUID, SOLID, WALL, WET, label_cells
from plash.grid.dense import from_dense, tiles_over, to_dense
from plash.grid.differences import divergence
from plash.grid.fields import FaceField
from plash.physics.forces import Gravity
from plash.physics.free_surface_cells import SurfaceCells, set_surface_velocities
from plash.physics.pressure import PressureSolver
from plash.physics.straight_paths import straight_path_divergence
from plash.solvers.build.liquid import build_liquid

RHO, DT, TOLERANCE, G = 723.0, 0.013, 1e-6, 9.81
FIRST = {2: (-5, 11), 3: (-5, 4, 2)}  # cells begin and end in the middle of tiles
SIZE = {2: (37, 26), 3: (21, 14, 17)}

# The listing of the paper's section 3, written out. Air at -x, +x, -y, +y, -z, +z; faces x0, x1, y0, y1, z0, z1 in the
# same order; gx, gy, gz the velocity given by the body force; dx = x1 - x0 and so on, D = dx + dy + dz. Every right
# side is made of the old values.
LISTING = {
    # One air neighbour
    "100000": "x0=x1+dy+dz",
    "010000": "x1=x0-dy-dz",
    "001000": "y0=y1+dx+dz",
    "000100": "y1=y0-dx-dz",
    "000010": "z0=z1+dx+dy",
    "000001": "z1=z0-dx-dy",
    # Two, opposite
    "110000": "x0=x0+gx+D/2, x1=x1+gx-D/2",
    "001100": "y0=y0+gy+D/2, y1=y1+gy-D/2",
    "000011": "z0=z0+gz+D/2, z1=z1+gz-D/2",
    # Two, sharing an edge
    "101000": "x0=x1+dz/2, y0=y1+dz/2",
    "100100": "x0=x1+dz/2, y1=y0-dz/2",
    "011000": "x1=x0-dz/2, y0=y1+dz/2",
    "010100": "x1=x0-dz/2, y1=y0-dz/2",
    "001010": "y0=y1+dx/2, z0=z1+dx/2",
    "001001": "y0=y1+dx/2, z1=z0-dx/2",
    "000110": "y1=y0-dx/2, z0=z1+dx/2",
    "000101": "y1=y0-dx/2, z1=z0-dx/2",
    "100010": "x0=x1+dy/2, z0=z1+dy/2",
    "100001": "x0=x1+dy/2, z1=z0-dy/2",
    "010010": "x1=x0-dy/2, z0=z1+dy/2",
    "010001": "x1=x0-dy/2, z1=z0-dy/2",
    # Three round a corner
    "010101": "x1=x0, y1=y0, z1=z0",
    "100101": "x0=x1, y1=y0, z1=z0",
    "011001": "x1=x0, y0=y1, z1=z0",
    "101001": "x0=x1, y0=y1, z1=z0",
    "010110": "x1=x0, y1=y0, z0=z1",
    "100110": "x0=x1, y1=y0, z0=z1",
    "011010": "x1=x0, y0=y1, z0=z1",
    "101010": "x0=x1, y0=y1, z0=z1",
    # Three, two of them opposite
    "111000": "x0=x0+gx, x1=x1+gx, y0=y1+dx+dz",
    "110100": "x0=x0+gx, x1=x1+gx, y1=y0-dx-dz",
    "110010": "x0=x0+gx, x1=x1+gx, z0=z1+dx+dy",
    "110001": "x0=x0+gx, x1=x1+gx, z1=z0-dx-dy",
    "101100": "y0=y0+gy, y1=y1+gy, x0=x1+dy+dz",
    "011100": "y0=y0+gy, y1=y1+gy, x1=x0-dy-dz",
    "001110": "y0=y0+gy, y1=y1+gy, z0=z1+dx+dy",
    "001101": "y0=y0+gy, y1=y1+gy, z1=z0-dx-dy",
    "100011": "z0=z0+gz, z1=z1+gz, x0=x1+dy+dz",
    "010011": "z0=z0+gz, z1=z1+gz, x1=x0-dy-dz",
    "001011": "z0=z0+gz, z1=z1+gz, y0=y1+dx+dz",
    "000111": "z0=z0+gz, z1=z1+gz, y1=y0-dx-dz",
    # Four, in two opposite pairs
    "111100": "x0=x0+gx+D/4, x1=x1+gx-D/4, y0=y0+gy+D/4, y1=y1+gy-D/4",
    "110011": "x0=x0+gx+D/4, x1=x1+gx-D/4, z0=z0+gz+D/4, z1=z1+gz-D/4",
    "001111": "y0=y0+gy+D/4, y1=y1+gy-D/4, z0=z0+gz+D/4, z1=z1+gz-D/4",
    # Four, one opposite pair
    "110101": "x0=x0+gx, x1=x1+gx, y1=y0-dx/2, z1=z0-dx/2",
    "110110": "x0=x0+gx, x1=x1+gx, y1=y0-dx/2, z0=z1+dx/2",
    "111001": "x0=x0+gx, x1=x1+gx, y0=y1+dx/2, z1=z0-dx/2",
    "111010": "x0=x0+gx, x1=x1+gx, y0=y1+dx/2, z0=z1+dx/2",
    "011101": "y0=y0+gy, y1=y1+gy, x1=x0-dy/2, z1=z0-dy/2",
    "011110": "y0=y0+gy, y1=y1+gy, x1=x0-dy/2, z0=z1+dy/2",
    "101101": "y0=y0+gy, y1=y1+gy, x0=x1+dy/2, z1=z0-dy/2",
    "101110": "y0=y0+gy, y1=y1+gy, x0=x1+dy/2, z0=z1+dy/2",
    "010111": "z0=z0+gz, z1=z1+gz, x1=x0-dz/2, y1=y0-dz/2",
    "011011": "z0=z0+gz, z1=z1+gz, x1=x0-dz/2, y0=y1+dz/2",
    "100111": "z0=z0+gz, z1=z1+gz, x0=x1+dz/2, y1=y0-dz/2",
    "101011": "z0=z0+gz, z1=z1+gz, x0=x1+dz/2, y0=y1+dz/2",
    # Five
    "011111": "y0=y0+gy, y1=y1+gy, z0=z0+gz, z1=z1+gz, x1=x0-dy-dz",
    "101111": "y0=y0+gy, y1=y1+gy, z0=z0+gz, z1=z1+gz, x0=x1+dy+dz",
    "110111": "x0=x0+gx, x1=x1+gx, z0=z0+gz, z1=z1+gz, y1=y0-dx-dz",
    "111011": "x0=x0+gx, x1=x1+gx, z0=z0+gz, z1=z1+gz, y0=y1+dx+dz",
    "111101": "x0=x0+gx, x1=x1+gx, y0=y0+gy, y1=y1+gy, z1=z0-dx-dy",
    "111110": "x0=x0+gx, x1=x1+gx, y0=y0+gy, y1=y1+gy, z0=z1+dx+dy",
    # Six
    "111111": "x0=x0+gx, x1=x1+gx, y0=y0+gy, y1=y1+gy, z0=z0+gz, z1=z1+gz",
}
FACES = ("x0", "x1", "y0", "y1", "z0", "z1")


def listed(case, u, g):
    """The six face velocities after one case of the listing."""
    x0, x1, y0, y1, z0, z1 = u
    dx, dy, dz = x1 - x0, y1 - y0, z1 - z0
    names = dict(zip(FACES, u, strict=True)) | {"dx": dx, "dy": dy, "dz": dz, "D": dx + dy + dz}
    names |= dict(zip(("gx", "gy", "gz"), g, strict=True))
    result = list(u)
    for statement in LISTING[case].split(", "):
        face, value = statement.split("=")
        result[FACES.index(face)] = eval(value, {}, names)
    return result


class Patch:
    """Labels [x, y[, z]] in an infinity of air, and velocities on the faces of the box (one more along their axis)."""

    def __init__(self, label, faces, first=None):
        self.label, self.faces, dimension = label, faces, label.ndim
        self.first = first or FIRST[dimension]
        tiles = tiles_over(tuple(f - 1 for f in self.first), tuple(n + 2 for n in label.shape))
        marked, solid = (from_dense(label == kind, tiles, self.first, False) for kind in (LIQUID, SOLID))
        self.cells = label_cells(tiles, marked, solid)
        pools = [from_dense(u.astype(np.float32), tiles, self.first, np.nan) for u in faces]
        self.velocity = FaceField(tiles, np.stack(pools))

    def result(self):
        """The faces of the box as they are now."""
        pools, tiles = self.velocity.pool, self.velocity.tiles
        return [to_dense(pools[a], tiles, self.first, u.shape) for a, u in enumerate(self.faces)]

    def surface_cells(self):
        """Index and case of every liquid cell with an air neighbour."""
        padded = np.pad(self.label, 1, constant_values=AIR)
        for index in np.argwhere(self.label == LIQUID):
            neighbours = [
                padded[tuple(index + 1 + side * unit)]
                for unit in np.eye(self.label.ndim, dtype=int)
                for side in (-1, 1)
            ]
            case = "".join("1" if label == AIR else "0" for label in neighbours).ljust(6, "0")
            if "1" in case:
                yield tuple(index), case

    def around(self, faces, index):
        """The velocities on the six faces of a cell; zero across z in 2-D."""
        u = []
        for axis in range(self.label.ndim):
            u += [faces[axis][index], faces[axis][next_along(index, axis)]]
        return [float(value) for value in u] + [0.0] * (6 - len(u))


def next_along(index, axis):
    return tuple(i + (a == axis) for a, i in enumerate(index))


def random_patch(dimension, seed=0, size=None):
    """Liquid, air and a few solids at random: every case occurs. Velocities are given on every face."""
    rng = np.random.default_rng(seed)
    size = size or SIZE[dimension]
    label = rng.choice([AIR, LIQUID, SOLID], size, p=[0.5, 0.4, 0.1])
    faces = [rng.standard_normal(next_along(size, axis)).astype(np.float32) for axis in range(dimension)]
    return Patch(label, faces)


def expected_faces(patch, g=(0.0, 0.0, 0.0)):
    """The listing applied to every surface cell, in double precision."""
    faces = [u.astype(np.float64) for u in patch.faces]
    for index, case in patch.surface_cells():
        new = listed(case, patch.around(patch.faces, index), g)
        for face in (f for f in range(6) if case[f] == "1"):
            axis = face // 2
            faces[axis][next_along(index, axis) if face % 2 else index] = new[face]
    return faces


def is_between_liquid_and_air(patch):
    """By axis, whether each face of the box has liquid on one side and air on the other."""
    for axis in range(patch.label.ndim):
        padding = [(1, 1) if a == axis else (0, 0) for a in range(patch.label.ndim)]
        padded = np.pad(patch.label, padding, constant_values=AIR)
        low, high = np.delete(padded, -1, axis), np.delete(padded, 0, axis)
        yield (low != high) & (low != SOLID) & (high != SOLID)


def test_the_listing_has_every_case_once_and_writes_air_faces_only():
    assert set(LISTING) == {f"{mask:06b}" for mask in range(1, 64)}
    for case, statements in LISTING.items():
        written = [statement.split("=")[0] for statement in statements.split(", ")]
        assert sorted(written) == [name for name, bit in zip(FACES, case, strict=True) if bit == "1"]


def test_all_63_cases_have_the_values_of_the_listing():
    g = (0.7, -1.3, 0.4)
    patch = random_patch(3)
    assert {case for _, case in patch.surface_cells()} == set(LISTING)
    set_surface_velocities(patch.velocity, patch.cells, g)
    for found, expected in zip(patch.result(), expected_faces(patch, g), strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-6)


def test_in_2d_the_15_cases_with_z_closed_have_the_values_of_the_listing():
    g = (0.7, -1.3, 0.0)
    patch = random_patch(2)
    assert {case for _, case in patch.surface_cells()} == {case for case in LISTING if case.endswith("00")}
    set_surface_velocities(patch.velocity, patch.cells, g)
    for found, expected in zip(patch.result(), expected_faces(patch, g), strict=True):
        assert np.allclose(found, expected, rtol=0, atol=1e-6)


def test_2d_is_3d_between_two_walls_to_the_bit():
    flat = random_patch(2)
    set_surface_velocities(flat.velocity, flat.cells)
    label = np.pad(flat.label[:, :, None], ((0, 0), (0, 0), (1, 1)), constant_values=SOLID)
    faces = [np.repeat(u[:, :, None], 3, axis=2) for u in flat.faces]
    faces.append(np.zeros((*label.shape[:2], 4), np.float32))
    slab = Patch(label, faces, (*flat.first, 6))
    set_surface_velocities(slab.velocity, slab.cells)
    for thin, thick in zip(flat.result(), slab.result()[:2], strict=True):
        assert (thin == thick[:, :, 1]).all()


def test_only_faces_between_liquid_and_air_are_written(dimension):
    patch = random_patch(dimension)
    set_surface_velocities(patch.velocity, patch.cells, (0.7, -1.3, 0.4))
    for before, after, is_free in zip(patch.faces, patch.result(), is_between_liquid_and_air(patch), strict=True):
        assert (before[~is_free] == after[~is_free]).all()
        assert np.mean(before[is_free] != after[is_free]) > 0.95
    known = sum(u.size for u in patch.faces)
    assert np.count_nonzero(~np.isnan(patch.velocity.pool)) == known


def test_surface_cells_end_divergence_free_but_a_drop_of_one_cell(dimension):
    patch = random_patch(dimension)
    before = np.abs(divergence(patch.velocity, patch.cells))
    set_surface_velocities(patch.velocity, patch.cells, (0.7, -1.3, 0.4))
    after = patch.result()
    drops = 0
    for index, case in patch.surface_cells():
        u = patch.around(after, index)
        left = u[1] - u[0] + u[3] - u[2] + u[5] - u[4]
        if case == "111111":
            kept = patch.around(patch.faces, index)
            assert left == pytest.approx(kept[1] - kept[0] + kept[3] - kept[2] + kept[5] - kept[4], abs=1e-5)
            drops += abs(left) > 0.1
        else:
            assert abs(left) < 2e-6
    assert before.max() > 1
    assert (drops > 0) == (dimension == 3)


def symmetries(dimension):
    """Every permutation of the axes with every set of mirrored ones: 48 of the cube, 8 of the square."""
    for order in itertools.permutations(range(dimension)):
        for mirrored in itertools.product((False, True), repeat=dimension):
            yield order, mirrored


def turned(label, faces, order, mirrored):
    """Axis a of the result is axis order[a] of what is given, reversed if mirrored[a]."""
    flips = tuple(a for a, is_mirrored in enumerate(mirrored) if is_mirrored)
    new_faces = [np.flip(faces[a].transpose(order), flips) * (-1 if mirrored[n] else 1) for n, a in enumerate(order)]
    return np.flip(label.transpose(order), flips), new_faces


@pytest.mark.parametrize("count", [8, 48], ids=["square", "cube"])
def test_a_turned_or_mirrored_neighbourhood_gives_the_turned_or_mirrored_velocity(count):
    dimension = 2 if count == 8 else 3
    patch = random_patch(dimension, seed=7, size=SIZE[dimension][:2] + (9,) * (dimension - 2))
    g = np.array((0.7, -1.3, 0.4))[:dimension]
    zeros = (0.0,) * (3 - dimension)
    set_surface_velocities(patch.velocity, patch.cells, (*g, *zeros))
    straight = patch.result()
    found = 0
    for order, mirrored in symmetries(dimension):
        other = Patch(*turned(patch.label, patch.faces, order, mirrored))
        turned_g = g[list(order)] * np.where(mirrored, -1, 1)
        set_surface_velocities(other.velocity, other.cells, (*turned_g, *zeros))
        _, expected = turned(patch.label, straight, order, mirrored)
        for a, b in zip(other.result(), expected, strict=True):
            assert np.allclose(a, b, rtol=0, atol=5e-7)
        found += 1
    assert found == count


def test_gravity_in_the_rules_or_on_every_wet_face_before_them_is_the_same(dimension):
    """Added once either way; twice would show on every cell with two opposite air faces."""
    gravity = (0.3, -9.81, 0.9)
    impulse = (0.3 * DT, -9.81 * DT, 0.9 * DT)
    before, inside = random_patch(dimension), random_patch(dimension)
    Gravity(gravity[:dimension]).add(before.velocity, before.cells, 0.0, DT)
    set_surface_velocities(before.velocity, before.cells)

    untouched = inside.velocity.pool.copy()
    Gravity(gravity[:dimension]).add(inside.velocity, inside.cells, 0.0, DT)
    for axis, is_free in enumerate(is_between_liquid_and_air(inside)):
        pool = from_dense(is_free, inside.velocity.tiles, inside.first, False)
        inside.velocity.pool[axis][pool] = untouched[axis][pool]
    set_surface_velocities(inside.velocity, inside.cells, impulse)
    assert np.nanmax(np.abs(before.velocity.pool - inside.velocity.pool)) < 2e-6


def test_a_uniform_velocity_is_left_alone_to_the_bit(dimension):
    patch = random_patch(dimension)
    for axis, speed in enumerate((0.1, -3.7, 1e-9)[:dimension]):
        known = ~np.isnan(patch.velocity.pool[axis])
        patch.velocity.pool[axis][known] = speed
    before = patch.velocity.pool.copy()
    set_surface_velocities(patch.velocity, patch.cells)
    assert np.array_equal(before, patch.velocity.pool, equal_nan=True)


def test_the_rules_are_a_projection(dimension):
    """What they set they leave alone when they are applied again."""
    patch = random_patch(dimension)
    set_surface_velocities(patch.velocity, patch.cells)
    once = patch.velocity.pool.copy()
    set_surface_velocities(patch.velocity, patch.cells)
    assert np.nanmax(np.abs(once - patch.velocity.pool)) < 2e-6


def test_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        patch = random_patch(dimension, size=SIZE[dimension][:1] + (90, 40)[: dimension - 1])
        set_surface_velocities(patch.velocity, patch.cells, (0.7, -1.3, 0.4))
        results.append(patch.velocity.pool.tobytes())
    assert results[0] == results[1]


# The pressure below


def solver(box, **options):
    return PressureSolver(SurfaceCells(), rho=RHO, h=box.h, tolerance=TOLERANCE, **options)


def enforce_no_flux(field, box):
    field.pool[((box.cells.faces & WALL) > 0) & ((box.cells.faces & WET) > 0)] = 0


def flow(box, value):
    field = box.faces(value)
    enforce_no_flux(field, box)
    field.pool[(box.cells.faces & WET) == 0] = np.nan
    return field


def random_flow(box, seed=0):
    rng = np.random.default_rng(seed)
    return flow(box, lambda axis, *x: rng.standard_normal(x[0].shape))


def tilted_pool(make_box, dimension):
    """With an obstacle standing in it and out of it."""
    return make_box(
        dimension,
        liquid=lambda *i: i[1] < 8 + i[0] // 3,
        solid=lambda *i: (i[0] > 3) & (i[0] < 9) & (i[1] > 1) & (i[1] < 6 + i[0]),
    )


def test_after_the_projection_every_liquid_cell_is_divergence_free(make_box, dimension):
    box = tilted_pool(make_box, dimension)
    field = random_flow(box)
    before = np.linalg.norm(divergence(field, box.cells))
    projection = solver(box).project(field, box.cells, DT)
    is_wall = ((box.cells.faces & WALL) > 0) & ((box.cells.faces & WET) > 0)
    assert np.isnan(field.pool[is_wall]).all()
    assert not np.isnan(field.pool[((box.cells.faces & WET) > 0) & ~is_wall]).any()
    enforce_no_flux(field, box)
    assert np.abs(divergence(field, box.cells)).max() < TOLERANCE * before + 4e-6
    assert projection.residual <= TOLERANCE
    assert projection.iterations <= 12


def test_walls_that_move_are_inputs_of_the_rules(make_box, dimension):
    """A shallow layer with a floor that rises: the surface rises with it."""
    box = make_box(dimension, liquid=lambda *i: i[1] < 1)
    field = flow(box, lambda axis, *x: np.zeros_like(x[0]))
    floor = np.abs(box.faces(lambda axis, *x: x[1] + (axis != 1)).pool) < 0.1 * box.h
    field.pool[floor & ~np.isnan(field.pool)] = 0.25
    solver(box).project(field, box.cells, DT)
    assert (box.dense(field.pool[1])[:, 1] == 0.25).all()


@pytest.mark.parametrize("gas_pressure", [0.0, 1.7e3])
def test_pressure_in_a_still_pool_is_hydrostatic_below_the_surface_cells(make_box, dimension, gas_pressure):
    """Gas pressure in the top row, p = ρ g h k in the k-th row below it: half a cell less than along cell faces."""
    depth = 11
    box = make_box(dimension, liquid=lambda *i: i[1] < depth)
    field = flow(box, lambda axis, *x: np.zeros_like(x[0]))
    Gravity((0.0, -G, 0.0)[:dimension]).add(field, box.cells, 0.0, DT)
    enforce_no_flux(field, box)
    projection = solver(box, gas_pressure=gas_pressure).project(field, box.cells, DT)
    pressure = box.dense(projection.pressure.pool)
    k = depth - 1 - np.arange(depth)
    expected = (RHO * G * box.h * k + gas_pressure).reshape((1, -1) + (1,) * (dimension - 2))
    assert np.allclose(pressure[:, :depth], expected, rtol=1e-4)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 1e-4 * G * DT


def test_gas_pressure_moves_nothing(make_box, dimension):
    results = []
    for gas_pressure in (0.0, 1.7e3):
        box = tilted_pool(make_box, dimension)
        field = random_flow(box)
        solver(box, gas_pressure=gas_pressure).project(field, box.cells, DT)
        results.append(field.pool.tobytes())
    assert results[0] == results[1]


def test_free_fall_has_no_pressure_and_no_bit_changes(make_box, dimension):
    box = make_box(dimension, walls=False, liquid=lambda *i: (i[0] > 3) & (i[0] < 10) & (i[1] > 4) & (i[1] < 12))
    field = flow(box, lambda axis, *x: np.full_like(x[0], -1.7))
    Gravity((0.0, -G, 0.0)[:dimension]).add(field, box.cells, 0.0, DT)
    before = field.copy()
    projection = solver(box).project(field, box.cells, DT)
    assert projection.iterations == 0
    assert (projection.pressure.pool == 0).all()
    known = ~np.isnan(field.pool)
    assert (field.pool[known] == before.pool[known]).all()


def test_a_box_filled_to_the_lid_has_no_surface_and_is_solved_whole(make_box, dimension):
    box = make_box(dimension)
    field = flow(box, lambda axis, *x: np.zeros_like(x[0]))
    Gravity((1.3, -G, 0.4)[:dimension]).add(field, box.cells, 0.0, DT)
    enforce_no_flux(field, box)
    projection = solver(box).project(field, box.cells, DT)
    enforce_no_flux(field, box)
    assert np.nanmax(np.abs(field.pool)) < 1e-4 * G * DT
    assert projection.excess < 1e-6


# Whole steps

H, FALL = 0.05, 9.3
SIZES = {2: (1.2, 1.6), 3: (1.2, 1.6, 0.8)}
TRANSFERS = ["semi_lagrangian", "pic", "flip", "apic"]


def scene(dimension, low, high, sides="closed", velocity=(0.0, 0.0, 0.0), solid=(), **options):
    shape = plash.Box(min=low[:dimension], max=high[:dimension])
    gravity = (0.0, -FALL, 0.0)[:dimension]
    return plash.Scene(
        domain={"size": SIZES[dimension], "cell_size": H, "gravity": gravity, "sides": sides},
        solver=plash.Solver(**{"free_surface": "cells", **options}),
        liquid={"density": 730.0, "kinematic_viscosity": 0.0},
        fill=[{"shape": shape, "velocity": velocity[:dimension]}],
        solid=list(solid),
    )


def take_steps(solver, steps, dt):
    for _ in range(steps):
        for _ in solver.stages(dt):
            pass
        assert solver.report.unknown_reads == 0


def furthest_apart(points, others):
    """Largest distance of any of the points to the nearest of as many others; each is the nearest of one only."""
    gap, nearest = cKDTree(others).query(points)
    assert len(np.unique(nearest)) == len(points)
    return np.max(gap)


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_falling_block_falls_as_a_rigid_body(dimension, transfer):
    """Gravity counts once on every face, the outer ones included."""
    corners = (0.3, 0.7, 0.2), (0.75, 1.2, 0.6)
    block = scene(dimension, *corners, "unbounded", (0.4, 1.0, -0.2), transfer=transfer)
    solver = build_liquid(block)
    before = solver.state.particles.position(H)
    n, dt = 12, 0.007
    take_steps(solver, n, dt)
    state = solver.state
    is_wet = (state.cells.faces & WET) > 0
    for axis, speed in enumerate((0.4, 1.0 - FALL * (n - 0.5) * dt, -0.2)[:dimension]):
        assert np.abs(state.velocity.pool[axis][is_wet[axis]] - speed).max() < 2e-5
    fallen = np.array([0.4 * n * dt, n * dt - FALL * (n * dt) ** 2 / 2, -0.2 * n * dt])[:dimension]
    assert furthest_apart(state.particles.position(H), before + fallen) < 1e-6
    assert np.abs(state.pressure.pool).max() < 1e-3 * 730 * FALL * H


@pytest.mark.slow
@pytest.mark.parametrize("transfer", TRANSFERS)
def test_a_still_pool_stays_still(dimension, transfer):
    """Z2, for a hundred steps, round a step that is under water; the pressure is that of one row less."""
    step = {"kind": "box", "min": (0.4, 0.0, 0.2)[:dimension], "max": (0.7, 0.3, 0.5)[:dimension]}
    solid = [{"name": "step", "shape": step}]
    pool = scene(dimension, (0, 0, 0), (1.2, 0.6, 0.8), solid=solid, transfer=transfer, tolerance=1e-6)
    solver = build_liquid(pool)
    before = solver.state.particles.position(H)
    take_steps(solver, 100, 0.01)
    assert solver.speed < 1e-3 * FALL * 0.01
    assert furthest_apart(solver.state.particles.position(H), before) < 1e-3 * H
    pressure = solver.state.pressure.pool[solver.state.cells.label == LIQUID]
    assert pressure.max() == pytest.approx(730 * FALL * H * 11, rel=1e-4)
    assert pressure.min() == 0


@pytest.mark.parametrize("transfer", TRANSFERS)
def test_every_step_of_a_dam_break_ends_with_the_divergence_of_straight_paths(dimension, transfer):
    """Surface cells have none, by their rules."""
    dam = scene(dimension, (0, 0, 0), (0.5, 0.8, 0.8), transfer=transfer, tolerance=1e-6)
    solver = build_liquid(dam)
    for _ in range(20):
        dt = solver.next_step(1.0)
        for stage in solver.stages(dt):
            cells = solver.state.cells
            if stage.name == "advect":
                wanted = straight_path_divergence(stage.velocity.copy(), cells, dt, H)
            if stage.name == "extrapolate":
                left = divergence(solver.state.velocity, cells)
        left -= np.where(solver.pressure.free_surface.operator(cells).diagonal > 0, wanted, 0.0)
        left[is_drop(cells)] = 0
        assert np.abs(left).max() < 1e-5 * max(solver.speed, FALL * dt)
    assert solver.speed > 0.5


def is_drop(cells):
    """Whether a cell has air on all six sides; in 2-D none counts as such."""
    liquid = cells.label == LIQUID
    if cells.tiles.dimension == 2:
        return np.zeros_like(liquid)
    size = tuple(8 * (np.ptp(cells.tiles.coordinates[1:, a]) + 1) for a in range(3))
    first = tuple(8 * cells.tiles.coordinates[1:].min(axis=0))
    label = to_dense(cells.label, cells.tiles, first, size)
    around = [np.roll(label, side, axis) for axis in range(3) for side in (-1, 1)]
    drops = (label == LIQUID) & np.all(np.stack(around) == AIR, axis=0)
    return from_dense(drops, cells.tiles, first, False)


@pytest.mark.parametrize(
    ("name", "options"),
    [("dam_break_2d", {"resolution": 32, "frames": 24}), ("falling_block", {"frames": 24})],
)
def test_whole_simulations_stay_finite_and_gain_no_energy(name, options):
    solver = build_liquid(plash.load_scene(name, free_surface="cells", **options))
    assert isinstance(solver.pressure.free_surface, SurfaceCells)
    at_first = energy(solver)
    for frame in range(1, 24):
        while solver.state.time < frame / 24:
            report = solver.advance(frame / 24)
            assert report.unknown_reads == 0
        assert np.isfinite(solver.speed)
        assert energy(solver) < at_first
    assert solver.speed > 2
    assert solver.ledger.particle_volume == pytest.approx(solver.ledger.initial, rel=1e-6)


def energy(solver):
    """Kinetic and potential energy of the particles, by volume of a cell and by density."""
    particles = solver.state.particles
    height = particles.position(solver.h)[:, 1]
    kinetic = 0.5 * (particles.velocity.astype(np.float64) ** 2).sum(axis=0)
    return float((particles.volume * (kinetic + solver.time_step.gravity * height)).sum())


def test_whole_steps_have_the_same_bits_for_any_number_of_threads(dimension, threads):
    results = []
    for n in (1, 2):
        threads(n)
        solver = build_liquid(scene(dimension, (0, 0, 0), (0.5, 0.8, 0.8)))
        take_steps(solver, 12, 0.01)
        particles = solver.state.particles
        results.append((particles.cell.tobytes(), particles.offset.tobytes(), particles.velocity.tobytes()))
    assert results[0] == results[1]
