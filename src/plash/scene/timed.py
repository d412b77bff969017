"""What acts from a time to another."""

from __future__ import annotations

import math
from typing import Self

from pydantic import Field, model_validator

from plash.scene.language.base import Duration, SceneModel
from plash.scene.language.words import refusal_at


class Timed(SceneModel):
    """What acts from a time to another."""

    start: Duration = Field(default=0.0, ge=0, description="When it begins.")
    stop: Duration | None = Field(
        default=None, gt=0, description="When it ends.", json_schema_extra={"default_text": "never"}
    )

    @model_validator(mode="after")
    def _stops_after_its_start(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            raise refusal_at("stop", f"{self.stop} s is not after start = {self.start} s")
        return self

    def acts(self, time: float) -> bool:
        """Whether it acts at a time, s."""
        return self.start <= time < self.end

    @property
    def end(self) -> float:
        """When it ends, s; infinite if it does not."""
        return math.inf if self.stop is None else self.stop

    @property
    def gives_heat(self) -> bool:
        """Whether it warms what is there, beside by what it brings."""
        return False
