"""Ray-traced pictures of 3-D scenes, by Mitsuba.

What stands still is made once; for each frame the liquid is put in, rays are followed, the grain is taken out, and
light becomes colour. Every frame uses the same random numbers, so that where nothing moves, nothing flickers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.errors import PlashError
from plash.mesh.defects import defects
from plash.mesh.mesh import Mesh
from plash.mesh.split import with_short_edges
from plash.mesh.wetness import WetSurface, wet_surfaces
from plash.physics.solids.rigid_motion import Prescribed
from plash.render.camera import View, box_corners, camera_view
from plash.render.framing import seen_size
from plash.render.mitsuba import ray_parts as parts
from plash.render.mitsuba import set_parts
from plash.render.mitsuba.clear_paths import clear_paths
from plash.render.mitsuba.crust import crust_glow
from plash.render.mitsuba.denoise import denoised
from plash.render.mitsuba.guides import Content, Shown, guide_of, lit_of, shown_triangles
from plash.render.mitsuba.looks import liquid_look
from plash.render.mitsuba.materials import Part, Surface, liquid_surface, on_both_sides, painted, rgb
from plash.render.mitsuba.mote_parts import shown_motes
from plash.render.mitsuba.placing import Placing
from plash.render.mitsuba.smoke_parts import flame_lamps, smoke_boxes
from plash.render.mitsuba.variant import compiles, load_mitsuba
from plash.render.moment import Moment
from plash.render.preview.cells import cell_boxes, filled_cells
from plash.render.preview.preview import picture_size
from plash.render.preview.space import SpacePreview
from plash.render.preview.studio import floor_height
from plash.render.preview.tint import Tint, speeds
from plash.render.smoke.optics import smoke_optics
from plash.render.tone import toned
from plash.render.wet_look import WetLook, wet_look
from plash.scene.colors import light_of
from plash.scene.model import Scene
from plash.scene.sets import SETS

Floats = NDArray[np.float32]

SAMPLES = {"draft": 8, "preview": 8, "final": 192}
_FEWER_IN_SMOKE = 0.75  # of the samples: rays take longer, and the built-in renderer's smoke guides the denoiser
GUIDE_SAMPLES, _NORMAL_SAMPLES = 8, 2  # for colours seen through water, and for normals
_FEWER_GUIDE_SAMPLES = 4  # through clear liquid where nothing is compiled: half the time, an error 1 % larger
_AT_ONCE = 2  # scenes whose rays are followed, where nothing is compiled
# Of so few samples Mitsuba's stratified ones are in the same half at every bounce: water is too bright by a per cent
_TOO_FEW = 2
_DEEPEST, _DEEPEST_CLOUDY = 12, 64  # bounces of a ray; more where light is scattered
_ROULETTE = 2  # bounces after which dim rays may end
_STEP, _SHARP = 3.0, 0.5  # pixels that things move between two moments of an open shutter, about, and in all unblurred
_SEED = 1
_FAR_APART = 2654435761  # between seeds of moments where nothing is compiled: pixels have numbers one after another
_PLATE, _LEAST_PLATE = 0.10, 5.0  # size of the plates of lava, in domain sizes, and in cells at the least
_IN_PLATE = 14.0  # edges of triangles across a plate
_DRIFT = 0.1  # of the top speed: liquid as fast carries plates by their own size until they fade
_DARKEST, _LIGHTEST = np.float32(1e-3), np.float32(0.999)  # light that liquid returns or lets through


@dataclass(frozen=True, eq=False)
class _Moving:
    """What moves in a frame: a mesh with velocities, its surface, and colours or heat of its vertices if any."""

    mesh: Mesh
    surface: Surface
    colors: Floats | None = None
    heat: NDArray[np.float64] | None = None

    def after(self, seconds: float) -> Mesh:
        """The mesh where its vertices will be, if they keep their velocities."""
        if seconds == 0 or self.mesh.velocity is None:
            return self.mesh
        vertices = self.mesh.vertices + np.float32(seconds) * self.mesh.velocity
        return replace(self.mesh, vertices=vertices)


@dataclass(frozen=True, eq=False)
class _Smoke:
    """Smoke of a frame.

    Attributes:
        parts: As rays meet it.
        passing: Share of the light behind it that is left, of each pixel (height, width, 1).
        light: What the built-in renderer sees of it, which guides the denoiser.
        past_flames: Share of the light of all this that its flames let through.
        glow: Light of its flames.
    """

    parts: Part
    passing: Floats
    light: Floats
    past_flames: Floats
    glow: Floats


class RayTracer:
    """Takes pictures of one 3-D scene.

    Raises:
        MissingPartError: Mitsuba is not installed.
    """

    def __init__(self, scene: Scene) -> None:
        self._mi = load_mitsuba()
        self._scene, self._pixels = scene, picture_size(scene)
        share = _FEWER_IN_SMOKE if scene.solver.has_smoke else 1
        self._samples = scene.look.samples or round(share * SAMPLES[scene.look.quality])
        self._size, self._framed = np.array(scene.domain.cells) * scene.domain.h, seen_size(scene)
        self._placing = Placing.of(scene.domain)
        self._look, self._tint, self._optics = liquid_look(scene), Tint(scene), smoke_optics(scene)
        self._wet_look = wet_look(scene)
        self._is_sheet = scene.mesh.walls == "open" and scene.look.show == "surface"
        if self._is_sheet:
            self._look = self._look.as_sheet
        surface = liquid_surface(self._look, self._placing.scale, self._tint.is_carried)
        self._surface, self._painted = (
            self._loaded(on_both_sides(each) if self._is_sheet else each) for each in (surface, painted())
        )
        self._still, self._building = self._standing(), Lock()
        self._is_clear = self._through["type"] == "volpath"
        self._guide_samples = _FEWER_GUIDE_SAMPLES if self._is_clear and not compiles(self._mi) else GUIDE_SAMPLES
        self._guided: tuple[bytes, tuple[Floats, Floats]] | None = None

    def picture(self, moment: Moment) -> NDArray[np.uint8]:
        """The picture (height, width, 3) of a frame."""
        moving, time = self._moving(moment), moment.time
        smoke = self._smoke(moment)
        offsets = self._shutter_offsets(moving, time)
        samples, wet = max(1, round(self._samples / len(offsets))), self._wet(moment, 0.0, moving=False)
        alone = self._all_content(moment, moving, wet, 0.0) if len(offsets) == 1 else None

        def content(offset: float) -> Content:
            return self._all_content(moment, moving, wet, offset) if alone is None else alone

        def light_after(seed: int, offset: float) -> Floats:
            return self._light(content(offset), smoke, time + offset, samples, seed)

        # The guide of the time itself does for all moments
        jobs: list[Callable[[], Any]] = [partial(light_after, *each) for each in enumerate(offsets)]
        *taken, (albedo, normal) = self._done([*jobs, lambda: self._guides(content(0.0), time)])
        light = np.mean(taken, axis=0)
        if smoke is not None:
            albedo, normal = smoke.passing * albedo + smoke.light, smoke.passing * normal
        clean = denoised(light, albedo, normal, quickly=self._scene.look.quality == "preview")
        if smoke is not None:
            clean = clean * smoke.past_flames + smoke.glow
        return toned(clean, self._scene.look.exposure, self._scene.look.tone)

    def _done(self, jobs: list[Callable[[], Any]]) -> list[Any]:
        """What some jobs give, each of which builds a scene and follows its rays.

        One thread builds a scene and all follow rays. Without compiling two jobs are at work at once, so that the rays
        of one leave no thread idle while the other builds.
        """
        if compiles(self._mi):
            return [job() for job in jobs]
        with ThreadPoolExecutor(_AT_ONCE) as workers:
            return list(workers.map(lambda job: job(), jobs))

    def _smoke(self, moment: Moment) -> _Smoke | None:
        """The smoke of a frame, as rays meet it and as the built-in renderer sees it; None where there is none."""
        if moment.volume.tiles.count == 0:
            return None
        seen = self._drafts.seen_smoke(moment)
        if seen is None:
            return None
        lit, own, flames = seen
        boxes = smoke_boxes(self._mi, self._placing, moment.volume, self._optics)
        lamps = flame_lamps(self._placing, flames)
        passing, of_both = (_of_pixels(seen.passing[:, :, None]) for seen in (lit, own))
        # Behind smoke that lets nothing through, flames hide nothing more
        past_flames = (of_both + _DARKEST) / (passing + _DARKEST)
        return _Smoke(boxes | lamps, passing, _of_pixels(lit.light), past_flames, _of_pixels(own.light))

    @cached_property
    def _drafts(self) -> SpacePreview:
        """The built-in renderer; it follows light through smoke as rays do."""
        look = self._scene.look.with_values(smoke="volume")
        return SpacePreview(self._scene.with_values(look=look), *self._pixels)

    def _heat(self, velocity: NDArray[np.floating], scalars: Mapping[str, NDArray[np.floating]]) -> NDArray[np.float64]:
        """How hot glowing liquid is, from 0 to 1: by its temperature, or the hotter the faster if nobody knows it."""
        ends, warmth = self._scene.color_scale("temperature"), scalars.get("temperature")
        if ends is not None and warmth is not None:
            share = (warmth.astype(np.float64) - ends[0]) / (ends[1] - ends[0])
        else:
            share = np.sqrt(2 * speeds(velocity) / self._tint.top_speed)
        heat: NDArray[np.float64] = np.clip(share, 0, 1)
        return heat

    @property
    def _plate(self) -> float:
        """Size of the plates of lava, m."""
        domain = self._scene.domain
        return max(_PLATE * math.prod(domain.size) ** (1 / 3), _LEAST_PLATE * domain.h)

    def _glow(self, mesh: Mesh, time: float) -> NDArray[np.float64]:
        """How much glowing liquid shines at its vertices, from 0 to 1: little on the plates of its crust."""
        flow = np.zeros_like(mesh.vertices) if mesh.velocity is None else mesh.velocity
        places, plate = mesh.vertices.astype(np.float64), self._plate
        heat, period = self._heat(flow, mesh.scalars), plate / (_DRIFT * self._tint.top_speed)
        return crust_glow(heat, places, flow.astype(np.float64), time, plate, period)

    def _moving(self, moment: Moment) -> _Moving | None:
        """What is shown of the liquid; None where there is none."""
        look, h = self._scene.look, self._scene.domain.h
        if look.show == "surface":
            if len(moment.mesh.faces) == 0:
                return None
            if not self._is_sheet:
                refuse_broken(moment.mesh)
            seen = parts.beyond_walls(moment.mesh, self._scene.domain, self._placing.apart)
            seen = parts.sharp_where_creased(seen, look.shading)
            flow = seen.velocity if seen.velocity is not None else np.zeros_like(seen.vertices)
            if self._tint.is_scale:
                return _Moving(seen, self._painted, self._tint.colors(self._tint.values(flow, seen.scalars)))
            if self._look.glow.any():
                seen = with_short_edges(seen, self._plate / _IN_PLATE)
                return _Moving(seen, self._surface, heat=self._glow(seen, moment.time))
            return _Moving(seen, self._surface, self._carried_colors(flow, seen.scalars))
        position, velocity, scalars = moment.particles.position, moment.particles.velocity, moment.particles.scalars
        if len(position) == 0:
            return None
        if look.show == "cells":
            cells, means = filled_cells(position, self._tint.values(velocity, scalars), h)
            boxes = cell_boxes(cells, self._tint.colors(means), h)
            return _Moving(Mesh(boxes.vertices, boxes.faces, boxes.normals), self._painted, boxes.colors)
        radius = np.cbrt(3 / (4 * np.pi) * np.maximum(moment.particles.volume, 0))
        balls, colors = parts.balls(position, radius, self._tint.colors(self._tint.values(velocity, scalars)))
        each = np.repeat(velocity, len(balls.vertices) // len(position), axis=0).astype(np.float32)
        return _Moving(Mesh(balls.vertices, balls.faces, balls.normals, each), self._painted, colors)

    def _carried_colors(self, flow: NDArray[np.floating], scalars: Mapping[str, NDArray[np.floating]]) -> Floats | None:
        """The colours of vertices, as their surface takes them: of clear liquid, for each of two passages."""
        if not self._tint.is_carried:
            return None
        colors = np.clip(self._tint.colors(self._tint.values(flow, scalars)), _DARKEST, _LIGHTEST)
        return np.sqrt(colors) if self._look.is_clear else colors

    def _shutter_offsets(self, moving: _Moving | None, time: float) -> NDArray[np.float64]:
        """Seconds before and after a frame at which the open shutter sees it: more, the further things move."""
        open_for = self._scene.look.open_shutter / self._scene.time.fps
        if open_for == 0:
            return np.zeros(1)
        views = [self._view(time + part * open_for) for part in (-0.5, 0.5)]
        corners = box_corners(np.zeros(3), self._size)
        paths = [np.abs(views[1].project(corners) - views[0].project(corners))[:, :2].max()]
        depth = max(float((self._size / 2 - views[0].position) @ views[0].axes[2]), 1e-9)
        fast = Prescribed(self._scene.solid, self._scene.domain.h, self._scene.domain.size).fastest(time, time)
        if moving is not None and moving.mesh.velocity is not None:
            fast = max(fast, float(np.percentile(speeds(moving.mesh.velocity), 98)))
        paths.append(fast * open_for * views[0].focal / depth)
        longest = max(paths)
        count = 1
        if longest > _SHARP:
            # Powers of two share the samples evenly, and Mitsuba compiles anew for each number of samples
            count = 2 ** max(1, round(math.log2(longest / _STEP)))
            # One sample each would make scenes dearer than rays
            while count > max(1, self._samples // 2):
                count //= 2
        offsets: NDArray[np.float64] = open_for * ((np.arange(count) + 0.5) / count - 0.5)
        return offsets

    def _light(self, content: Content, smoke: _Smoke | None, time: float, samples: int, seed: int) -> Floats:
        """Light of what is there at a time, with its grain."""
        mi, volume = self._mi, {} if smoke is None else smoke.parts
        through = {"integrator": self._through | {"type": "volpath"} if volume else self._integrator}
        sensor = self._sensor(time, samples)
        if self._is_clear and samples <= _TOO_FEW:
            sensor["sampler"] |= {"type": "independent"}
        lit = mi.load_dict(lit_of(content) | volume | through | {"sensor": sensor})
        seed = (_SEED + seed * (1 if compiles(mi) else _FAR_APART)) % 2**32
        return self._before_background(np.array(mi.render(lit, spp=samples, seed=seed)))

    def _all_content(self, moment: Moment, moving: _Moving | None, wet: Content, offset: float) -> Content:
        """All that is seen so many seconds after the time of a frame, made by one thread at a time."""
        with self._building:
            return self._content(moving, moment.time, offset) | wet | self._others(moment, offset)

    def _content(self, moving: _Moving | None, time: float, offset: float) -> Content:
        """The same without whitewater, and with solids that are dry."""
        content = self._still | parts.solids(self._mi, self._placing, self._scene, time + offset, moving=True)
        return content if moving is None else content | self._liquid(moving, time, offset)

    def _guides(self, content: Content, time: float) -> tuple[Floats, Floats]:
        """Colours of what is seen, through water as well, and normals of the first surface."""
        if any(each is not self._still.get(name) for name, each in content.items()):
            return self._found_guides(content, time)
        # Nothing moves but smoke, perhaps, which is no part of them
        asked = self._view(time).packed.tobytes()
        if self._guided is None or self._guided[0] != asked:
            self._guided = asked, self._found_guides(content, time)
        return self._guided[1]

    def _found_guides(self, content: Content, time: float) -> tuple[Floats, Floats]:
        mi, surround = self._mi, rgb(set_parts.rim_color(self._scene))
        guide = mi.load_dict(guide_of(content, surround) | {"sensor": self._sensor(time, self._guide_samples)})
        albedo = np.array(mi.render(guide, spp=self._guide_samples, seed=_SEED))[:, :, :3]
        normal = np.array(mi.render(guide, integrator=self._normals, spp=_NORMAL_SAMPLES, seed=_SEED))[:, :, -3:]
        if self._scene.look.floor:
            _continue_floor(normal)
        return albedo, normal

    def _before_background(self, found: Floats) -> Floats:
        if found.shape[2] == 3:
            return found
        away = np.clip(1 - found[:, :, 3:4], 0, 1)
        shown: Floats = found[:, :, :3] + away * light_of(self._scene.look.seen_background).astype(np.float32)
        return shown

    def _liquid(self, moving: _Moving, time: float, offset: float) -> Content:
        mi, placing, mesh = self._mi, self._placing, moving.after(offset)
        if moving.heat is not None:
            return parts.glowing(mi, placing, mesh, moving.surface.parts, moving.heat, self._look.glow)
        mirrored = None
        if self._look.kind == "cloudy" and moving.surface is self._surface:
            mirrored = parts.mirrored_share(mesh, self._view(time).position, self._look.ior)
        return {"liquid": shown_triangles(mi, placing, mesh, moving.surface, moving.colors, share=mirrored)}

    def _others(self, moment: Moment, offset: float) -> Content:
        """What else moves, so many seconds after the time of a frame: whitewater, and wet solids."""
        return self._motes(moment, offset) | self._wet(moment, offset, moving=True)

    def _motes(self, moment: Moment, offset: float) -> Content:
        """Spray, foam and bubbles so many seconds after the time of a frame; nothing where there are none."""
        if moment.motes is None:
            return {}
        largest = self._scene.whitewater.mote_size * self._scene.domain.h
        return shown_motes(self._mi, self._placing, moment.motes, largest, offset)

    def _wet(self, moment: Moment, offset: float, moving: bool) -> Content:
        """Solids that are wet, those that move or those that do not with the floor, in place of dry ones."""
        if moment.wetness is None or self._wet_look is None:
            return {}
        mi, placing, scene, film = self._mi, self._placing, self._scene, moment.wetness.film
        chosen = [each for each in self._wettable if each.solid is not None and each.solid.moves == moving]
        made = parts.wet_solids(mi, placing, scene, moment.time + offset, chosen, film, self._wet_look)
        for ground in (each for each in self._wettable if each.solid is None and not moving):
            wet = ground.wet_part(film, 0.0)
            if len(wet[0].faces) and scene.look.floor and floor_height(scene) == 0:
                made |= set_parts.wet_floor(mi, placing, scene, wet, self._wet_ground)
        return made

    @cached_property
    def _wet_ground(self) -> Surface:
        """The floor under a film."""
        look = self._wet_look or WetLook(None)
        return self._loaded(set_parts.wet_floor_surface(self._mi, self._placing, self._scene, self._furthest, look))

    @cached_property
    def _wettable(self) -> list[WetSurface]:
        """The surfaces that liquid can wet."""
        return wet_surfaces(self._scene.obstacles, self._scene.domain)

    def _loaded(self, surface: Surface) -> Surface:
        """The same surface, made once for all frames."""
        return replace(surface, parts={name: self._mi.load_dict(part) for name, part in surface.parts.items()})

    def _sensor(self, time: float, samples: int) -> Part:
        look, blur = self._scene.look, SETS[self._scene.look.set].blur
        return parts.sensor(self._mi, self._placing, self._view(time), look.camera, self._pixels, samples, blur)

    def _view(self, time: float) -> View:
        return camera_view(self._scene.look.camera, self._framed, self._pixels, time)

    def _standing(self) -> Content:
        """Everything but the liquid, solids that move and the camera."""
        mi, scene = self._mi, self._scene
        cloudy = self._look.kind in ("clear", "cloudy") and self._look.scattering > 0
        clear = self._look.kind in ("clear", "cloudy") and not self._tint.is_scale and scene.look.show == "surface"
        clear |= set_parts.has_tank(scene)
        hidden = not scene.look.floor and scene.look.seen_light in ("studio", "window", "dark")
        self._through: Part = {
            "type": "volpath" if clear else "path",
            "max_depth": _DEEPEST_CLOUDY if cloudy else _DEEPEST,
            "rr_depth": _ROULETTE,
            "hide_emitters": hidden,
        }
        self._integrator = self._through
        if clear and not (cloudy or hidden) and compiles(mi):
            absorption = self._look.absorption / self._placing.scale
            sees_through = set_parts.has_tank(scene) or scene.whitewater.amount > 0
            self._integrator = clear_paths(mi, absorption, _DEEPEST, _ROULETTE, sees_through)
        self._normals = mi.load_dict({"type": "aov", "aovs": "normal:sh_normal"})
        last = scene.time.frames / scene.time.fps
        middle = self._size / 2
        places = [self._view(last * k / 16).position - middle for k in range(17)]
        self._furthest = max(float(np.hypot(place[0], place[2])) for place in places)
        still = {
            **parts.solids(mi, self._placing, scene, 0.0, moving=False),
            **set_parts.floor(mi, self._placing, scene, self._furthest),
            **set_parts.light(mi, scene, self._view(0.0)),
        }
        if set_parts.has_tank(scene):
            still |= set_parts.tank(mi, self._placing, scene.domain, light_of(scene.look.tank_color))
        return {name: Shown(*(self._made(part) for part in each)) for name, each in still.items()}

    def _made(self, part: Any) -> Any:
        return self._mi.load_dict(part) if isinstance(part, dict) else part


def _of_pixels(samples: Floats) -> Floats:
    """The means (height, width, c) of 2 × 2 samples a pixel."""
    rows, columns, parts_of_it = samples.shape
    means: Floats = samples.reshape(rows // 2, 2, columns // 2, 2, parts_of_it).mean(axis=(1, 3))
    return means


def _continue_floor(normal: Floats) -> None:
    """Let the backdrop guide the denoiser as the rim of the floor does: no line is drawn where one meets the other."""
    is_level = (normal[:, :, 0] == 0) & (normal[:, :, 2] == 0) & (normal[:, :, 1] >= 0)
    missing = np.where(is_level, 1 - normal[:, :, 1], 0)[:, :, None]
    normal += missing * np.array([0, 1, 0], np.float32)


def refuse_broken(mesh: Mesh) -> None:
    """Refuse a surface that would look black: one with holes, or inside out.

    Raises:
        PlashError: It is broken; says how.
    """
    found = defects(mesh)
    if found:
        raise PlashError(
            f"light cannot pass through the liquid's surface: {'; '.join(found)}. Make it again with `plash mesh` "
            'and mesh.walls = "closed", or use quality "draft"'
        )
