"""plash runs in Blender: surface with motion blur, volumes, camera, lights and solids, while the run still goes on.

One file, for Blender 4.2 or later: Edit > Preferences > Add-ons > Install from Disk. It needs no plash in Blender: it
reads the run folder. Surfaces and volumes are read frame by frame when the timeline moves, so frames that a run makes
meanwhile appear by themselves; camera, lights, solids and materials come from the run's USD file, if it has one.
"""

import json
import math
import re
import tomllib
from pathlib import Path

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

bl_info = {
    "name": "plash runs",
    "author": "the plash project",
    "version": (1, 0, 0),
    "blender": (4, 2, 0),
    "location": "File > Import > plash run",
    "description": "Load a run of plash: liquid with motion blur, volumes, camera and solids",
    "category": "Import-Export",
}

RUN = "plash_run"  # property of an object: the folder of the run that it shows
SHOWN = "plash_frame"  # property of a mesh: the frame that it holds
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", 3)])
_TURNED = (math.pi / 2, 0.0, 0.0)  # y up becomes z up
_GRIDS = ("density", "velocity", "temperature", "flame", "color")  # that VDB files of a run may have
_ROOM, _BACKGROUND = 0.55, "#e9edf1"  # light from all sides, and its colour if the scene does not say
_SMOKE = "#b8bbbf"  # of smoke that nobody gave a colour
_DENSE = 24.0  # times that light fades to 1/e through a domain full of smoke of 1 kg/m³, if the scene does not say
_FLAMES, _BRIGHT = 10.0, 4.0  # the same for flames, and the light of thick ones of 1700 K: white paper returns 1
_FLAME, _HOTTER, _FULL = 950.0, 750.0, 1700.0  # K: of the faintest flame, of the strongest beyond it, of that light
GLOW = {1000.0: (1.0, 0.029, 0.0), 1800.0: (1.0, 0.218, 0.0), 2600.0: (1.0, 0.402, 0.083)}  # colours of black bodies
# fmt: off
NAMES = {
    "aliceblue": "#f0f8ff", "antiquewhite": "#faebd7", "aqua": "#00ffff", "aquamarine": "#7fffd4", "azure": "#f0ffff",
    "beige": "#f5f5dc", "bisque": "#ffe4c4", "black": "#14171a", "blanchedalmond": "#ffebcd", "blue": "#2f6fb7",
    "blueviolet": "#8a2be2", "brown": "#8a6f5a", "burlywood": "#deb887", "cadetblue": "#5f9ea0",
    "chartreuse": "#7fff00", "chocolate": "#d2691e", "coral": "#ff7f50", "cornflowerblue": "#6495ed",
    "cornsilk": "#fff8dc", "crimson": "#dc143c", "cyan": "#00ffff", "darkblue": "#00008b", "darkcyan": "#008b8b",
    "darkgoldenrod": "#b8860b", "darkgray": "#a9a9a9", "darkgreen": "#006400", "darkgrey": "#a9a9a9",
    "darkkhaki": "#bdb76b", "darkmagenta": "#8b008b", "darkolivegreen": "#556b2f", "darkorange": "#ff8c00",
    "darkorchid": "#9932cc", "darkred": "#8b0000", "darksalmon": "#e9967a", "darkseagreen": "#8fbc8f",
    "darkslateblue": "#483d8b", "darkslategray": "#2f4f4f", "darkslategrey": "#2f4f4f", "darkturquoise": "#00ced1",
    "darkviolet": "#9400d3", "deeppink": "#ff1493", "deepskyblue": "#00bfff", "dimgray": "#696969",
    "dimgrey": "#696969", "dodgerblue": "#1e90ff", "firebrick": "#b22222", "floralwhite": "#fffaf0",
    "forestgreen": "#228b22", "fuchsia": "#ff00ff", "gainsboro": "#dcdcdc", "ghostwhite": "#f8f8ff",
    "gold": "#ffd700", "goldenrod": "#daa520", "gray": "#8f959c", "green": "#4f9d69", "greenyellow": "#adff2f",
    "grey": "#8f959c", "honeydew": "#f0fff0", "hotpink": "#ff69b4", "indianred": "#cd5c5c", "indigo": "#4b0082",
    "ivory": "#fffff0", "khaki": "#f0e68c", "lavender": "#e6e6fa", "lavenderblush": "#fff0f5", "lawngreen": "#7cfc00",
    "lemonchiffon": "#fffacd", "lightblue": "#add8e6", "lightcoral": "#f08080", "lightcyan": "#e0ffff",
    "lightgoldenrodyellow": "#fafad2", "lightgray": "#d3d3d3", "lightgreen": "#90ee90", "lightgrey": "#d3d3d3",
    "lightpink": "#ffb6c1", "lightsalmon": "#ffa07a", "lightseagreen": "#20b2aa", "lightskyblue": "#87cefa",
    "lightslategray": "#778899", "lightslategrey": "#778899", "lightsteelblue": "#b0c4de", "lightyellow": "#ffffe0",
    "lime": "#00ff00", "limegreen": "#32cd32", "linen": "#faf0e6", "magenta": "#ff00ff", "maroon": "#800000",
    "mediumaquamarine": "#66cdaa", "mediumblue": "#0000cd", "mediumorchid": "#ba55d3", "mediumpurple": "#9370db",
    "mediumseagreen": "#3cb371", "mediumslateblue": "#7b68ee", "mediumspringgreen": "#00fa9a",
    "mediumturquoise": "#48d1cc", "mediumvioletred": "#c71585", "midnightblue": "#191970", "mintcream": "#f5fffa",
    "mistyrose": "#ffe4e1", "moccasin": "#ffe4b5", "navajowhite": "#ffdead", "navy": "#000080", "oldlace": "#fdf5e6",
    "olive": "#808000", "olivedrab": "#6b8e23", "orange": "#e08a3c", "orangered": "#ff4500", "orchid": "#da70d6",
    "palegoldenrod": "#eee8aa", "palegreen": "#98fb98", "paleturquoise": "#afeeee", "palevioletred": "#db7093",
    "papayawhip": "#ffefd5", "peachpuff": "#ffdab9", "peru": "#cd853f", "pink": "#ffc0cb", "plum": "#dda0dd",
    "powderblue": "#b0e0e6", "purple": "#7a5aa6", "rebeccapurple": "#663399", "red": "#c8453b",
    "rosybrown": "#bc8f8f", "royalblue": "#4169e1", "saddlebrown": "#8b4513", "salmon": "#fa8072",
    "sandybrown": "#f4a460", "seagreen": "#2e8b57", "seashell": "#fff5ee", "sienna": "#a0522d", "silver": "#c0c0c0",
    "skyblue": "#87ceeb", "slateblue": "#6a5acd", "slategray": "#708090", "slategrey": "#708090", "snow": "#fffafa",
    "springgreen": "#00ff7f", "steelblue": "#4682b4", "tan": "#d2b48c", "teal": "#3f9ea3", "thistle": "#d8bfd8",
    "tomato": "#ff6347", "turquoise": "#40e0d0", "violet": "#ee82ee", "wheat": "#f5deb3", "white": "#ffffff",
    "whitesmoke": "#f5f5f5", "yellow": "#e6c34a", "yellowgreen": "#9acd32", "light_gray": "#d5d8dc",
}  # colours that a scene may name
# fmt: on


