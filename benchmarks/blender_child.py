"""Renders a scene of `benchmarks.beside_cycles` by Cycles: runs in a Python that has `bpy`, and knows no plash.

blender_child.py FOLDER REFERENCE PICTURES SAMPLES...: reads FOLDER/scene.npz, writes FOLDER/pictures.npz.
"""

# mypy: ignore-errors
import math
import sys
import time
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix


def main() -> None:
    folder, reference, pictures, *samples = Path(sys.argv[1]), *map(int, sys.argv[2:])
    given = np.load(folder / "scene.npz")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build(given)
    made = {}
    for count in samples:
        seconds = []
        for _ in range(pictures):  # the first one loads what all need
            start = time.process_time()
            picture = rendered(folder, count, denoise=True)
            seconds.append(time.process_time() - start)
        made[f"seconds_{count}"] = min(seconds)
        made[f"light_{count}"] = picture
    made["reference"] = rendered(folder, reference, denoise=True)
    np.savez(folder / "pictures.npz", **made)


def build(given) -> None:
    """Everything that is seen, and the camera."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.resolution_x, scene.render.resolution_y = (int(n) for n in given["size"])
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.pixel_filter_type, scene.render.filter_size = "BOX", 1.0
    scene.view_settings.view_transform = "Raw"

    liquid = body("liquid", given["liquid_vertices"], given["liquid_faces"], water(given))
    liquid.data.normals_split_custom_set_from_vertices(given["liquid_normals"].tolist())
    number = 0
    while f"solid_{number}_vertices" in given:
        name = f"solid_{number}"
        body(name, given[f"{name}_vertices"], given[f"{name}_faces"], matte(name, given[f"{name}_color"]))
        number += 1
    ground(given)
    sky(given["light"])

    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.data.sensor_fit, camera.data.angle = "VERTICAL", math.radians(float(given["fov"]))
    turn = Matrix(given["axes"].T.tolist()).to_4x4()
    camera.matrix_world = Matrix.Translation(given["eye"].tolist()) @ turn
    camera.data.clip_end = 1e4
    scene.camera = camera


def body(name, vertices, faces, material):
    """A mesh of some material."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    mesh.materials.append(material)
    placed = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(placed)
    return placed


def nodes_of(name):
    """A material without nodes but its output."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    return material, nodes, links, nodes.new("ShaderNodeOutputMaterial")


def water(given):
    """Glass without roughness, with an inside that absorbs."""
    material, nodes, links, out = nodes_of("water")
    glass, inside = nodes.new("ShaderNodeBsdfGlass"), nodes.new("ShaderNodeVolumeAbsorption")
    glass.inputs["Roughness"].default_value, glass.inputs["IOR"].default_value = 0.0, float(given["ior"])
    density = float(given["absorption"].max())
    color = 1 - given["absorption"] / density
    inside.inputs["Color"].default_value = (*map(float, color), 1.0)
    inside.inputs["Density"].default_value = density
    links.new(glass.outputs[0], out.inputs["Surface"])
    links.new(inside.outputs[0], out.inputs["Volume"])
    return material


def matte(name, color):
    """A surface without a gloss."""
    material, nodes, links, out = nodes_of(name)
    diffuse = nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (*map(float, color), 1.0)
    links.new(diffuse.outputs[0], out.inputs["Surface"])
    return material


def picture_of(name, pixels):
    """A picture of light, rows from the bottom."""
    rows, columns = pixels.shape[:2]
    image = bpy.data.images.new(name, columns, rows, float_buffer=True, is_data=True)
    full = np.ones((rows, columns, 4), np.float32)
    full[:, :, :3] = pixels
    image.pixels.foreach_set(full.ravel())
    image.update()
    return image


def ground(given) -> None:
    """A square of tiles; a pattern begins at the origin."""
    half = 10 * float(np.linalg.norm(given["middle"]) * 2)
    x, y = (float(n) for n in given["middle"][:2])
    corners = np.array([[x + a * half, y + b * half, 0.0] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    material, nodes, links, out = nodes_of("floor")
    diffuse, tile, place = (nodes.new(f"ShaderNode{kind}") for kind in ("BsdfDiffuse", "TexImage", "UVMap"))
    # Rows of the pattern go along z of plash, which is -y here
    tile.image = picture_of("tile", given["tile"][::-1])
    links.new(place.outputs["UV"], tile.inputs["Vector"])
    links.new(tile.outputs["Color"], diffuse.inputs["Color"])
    links.new(diffuse.outputs[0], out.inputs["Surface"])
    floor = body("floor", corners, np.array([[0, 1, 2], [0, 2, 3]]), material)
    uv = floor.data.uv_layers.new(name="UVMap")
    size = float(given["tile_size"])
    for loop in floor.data.loops:
        spot = corners[loop.vertex_index]
        uv.data[loop.index].uv = (spot[0] / size, spot[1] / size)


def sky(light) -> None:
    """Light from all around."""
    world = bpy.data.worlds.new("sky")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    nodes.clear()
    out, shade = nodes.new("ShaderNodeOutputWorld"), nodes.new("ShaderNodeBackground")
    picture = nodes.new("ShaderNodeTexEnvironment")
    picture.image = picture_of("sky", light)
    links.new(picture.outputs["Color"], shade.inputs["Color"])
    links.new(shade.outputs[0], out.inputs["Surface"])


def rendered(folder, samples, denoise):
    """Light (rows, columns, 3), from the top."""
    scene = bpy.context.scene
    scene.cycles.samples, scene.cycles.use_denoising = samples, denoise
    scene.cycles.denoiser, scene.cycles.denoising_input_passes = "OPENIMAGEDENOISE", "RGB_ALBEDO_NORMAL"
    scene.cycles.denoising_prefilter = "FAST"
    scene.render.filepath = str(folder / "frame.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(folder / "frame.exr"), check_existing=False)
    image.colorspace_settings.name = "Non-Color"
    columns, rows = image.size
    pixels = np.empty(rows * columns * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(rows, columns, -1)[::-1, :, :3].copy()


if __name__ == "__main__":
    main()
