"""Paths of light through clear liquid that only absorbs: what is left of light after a way is known, not drawn by lot.

Mitsuba's own paths through a volume end somewhere in it by chance, as they do in milk. In clear water that is grain for
nothing: of each colour the share e^(-absorption · way) comes through, and these paths are multiplied by it. The surface
of such a liquid bends light, so no lamp is looked for from within: none would be found in a straight line. Panes and
motes bend nothing, and shadow rays go through them.

This is Mitsuba's Python, which its variants with LLVM compile with the rest; others cannot run it.
Reference: Veach 1997, chapters 8 and 9 (paths, and lamps found in two ways).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plash.render.mitsuba.materials import Part

_NAME = "plash_clear_paths"
_COLORS = "red", "green", "blue"
_SURVIVES = 0.95  # of dim paths, at the most, with each bounce


def clear_paths(mi: Any, absorption: NDArray[np.floating], deepest: int, roulette: int, sees_through: bool) -> Part:
    """An integrator of such paths.

    Args:
        mi: Mitsuba, in a variant that compiles.
        absorption: Of the liquid, for red, green and blue, over a unit of Mitsuba's.
        deepest: Bounces of a path, at the most.
        roulette: Bounces after which dim paths may end.
        sees_through: Whether something lets light through without bending it.
    """
    _register(mi)
    share = dict(zip(_COLORS, map(float, absorption), strict=True))
    return {"type": _NAME, "deepest": deepest, "roulette": roulette, "sees_through": sees_through, **share}


@lru_cache(maxsize=1)
def _register(mi: Any) -> None:
    """Tell Mitsuba of it, once."""
    mi.register_integrator(_NAME, _kind(mi))


def _kind(mi: Any) -> Any:
    """The class of the integrator, one of Mitsuba's. What it compiles it takes out of its context: it imports anew."""
    import drjit as dr

    class ClearPaths(mi.SamplingIntegrator):  # type: ignore[misc]
        """Follows paths, and knows of each whether it is in the liquid."""

        def __init__(self, keys: Any) -> None:
            super().__init__(keys)
            self.deepest, self.roulette, self.sees_through = (
                keys[name] for name in ("deepest", "roulette", "sees_through")
            )
            self.absorption = mi.Color3f(*(keys[name] for name in _COLORS))

        @dr.syntax
        def sample(self, scene: Any, sampler: Any, ray: Any, medium: Any = None, active: Any = True) -> Any:
            """Light along rays from the camera, and whether they met anything."""
            import drjit as dr
            import mitsuba as mi

            ray, active = mi.Ray3f(ray), mi.Bool(active)
            light, left, eta, depth = mi.Color3f(0), mi.Color3f(1), mi.Float(1), mi.UInt32(0)
            inside, met = mi.Bool(False), mi.Bool(scene.environment() is not None)
            # Where light was last scattered or bent, how likely it was to go this way, and if only this way leads on
            last, chance, is_only = dr.zeros(mi.Interaction3f), mi.Float(1), mi.Bool(True)
            context = mi.BSDFContext()
            while active:
                si = scene.ray_intersect(ray, mi.RayFlags.All, depth == 0, active)
                left[active & inside & si.is_valid()] *= dr.exp(-si.t * self.absorption)

                # A lamp that was come upon
                lamp = si.emitter(scene)
                shines = active & (lamp != None)  # noqa: E711
                way = mi.DirectionSample3f(scene, si, last)
                met_by_search = scene.pdf_emitter_direction(last, way, shines & ~is_only)
                share = dr.select(is_only, 1, share_of(chance, met_by_search))
                light[shines] += left * lamp.eval(si, shines) * share

                # A lamp that is looked for
                active &= si.is_valid() & (depth + 1 < self.deepest)
                bsdf = si.bsdf(ray)
                wall = si.is_medium_transition()
                searches = ~inside | wall
                looks = active & searches & mi.has_flag(bsdf.flags(), mi.BSDFFlags.Smooth)
                way, shine = scene.sample_emitter_direction(si, sampler.next_2d(looks), not self.sees_through, looks)
                looks &= way.pdf != 0
                if dr.hint(self.sees_through, mode="scalar"):
                    shine *= self.passing(scene, si, way, looks)

                # Where light goes on
                toward = si.to_local(way.d)
                value, pdf, bounce, weight = bsdf.eval_pdf_sample(
                    context, si, toward, sampler.next_1d(active), sampler.next_2d(active), active
                )
                value = si.to_world_mueller(value, -toward, si.wi)
                share = dr.select(way.delta, 1, share_of(way.pdf, pdf))
                light[looks] += left * value * shine * share
                ray[active] = si.spawn_ray(si.to_world(bounce.wo))
                left[active] *= weight
                eta[active] *= bounce.eta
                inside = dr.select(active & wall, si.target_medium(ray.d) != None, inside)  # noqa: E711

                bends = active & ~mi.has_flag(bounce.sampled_type, mi.BSDFFlags.Null)
                last[bends] = mi.Interaction3f(si)
                chance = dr.select(bends, bounce.pdf, chance)
                is_only = dr.select(bends, mi.has_flag(bounce.sampled_type, mi.BSDFFlags.Delta) | ~searches, is_only)
                depth[bends] += 1
                met |= bends

                brightest = dr.max(left)
                survives = dr.minimum(brightest * eta * eta, _SURVIVES)
                may_end = depth >= self.roulette
                left[may_end] *= dr.rcp(survives)
                active &= (brightest > 0) & (~may_end | (sampler.next_1d(active) < survives))
            return light, met, []

        @dr.syntax
        def passing(self, scene: Any, start: Any, way: Any, active: Any) -> Any:
            """Share of light that comes straight from a lamp, through what bends nothing."""
            import drjit as dr
            import mitsuba as mi

            active, left, gone = mi.Bool(active), mi.Color3f(1), mi.Float(0)
            ray = start.spawn_ray_to(way.p)
            far = mi.Float(ray.maxt)
            while active:
                si = scene.ray_intersect(ray, mi.RayFlags.All, False, active)
                active &= si.is_valid()
                left[active] *= si.bsdf(ray).eval_null_transmission(si, active)
                gone[active] += si.t
                ray[active] = si.spawn_ray(mi.Vector3f(ray.d))
                ray.maxt = far - gone
                active &= dr.any(left != 0) & (ray.maxt > 0)
            return left

    return ClearPaths


def share_of(one: Any, other: Any) -> Any:
    """The power heuristic: what counts of light that is found in one of two ways."""
    import drjit as dr

    share = one * one / (one * one + other * other)
    return dr.select(dr.isfinite(share), share, 0)
