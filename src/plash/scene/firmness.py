"""The firmness that a part of the liquid may have of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field
from pydantic.config import JsonDict

from plash.scene.language.base import SceneModel, ShearModulus, YieldRate, YieldStrain
from plash.scene.liquid import Liquid

_OF_LIQUID: JsonDict = {"default_text": "the liquid's"}


class OwnElasticity(SceneModel):
    """Liquid that may be of another firmness than the rest."""

    if TYPE_CHECKING:
        temperature: float | None

    shear_modulus: ShearModulus | None = Field(
        default=None,
        description="How much it resists being sheared; 0 flows. Only for liquid in air.",
        json_schema_extra=_OF_LIQUID,
    )
    yield_strain: YieldStrain | None = Field(
        default=None, description="Size of the strain beyond which it flows.", json_schema_extra=_OF_LIQUID
    )
    yield_rate: YieldRate | None = Field(
        default=None, description="How fast strain beyond that decays.", json_schema_extra=_OF_LIQUID
    )

    def elastic(self, liquid: Liquid) -> tuple[float, float, float]:
        """Shear modulus (Pa), yield strain and yield rate (1/s), of its own or the liquid's at its temperature."""
        own = (self.shear_modulus, self.yield_strain, self.yield_rate)
        usual = liquid.elastic_at(liquid.temperature if self.temperature is None else self.temperature)
        modulus, strain, rate = (value if mine is None else mine for mine, value in zip(own, usual, strict=True))
        return modulus, strain, rate