class NoRunError(Exception):
    """A folder that holds no run, or a file that is not what plash writes."""


# What is in a run folder


def read_manifest(folder):
    """What a run is, and how far it is."""
    path = Path(folder) / "manifest.json"
    try:
        manifest = json.loads(path.read_text("utf-8"))
        scene = tomllib.loads(manifest["scene"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoRunError(f"{folder}: is no run folder of plash: {error}") from None
    return manifest, scene


def frames_of(folder, stage="mesh"):
    """The frames of which a stage has made a file so far."""
    manifest, _ = read_manifest(folder)
    return sorted(int(number) for number in manifest["stages"].get(stage, {}).get("items", {}) if int(number) > 0)


def surface_file(folder, frame):
    """The surface of a frame."""
    return Path(folder) / "mesh" / f"surface.{frame:04d}.ply"


def volume_file(folder, frame):
    """The grids of a frame."""
    return Path(folder) / "vdb" / f"grids.{frame:04d}.vdb"


def read_surface(path):
    """Vertices, triangles and what vertices carry, of a PLY file that plash wrote, with z up."""
    data = Path(path).read_bytes()
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\n") or end < 0:
        raise NoRunError(f"{path}: is no surface that plash wrote")
    header = data[:end].decode("ascii", "replace")
    counts = {what: int(number) for what, number in re.findall(r"^element (\w+) (\d+)$", header, re.MULTILINE)}
    types = {"float": "<f4", "uchar": "u1"}
    names = re.findall(r"^property (float|uchar) (\w+)$", header, re.MULTILINE)
    layout = np.dtype([(name, types[kind]) for kind, name in names])
    start = end + len(b"end_header\n")
    vertices, faces = counts.get("vertex", 0), counts.get("face", 0)
    size = layout.itemsize * vertices + _FACE.itemsize * faces
    if len(data) < start + size:
        raise NoRunError(f"{path}: is cut short")
    table = np.frombuffer(data, layout, vertices, start)
    rows = np.frombuffer(data, _FACE, faces, start + layout.itemsize * vertices)

    def vectors(*columns):
        if not set(columns) <= set(table.dtype.names or ()):
            return None
        x, y, z = (table[name] for name in columns)
        return np.stack([x, -z, y], axis=1).astype(np.float32)

    known = {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"}
    carried = {name: table[name].astype(np.float32) for name in table.dtype.names if name not in known}
    if {"red", "green", "blue"} <= set(carried):
        carried["color"] = light(np.stack([carried.pop(name) for name in ("red", "green", "blue")], axis=1) / 255)
    return vectors("x", "y", "z"), rows["vertices"].astype(np.int32), vectors("vx", "vy", "vz"), carried


def light(shades):
    """Light of the colours of a screen, from 0 to 1."""
    return np.where(shades > 0.04045, ((shades + 0.055) / 1.055) ** 2.4, shades / 12.92)


def light_of(color):
    """Light (3,) of a colour as scenes write it, by name or as "#rrggbb"."""
    code = NAMES.get(color, color)
    return light(np.array([int(code[start : start + 2], 16) / 255 for start in (1, 3, 5)]))


def smoke_look(described):
    """How the smoke of a scene looks.

    Returns:
        How fast light fades in smoke of 1 kg/m³ and in flames (1/m), the light that smoke returns (3,), and how bright
        flames are, 0 if nothing burns.
    """
    look, parts = described.get("look", {}), [*described.get("fill", []), *described.get("source", [])]
    size = described["domain"]["size"]
    size = math.prod(size) ** (1 / len(size))
    opacity = look.get("smoke_opacity", _DENSE / size)
    given = [part["color"] for part in parts if "color" in part]
    name = look.get("smoke_color", given[0] if given else _SMOKE)
    burns = any(part.get("fuel", 0.0) > 0 for part in parts)
    glow = _BRIGHT * look.get("fire_brightness", 1.0) * exposure_of(described) if burns else 0.0
    return float(opacity), _FLAMES / size, light_of(name), float(glow)


def exposure_of(described):
    """How many times as bright as it is a scene is shown."""
    return 2.0 ** described.get("look", {}).get("exposure", 0.0)


# What Blender shows


def show_frame(thing, frame):
    """Bring an object up to a frame; one that is not there yet shows the last frame before it that is."""
    folder = thing[RUN]
    path = surface_file(folder, frame)
    while frame > 1 and not path.is_file():
        frame -= 1
        path = surface_file(folder, frame)
    mesh = thing.data
    if not path.is_file() or mesh.get(SHOWN) == [frame, path.stat().st_mtime_ns // 1000 % 2**31]:
        return
    fill_mesh(mesh, *read_surface(path))
    mesh[SHOWN] = [frame, path.stat().st_mtime_ns // 1000 % 2**31]


def fill_mesh(mesh, places, faces, velocity, carried):
    """Put triangles into a mesh, with the attribute `velocity` (m/s) that Cycles makes motion blur from."""
    materials = list(mesh.materials)
    mesh.clear_geometry()
    mesh.vertices.add(len(places))
    mesh.vertices.foreach_set("co", places.ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=bool))
    if velocity is not None:
        mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT").data.foreach_set("vector", velocity.ravel())
    for name, values in carried.items():
        if values.ndim == 1:
            mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", values)
        else:
            shades = np.column_stack([values, np.ones(len(values))]).astype(np.float32)
            mesh.attributes.new(name, "FLOAT_COLOR", "POINT").data.foreach_set("color", shades.ravel())
    if not mesh.materials:
        for material in materials:
            mesh.materials.append(material)
    mesh.update()
    mesh.validate()


def show_volumes(thing):
    """Let an object show the grids that there are by now; beyond them, the last."""
    data, count = thing.data, thing.data.frame_duration
    while volume_file(thing[RUN], count + 1).is_file():
        count += 1
    if count != data.frame_duration:
        data.frame_duration = count


@persistent
def follow_timeline(scene, depsgraph=None):
    """Bring everything of a run up to the frame of the timeline."""
    for thing in scene.objects:
        if RUN in thing:
            try:
                if thing.type == "MESH":
                    show_frame(thing, scene.frame_current)
                else:
                    show_volumes(thing)
            except (NoRunError, OSError) as error:
                print(f"plash: {error}")


def load_run(folder, with_scene=True):
    """Show a run: returns what was added, by name.

    Args:
        folder: The run folder.
        with_scene: Whether to load camera, lights, solids and materials too, from the run's USD file.
    """
    folder = Path(folder).absolute()
    manifest, described = read_manifest(folder)
    scene = bpy.context.scene
    root = folder / "usd" / f"{manifest['name']}.usda"
    added = {}
    material = None
    if with_scene and root.is_file():
        material = _load_scene(root, added)
        _light_room(described)
    time = described.get("time", {})
    fps = float(time.get("fps", 24.0))
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps
    scene.frame_start, scene.frame_end = 1, int(time.get("frames", max(frames_of(folder), default=1)))
    kind = described.get("solver", {}).get("kind", "liquid")
    if kind == "smoke" and volume_file(folder, 1).is_file():
        added["smoke"] = _add_smoke(folder, manifest["name"], described)
    elif kind != "smoke":
        added["liquid"] = _add_liquid(folder, manifest["name"], material)
    scene.render.use_motion_blur = True
    if scene.frame_current < 1 or scene.frame_current > scene.frame_end:
        scene.frame_set(1)
    follow_timeline(scene)
    return added


def _load_scene(root, added):
    """Camera, lights, solids and materials of a run's USD file; gives the material of its liquid."""
    before = set(bpy.data.objects)
    bpy.ops.wm.usd_import(filepath=str(root), import_volumes=False, set_frame_range=True)
    new = [thing for thing in bpy.data.objects if thing not in before]
    fluids = [thing for thing in new if _is_fluid(thing)]
    slots = [thing.material_slots[0] for thing in fluids if thing.name.startswith("surface") and thing.material_slots]
    material = slots[0].material if slots else None
    for thing in fluids:
        new.remove(thing)
        bpy.data.objects.remove(thing)
    for thing in new:
        added[thing.name] = thing
        if thing.type == "CAMERA":
            bpy.context.scene.camera = thing
    return material


def _is_fluid(thing):
    """Whether an object of a USD file shows the fluid, which the add-on shows itself."""
    name = thing.name.split(".")[0]
    return name in ("surface", "particles", "Fluid") or (thing.type == "EMPTY" and name in ("Liquid", *_GRIDS))


def _light_room(described):
    """Light from all sides: Blender takes it from a USD file only where that has a picture of it."""
    background = described.get("look", {}).get("background", _BACKGROUND)
    world = bpy.data.worlds.new("plash room")
    world.use_nodes = True
    room = world.node_tree.nodes["Background"]
    room.inputs["Color"].default_value = (*light_of(background), 1.0)
    room.inputs["Strength"].default_value = _ROOM * exposure_of(described)
    bpy.context.scene.world = world


def _add_liquid(folder, name, material):
    thing = bpy.data.objects.new(f"{name} liquid", bpy.data.meshes.new(f"{name} liquid"))
    thing[RUN] = str(folder)
    thing.data.materials.append(material or _water())
    bpy.context.scene.collection.objects.link(thing)
    return thing


def _water():
    """A material for liquids of runs without a USD file."""
    material = bpy.data.materials.new("plash water")
    material.use_nodes = True
    surface = material.node_tree.nodes.get("Principled BSDF")
    surface.inputs["Base Color"].default_value = (0.75, 0.9, 1.0, 1.0)
    surface.inputs["Roughness"].default_value = 0.02
    surface.inputs["IOR"].default_value = 1.333
    surface.inputs["Transmission Weight"].default_value = 1.0
    return material


def _add_smoke(folder, name, described):
    """The VDB files of a run as one volume, whose velocity (m/s) blurs what moves."""
    data = bpy.data.volumes.new(f"{name} smoke")
    data.filepath = str(volume_file(folder, 1))
    grids = {grid.name for grid in data.grids} if data.grids.load() else set()  # a sequence has none until it is shown
    data.is_sequence = True
    data.frame_start, data.frame_duration, data.frame_offset = 1, 1, 0
    data.sequence_mode = "EXTEND"
    thing = bpy.data.objects.new(f"{name} smoke", data)
    thing[RUN] = str(folder)
    if described.get("output", {}).get("export_up", "y") == "y":
        thing.rotation_euler = _TURNED
    bpy.context.scene.collection.objects.link(thing)
    data.velocity_unit = "SECOND"  # of the grid `velocity`, which Blender looks for by itself
    data.materials.append(_smoke(described, grids))
    return thing


def _smoke(described, grids):
    """A material for smoke that has some grids."""
    opacity, flame_opacity, color, glow = smoke_look(described)
    material = bpy.data.materials.new("plash smoke")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    smoke, out = nodes.new("ShaderNodeVolumePrincipled"), nodes.new("ShaderNodeOutputMaterial")
    smoke.inputs["Density"].default_value = opacity
    smoke.inputs["Density Attribute"].default_value = "density"
    smoke.inputs["Color"].default_value = (*color, 1.0)
    if "color" in grids:
        smoke.inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
        smoke.inputs["Color Attribute"].default_value = "color"
    shown = smoke.outputs["Volume"]
    if glow and {"flame", "temperature"} <= grids:
        for flames in _flames(nodes, links, flame_opacity, glow):
            both = nodes.new("ShaderNodeAddShader")
            links.new(shown, both.inputs[0])
            links.new(flames, both.inputs[1])
            shown = both.outputs[0]
    links.new(shown, out.inputs["Volume"])
    return material


def _flames(nodes, links, opacity, glow):
    """Soot in flames, which takes light, and sends out that of a black body as hot as it is."""

    def sum_of(operation, *values):
        node = nodes.new("ShaderNodeMath")
        node.operation = operation
        for socket, value in zip(node.inputs, values, strict=False):
            if isinstance(value, bpy.types.NodeSocket):
                links.new(value, socket)
            else:
                socket.default_value = value
        return node.outputs[0]

    def grid(name):
        node = nodes.new("ShaderNodeAttribute")
        node.attribute_name = name
        return node.outputs["Fac"]

    flame = grid("flame")
    heat = sum_of("MAXIMUM", grid("temperature"), sum_of("MULTIPLY_ADD", flame, _HOTTER, _FLAME))
    coldest, hottest = min(GLOW), max(GLOW)
    ramp = nodes.new("ShaderNodeValToRGB")
    places = {(kelvin - coldest) / (hottest - coldest): color for kelvin, color in GLOW.items()}
    while len(ramp.color_ramp.elements) < len(places):
        ramp.color_ramp.elements.new(0.5)
    for element, (place, color) in zip(ramp.color_ramp.elements, places.items(), strict=True):
        element.position, element.color = place, (*color, 1.0)
    links.new(sum_of("DIVIDE", sum_of("SUBTRACT", heat, coldest), hottest - coldest), ramp.inputs[0])
    soot = sum_of("MULTIPLY", flame, opacity)
    brightness = sum_of("MULTIPLY", sum_of("POWER", sum_of("DIVIDE", heat, _FULL), 4.0), glow)
    light, shade = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeVolumeAbsorption")
    links.new(ramp.outputs["Color"], light.inputs["Color"])
    links.new(sum_of("MULTIPLY", soot, brightness), light.inputs["Strength"])
    shade.inputs["Color"].default_value = (0.0, 0.0, 0.0, 1.0)
    links.new(soot, shade.inputs["Density"])
    return light.outputs[0], shade.outputs[0]


class PLASH_OT_load_run(bpy.types.Operator, ImportHelper):
    """Load a run of plash: choose its manifest.json."""

    bl_idname = "import_scene.plash_run"
    bl_label = "plash run"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    filter_glob: StringProperty(default="manifest.json", options={"HIDDEN"})  # type: ignore[valid-type]
    with_scene: BoolProperty(  # type: ignore[valid-type]
        name="Camera, lights and solids",
        description="Load what the USD file of the run has beside the liquid",
        default=True,
    )

    def execute(self, context):
        """Load it."""
        folder = Path(self.filepath)
        folder = folder if folder.is_dir() else folder.parent
        try:
            added = load_run(folder, self.with_scene)
        except (NoRunError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not any(RUN in thing for thing in added.values()):
            self.report({"WARNING"}, "the run has no VDB files, so no smoke: plash export RUN --to vdb")
        if self.with_scene and not any(thing.type == "CAMERA" for thing in added.values()):
            self.report({"WARNING"}, "the run has no USD file, so no camera and solids: plash export RUN --to usd")
        return {"FINISHED"}


def _menu(self, context):
    self.layout.operator(PLASH_OT_load_run.bl_idname, text="plash run (manifest.json)")


def register():
    """Add the operator, its line in the menu, and follow the timeline."""
    bpy.utils.register_class(PLASH_OT_load_run)
    bpy.types.TOPBAR_MT_file_import.append(_menu)
    bpy.app.handlers.frame_change_pre.append(follow_timeline)


def unregister():
    """Take all of that away."""
    bpy.app.handlers.frame_change_pre.remove(follow_timeline)
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    bpy.utils.unregister_class(PLASH_OT_load_run)


if __name__ == "__main__":
    register()
