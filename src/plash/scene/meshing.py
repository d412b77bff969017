"""How the surface of the liquid is made. Nothing here changes the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from pydantic import Field

from plash.scene.language.base import FURTHEST, Number, SceneModel, Switch, Whole

if TYPE_CHECKING:
    from plash.scene.keys import MeshingKeys


class Meshing(SceneModel):
    """How the liquid's surface is made."""

    if TYPE_CHECKING:

        def __init__(self, **keys: Unpack[MeshingKeys]) -> None: ...

    detail: Whole = Field(default=2, ge=1, le=4, description="Samples of the surface along the edge of a cell.")
    placement: Literal["interpolated", "midpoint"] = Field(
        default="interpolated",
        description="Where vertices lie on the edges between samples: where the surface crosses, or half-way.",
    )
    smoothing: Whole | None = Field(
        default=None,
        ge=0,
        le=50,
        description="Rounds of smoothing; each takes out bumps and keeps the volume.",
        json_schema_extra={"default_text": '4; 0 with `placement = "midpoint"`'},
    )
    subdivide: Whole = Field(
        default=0,
        ge=0,
        le=2,
        description="Rounds of Loop subdivision; each makes four triangles of one and keeps edges at walls sharp.",
    )
    drops: Switch = Field(
        default=True, description="Whether particles that the surface does not cover are shown as drops."
    )
    films: Switch = Field(
        default=False,
        description="Whether films thinner than about a quarter of a cell are shown as liquid on solids and on the "
        "floor, in 3-D. If not, pictures show what is under them wet: see `look.drying_time`.",
    )
    smallest: Number = Field(
        default=0.0,
        ge=0,
        le=FURTHEST,
        description="Volume, in cells, below which separate pieces and cavities are left out.",
    )
    walls: Literal["closed", "open"] = Field(
        default="closed",
        description="Whether the surface goes on along walls and solids, or ends where it meets them.",
    )
    normals: Literal["faces", "field"] = Field(
        default="faces",
        description="Normals at vertices, in 3-D: the mean of the faces round them, or up the field that was cut.",
    )

    def hides_films(self, dimension: int) -> bool:
        """Whether thin films on solids are left out, in a scene of so many axes: where solids can be shown wet."""
        return not self.films and dimension == 3 and self.walls == "closed" and self.placement == "interpolated"

    @property
    def sweeps(self) -> int:
        """Rounds of smoothing: those asked for, or the default of the placement."""
        if self.smoothing is not None:
            return self.smoothing
        return 4 if self.placement == "interpolated" else 0
