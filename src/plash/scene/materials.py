"""Liquids by name: density and dynamic viscosity at the temperature stated, with where the numbers come from.

Pure liquids are known to a fraction of a per cent. Foods vary from one sample to the next, honey by a factor of
several; their numbers are typical ones. What melts is as thick below its melting point as makes it stand for minutes:
it is a solid there, which no viscosity describes.
"""

from __future__ import annotations

from dataclasses import dataclass

NEVER = 1e9  # a yield strain that nothing reaches, and a yield rate at which strain is gone at once


@dataclass(frozen=True)
class Material:
    """A liquid by name.

    Attributes:
        density: In kg/m³.
        dynamic_viscosity: In Pa·s.
        temperature: Of both, in °C.
        source: Where they come from.
        color: As pictures show it.
        viscosity_at: Viscosities (Pa·s) at some temperatures (°C), in rising order; none if they are not known.
        thermal_diffusivity: In m²/s.
        shear_modulus: In Pa; 0 if it flows.
        yield_strain: Size of the elastic strain beyond which it flows.
        yield_rate: How fast strain beyond that decays, in 1/s.
    """

    density: float
    dynamic_viscosity: float
    temperature: float
    source: str
    color: str = "#2f86c8"
    viscosity_at: tuple[tuple[float, float], ...] = ()
    thermal_diffusivity: float = 1.43e-7
    shear_modulus: float = 0.0
    yield_strain: float = NEVER
    yield_rate: float = NEVER


_CRC = "CRC Handbook of Chemistry and Physics"

MATERIALS = {
    "water": Material(998.2, 1.002e-3, 20, _CRC),
    "sea_water": Material(1024.8, 1.077e-3, 20, "Sharqawy et al. 2010, salinity 35 g/kg", "#2a7f9e"),
    "milk": Material(1030.0, 2.0e-3, 20, "typical whole milk; Walstra et al., Dairy Science and Technology", "#f3efe4"),
    "acetone": Material(784.5, 3.06e-4, 25, _CRC, "#a9c7d6"),
    "ethanol": Material(785.1, 1.074e-3, 25, _CRC, "#a9c7d6"),
    "olive_oil": Material(911.0, 8.4e-2, 20, f"typical density; viscosity {_CRC}", "#b8a02e"),
    "castor_oil": Material(961.0, 0.986, 20, f"typical density; viscosity {_CRC}", "#d8c46a"),
    "glycerol": Material(
        1261.0,
        1.41,
        20,
        "viscosity Segur and Oberstar 1951",
        "#c9d6dc",
        ((0, 12.07), (10, 3.9), (20, 1.41), (30, 0.612), (40, 0.284), (60, 0.0813), (80, 0.0319), (100, 0.0148)),
        9.5e-8,
    ),
    "honey": Material(
        1420.0,
        10.0,
        20,
        "typical; from 2 to 30 Pa·s by water content",
        "#d98a1f",
        ((10, 40), (20, 10.0), (30, 3.3), (40, 1.3), (60, 0.35)),
        1.3e-7,
    ),
    "syrup": Material(
        1430.0,
        60.0,
        20,
        "typical golden syrup",
        "#c8791a",
        ((10, 300), (20, 60.0), (30, 17), (40, 6), (60, 1.2)),
        1.2e-7,
    ),
    "chocolate": Material(
        1300.0,
        3.0,
        40,
        "typical, as if Newtonian; Beckett, The Science of Chocolate",
        "#4a2a18",
        ((20, 1e4), (28, 300), (33, 10), (40, 3.0), (50, 2.0)),
        1.2e-7,
    ),
    "wax": Material(
        780.0,
        6e-3,
        70,
        "typical paraffin that melts at 55 °C; thicker when solid",
        "#efe6cf",
        ((40, 1e5), (52, 1e3), (58, 1), (65, 0.01), (70, 6e-3), (80, 4e-3)),
        1.0e-7,
    ),
    "tar": Material(
        1020.0,
        4.0,
        100,
        "typical; at 60 and 135 °C as bitumen 50/70 of EN 12591",
        "#16130f",
        ((20, 1e6), (60, 200), (100, 4.0), (135, 0.4), (160, 0.15)),
        8.0e-8,
    ),
    "lava": Material(
        2700.0,
        100.0,
        1150,
        "typical basalt; Shaw 1969",
        "#e2541b",
        ((700, 1e9), (900, 1e6), (1050, 3e3), (1150, 100.0), (1250, 20)),
        5.0e-7,
    ),
    "glass": Material(
        2400.0,
        1e3,
        1010,
        "soda-lime: softening, working and melting point; Varshneya, Fundamentals of Inorganic Glasses",
        "#9ec7b4",
        ((645, 1e9), (725, 4e6), (1010, 1e3), (1450, 10)),
        5.0e-7,
    ),
    "mercury": Material(13534.0, 1.526e-3, 25, _CRC, "#a7adb5"),
    "jelly": Material(
        1040.0, 1.0, 20, "soft dessert jelly: modulus typical; viscosity chosen for looks", "#c8243c", shear_modulus=2e3
    ),
    "gelatin": Material(
        1050.0,
        1.0,
        20,
        "gelatin gel of 6 to 7 per cent: modulus typical; viscosity chosen for looks",
        "#d8b26a",
        shear_modulus=5e3,
    ),
    "egg_white": Material(
        1040.0,
        0.05,
        20,
        "typical density; thick white as a weak gel, modulus and yield chosen for looks",
        "#e9e3c8",
        shear_modulus=20.0,
        yield_strain=0.8,
        yield_rate=3.0,
    ),
    "soap": Material(
        1030.0,
        2.0,
        20,
        "liquid hand soap: viscosity typical; modulus and relaxation of a wormlike micellar liquid, chosen for looks",
        "#b9d7c0",
        shear_modulus=50.0,
        yield_strain=0.0,
        yield_rate=10.0,
    ),
    "toothpaste": Material(
        1300.0,
        10.0,
        20,
        "yield stress 100 to 200 Pa typical; modulus such that it yields at a tenth of strain, chosen for looks",
        "#eef3f5",
        shear_modulus=700.0,
        yield_strain=0.15,
    ),
    "mud": Material(
        1500.0,
        1.0,
        20,
        "dense mud: yield stress of tens of Pa typical; all else chosen for looks",
        "#5b4632",
        shear_modulus=300.0,
        yield_strain=0.1,
        yield_rate=50.0,
    ),
    "clay": Material(
        1800.0,
        50.0,
        20,
        "wet clay, softer than a potter's: all chosen for looks",
        "#9a6b4f",
        shear_modulus=1e4,
        yield_strain=0.1,
    ),
    "slime": Material(
        1050.0,
        2.0,
        20,
        "borax and glue, which flows in seconds: all chosen for looks",
        "#6fbf3a",
        shear_modulus=300.0,
        yield_strain=0.2,
        yield_rate=2.0,
    ),
    "air": Material(1.204, 1.825e-5, 20, f"at 1 atm; {_CRC}", "#dfe4e8", (), 2.12e-5),
}
