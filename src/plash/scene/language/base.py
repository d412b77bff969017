"""What all parts of a scene have in common: frozen tables that refuse unknown keys; numbers, vectors, text.

A parameter is written once, as a pydantic field with its type, default, limits and one sentence; the type
says the unit. The reader, its errors, the reference page and the JSON Schema are all read from that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from plash.errors import Problem, SceneError
from plash.scene.language.amount import too_much_data
from plash.scene.language.fields import documented, fields_of, signature_of
from plash.scene.language.problems import findings
from plash.scene.language.units import Quantity
from plash.scene.language.words import Finding, key_of, refusal, refusals, shown

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

Vector = tuple[float, ...]
Model = TypeVar("Model", bound=BaseModel)


class TableType(ModelMetaclass):
    """The type of tables. Of what all tables have, `help` and completion show `model_copy` only."""

    def __dir__(self) -> list[str]:
        """What a table says of itself, without what it has from pydantic."""
        names = super().__dir__()
        return [name for name in names if name == "model_copy" or not (name[0] == "_" or hasattr(SceneModel, name))]


class SceneModel(BaseModel, metaclass=TableType):
    """A table of a scene: frozen, made from keywords; raises a SceneError that lists all that is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error_source: ClassVar[str] = ""
    series: ClassVar[frozenset[str]] = frozenset()  # lists that do not have one entry per axis
    flat: ClassVar[frozenset[str]] = frozenset()  # vectors in a surface, which have one entry less
    old_keys: ClassVar[Mapping[str, str]] = {}  # what keys were called before, and are called now

    @classmethod
    def why_unknown(cls, key: str) -> str:
        """What to say of a key that this table does not have; empty if there is nothing special about it."""
        return ""

    def __init__(self, /, **data: Any) -> None:
        found = too_much_data(data)
        try:
            if not found:
                super().__init__(**data)
                return
        except ValidationError as error:
            found = findings(type(self), error, data)
        problems = [Problem(key_of(place), sentence) for place, sentence in found]
        raise SceneError(problems, source=self.error_source or type(self).__name__)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        cls.__doc__, cls.__signature__ = documented(cls), signature_of(cls)

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:
        """Find the types of the fields again, once all of them are there."""
        done = super().model_rebuild(**options)
        cls.__doc__, cls.__signature__ = documented(cls), signature_of(cls)
        return done

    @model_validator(mode="before")
    @classmethod
    def _with_new_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or not cls.old_keys.keys() & data.keys():
            return data
        both = [(old, new) for old, new in cls.old_keys.items() if old in data and new in data]
        if both:
            raise refusals([((old,), f"is the old name of {new}, which is given too: keep one") for old, new in both])
        return {cls.old_keys.get(key, key): value for key, value in data.items()}

    # Pydantic's own mark on a constructor that only validates. With it, tables inside this one are checked
    # in the same pass, and what is wrong in all of them arrives together.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with some values replaced, checked like any other.

        A table given as a dictionary replaces only the keys in it.

        Raises:
            SceneError: Lists everything that is wrong.

        >>> from plash.scene import Sphere
        >>> Sphere(center=(0, 0), radius=1).model_copy(update={"radius": "20 cm"}).radius
        0.2
        """
        if not update:
            return super().model_copy(deep=deep)
        return type(self)(**_updated(self, update))

    def with_values(self, **values: Any) -> Self:
        """The same with other values, which are known to be good: nothing is checked."""
        return super().model_copy(update=values)

    def __dir__(self) -> list[str]:
        return [*fields_of(type(self)), *dir(type(self))]

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, field in fields_of(type(self)).items():
            if name in self.__dict__ and self.__dict__[name] != field.default:
                yield name, self.__dict__[name]


def said(model: BaseModel) -> dict[str, Any]:
    """What a table says, key by key, without what it leaves to defaults; tables in it as they are."""
    return {name: getattr(model, name) for name in type(model).model_fields if name in _spoken(model)}


def _spoken(model: BaseModel) -> set[str]:
    """The keys that are set, and the kind, which tells what table it is."""
    return model.model_fields_set | {"kind"}


def _updated(table: BaseModel, update: Mapping[str, Any]) -> dict[str, Any]:
    """What a table says once some of its keys have other values."""
    data = said(table)
    for name, value in update.items():
        old = getattr(table, name, None)
        if isinstance(old, BaseModel) and isinstance(value, Mapping):
            is_same = value.get("kind") in (None, getattr(old, "kind", None))
            data[name] = _updated(old, value) if is_same else value
        else:
            data[name] = value
    return data


def validated(model: type[Model], data: Mapping[str, Any]) -> tuple[Model | None, list[Finding]]:
    """The model made from plain data, or None and everything wrong with it."""
    found = too_much_data(data)
    if found:
        return None, found
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, findings(model, error, data)


def wrong_dimensions(model: BaseModel, dimension: int) -> list[Finding]:
    """Every vector in a model, and in the models it holds, that has not one entry per axis of the scene."""
    found: list[Finding] = []
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            found += [((name, *place), text) for place, text in wrong_dimensions(value, dimension)]
        elif isinstance(value, tuple) and value and isinstance(value[0], BaseModel):
            for index, item in enumerate(value):
                found += [((name, index, *place), text) for place, text in wrong_dimensions(item, dimension)]
        elif isinstance(value, tuple) and value and isinstance(value[0], tuple):
            for index, item in enumerate(value):
                found += [((name, index), text) for text in _wrong_length(item, dimension, dimension)]
        elif isinstance(value, tuple) and value and name not in getattr(model, "series", ()):
            wanted = dimension - (name in getattr(model, "flat", ()))
            found += [((name,), text) for text in _wrong_length(value, dimension, wanted)]
    return found


def _wrong_length(vector: Vector, dimension: int, wanted: int) -> list[str]:
    if len(vector) == wanted:
        return []
    sentence = f"{shown(vector)} has {len(vector)} entries: a {dimension}-D scene needs {wanted}"
    return [f"{sentence} (domain.size says how many axes there are)"]


def _whole(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise refusal(f"{shown(value)} is the wrong type: it must be a whole number")
    return int(value)


def _text(value: object) -> object:
    if not isinstance(value, str):
        raise refusal(f"{shown(value)} is the wrong type: it must be text in quotes")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise refusal(f"{value[:60]!a} is not valid text: it has half of a surrogate pair")
    return value


def renamed(**now: str) -> BeforeValidator:
    """Accepts words by the names they had before: `renamed(old="new")`."""
    return BeforeValidator(lambda value: now.get(value, value) if isinstance(value, str) else value)


def _name(value: str) -> str:
    if len(value) > LONGEST_NAME:
        raise refusal(f"{shown(value)} has {len(value)} characters: a name may have {LONGEST_NAME}")
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in value):
        raise refusal(f"{shown(value)} has a control character: a name is one line of text")
    return value


def _switch(value: object) -> object:
    if not isinstance(value, bool):
        raise refusal(f"{shown(value)} is the wrong type: it must be true or false")
    return value


def _entries(value: object) -> object:
    """A list of two or three entries, from a list, tuple or array."""
    listed = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(listed, list | tuple):
        raise refusal(f"{shown(value)} is the wrong type: it must be a list of two or three numbers")
    if not 2 <= len(listed) <= 3:
        raise refusal(f"{shown(listed)} has length {len(listed)}: it must be 2 (in 2-D) or 3 (in 3-D)")
    return listed


# Nothing that can be simulated is further away, or faster; and up to here no arithmetic overflows.
FURTHEST = 1e9
LONGEST_NAME = 100

Number = Annotated[float, Quantity()]
Length = Annotated[float, Quantity("length")]
Duration = Annotated[float, Quantity("time")]
Angle = Annotated[float, Quantity("angle")]
Temperature = Annotated[float, Quantity("temperature"), Field(gt=0, le=FURTHEST)]
OwnViscosity = Annotated[float, Quantity("dynamic viscosity"), Field(ge=1e-12, le=FURTHEST)]
ShearModulus = Annotated[float, Quantity("pressure"), Field(ge=0, le=FURTHEST)]
YieldStrain = Annotated[float, Quantity(), Field(ge=0, le=FURTHEST)]
YieldRate = Annotated[float, Quantity("rate"), Field(gt=0, le=FURTHEST)]
Whole = Annotated[int, BeforeValidator(_whole)]
Text = Annotated[str, BeforeValidator(_text)]
Name = Annotated[Text, AfterValidator(_name)]
Switch = Annotated[bool, BeforeValidator(_switch)]

_entry_count = Field(min_length=2, max_length=3)
_within = Field(ge=-FURTHEST, le=FURTHEST)
_Coordinate = Annotated[float, Quantity("length"), _within]
_Side = Annotated[float, Quantity("length"), Field(gt=0, le=FURTHEST)]
_Speed = Annotated[float, Quantity("velocity"), _within]
_Pull = Annotated[float, Quantity("acceleration"), _within]

Point = Annotated[tuple[_Coordinate, ...], _entry_count, BeforeValidator(_entries)]
Sizes = Annotated[tuple[_Side, ...], _entry_count, BeforeValidator(_entries)]
Direction = Annotated[tuple[Number, ...], _entry_count, BeforeValidator(_entries)]
Velocity = Annotated[tuple[_Speed, ...], _entry_count, BeforeValidator(_entries)]
Acceleration = Annotated[tuple[_Pull, ...], _entry_count, BeforeValidator(_entries)]
