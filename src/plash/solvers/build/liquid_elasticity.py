"""What a scene says about elasticity, as a liquid in air sees it."""

from __future__ import annotations

from plash.physics.elasticity.base import Elasticity, NoElasticity
from plash.physics.elasticity.elasticity import Elastic, LongSteps, OnParticles, Strain
from plash.physics.elasticity.grid_strain import OnGrid
from plash.physics.elasticity.particle_strain import StrainHow
from plash.physics.viscosity.stress_weights import Scheme
from plash.scene.model import Scene
from plash.scene.settings import LiquidSettings
from plash.scene.sources import Spout

_STEPS_A_FRAME = 24  # that are never smoothed away: swings that frames show are as they are


def liquid_elasticity(scene: Scene, settings: LiquidSettings) -> Elasticity:
    """The elasticity of a scene; none if all of its liquid flows."""
    if scene.shear_modulus == 0:
        return NoElasticity()
    h, rho = scene.domain.h, scene.liquid.rho
    ramp = scene.liquid.modulus_ramp if scene.melts else None
    strain: Strain = OnParticles(scene.liquid.elastic, rho, StrainHow(h, settings.strain != "paper"), ramp)
    if settings.transfer == "semi_lagrangian":
        strain = OnGrid(scene.liquid.elastic, rho, h, settings.yielding == "components", ramp)
    scheme = Scheme(h, coupled=True, harmonic=settings.viscosity_mean == "harmonic", least_way=0.5)
    return Elastic(strain, scene.shear_modulus, rho, scheme, long_elastic_steps(scene), _only_pull(scene, settings))


def _only_pull(scene: Scene, settings: LiquidSettings) -> tuple[float, ...] | None:
    """Gravity, if it and walls that hold liquid or let it slide are all that can change the momentum of a body."""
    domain, d = scene.domain, scene.dimension
    sides = domain.friction.model_dump().values()
    others = scene.force, scene.pump, scene.sink, [source for source in scene.source if isinstance(source, Spout)]
    rises = scene.has_heat and scene.liquid.thermal_expansion != 0
    if settings.transfer == "semi_lagrangian" or rises or any(others) or any(0 < side < 1 for side in sides):
        return None
    return tuple(domain.gravity[:d])


def long_elastic_steps(scene: Scene) -> LongSteps | None:
    """How long steps may be in which elastic stress is smoothed; None if none may be."""
    courant = scene.solver.elastic_courant
    return None if courant is None else LongSteps(courant, 1 / (_STEPS_A_FRAME * scene.time.fps))
