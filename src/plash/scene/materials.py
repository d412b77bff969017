"""Liquids by name: density and dynamic viscosity at the temperature stated, with where the numbers come from.

Pure liquids are known to a fraction of a per cent. Foods vary from one sample to the next, honey by a factor
of several; their numbers are typical ones.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Material:
    """A liquid: density in kg/m³, dynamic viscosity in Pa·s, temperature in °C, the source of both, and its colour."""

    density: float
    dynamic_viscosity: float
    temperature: float
    source: str
    color: str = "#2f86c8"


_CRC = "CRC Handbook of Chemistry and Physics"

MATERIALS = {
    "water": Material(998.2, 1.002e-3, 20, _CRC),
    "sea_water": Material(1024.8, 1.077e-3, 20, "Sharqawy et al. 2010, salinity 35 g/kg", "#2a7f9e"),
    "milk": Material(1030.0, 2.0e-3, 20, "typical whole milk; Walstra et al., Dairy Science and Technology", "#f3efe4"),
    "acetone": Material(784.5, 3.06e-4, 25, _CRC, "#a9c7d6"),
    "ethanol": Material(785.1, 1.074e-3, 25, _CRC, "#a9c7d6"),
    "olive_oil": Material(911.0, 8.4e-2, 20, f"typical density; viscosity {_CRC}", "#b8a02e"),
    "castor_oil": Material(961.0, 0.986, 20, f"typical density; viscosity {_CRC}", "#d8c46a"),
    "glycerol": Material(1261.0, 1.41, 20, "viscosity Segur and Oberstar 1951", "#c9d6dc"),
    "honey": Material(1420.0, 10.0, 20, "typical; from 2 to 30 Pa·s by water content", "#d98a1f"),
    "mercury": Material(13534.0, 1.526e-3, 25, _CRC, "#a7adb5"),
}
