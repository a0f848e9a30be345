# SPDX-License-Identifier: Apache-2.0
"""Types of values: which one a product has, and which one it is computed in."""

from __future__ import annotations

import functools
import operator
import sys
from typing import Any, NamedTuple

import numpy as np

from ._operands import Parts, empty_like, library_of

FLOATS = ("float64", "float32", "float16", "bfloat16")
# spl_type of what the library computes in
TYPES = {"float32": 1, "float64": 2, "float16": 3, "bfloat16": 4, "int32": 7, "int64": 8}
# Sums and products modulo 2**32 or 2**64 have the right last bits for all narrower integers, with
# a sign or without. In bool "add" is "or": no element sums 2**32 products.
_COMPUTED = dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16", "uint32"), "int32")
_COMPUTED |= {"uint64": "int64"}
# Larger types, in which all values of a type are what they are.
_EXACT = dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16"), "int32") | {"uint32": "int64"}

_names: dict[Any, str] = {}  # of dtypes: small products would wait for str()


class ProductType(NamedTuple):
    """The type of a product, and the one that the library computes it in."""

    name: str
    computed: str

    @property
    def is_computed(self) -> bool:
        """Whether results are as the library makes them."""
        return self.name == self.computed

    @property
    def is_narrow(self) -> bool:
        """Whether results are copied to another width."""
        return not self.is_computed and self.name not in ("uint32", "uint64")

    @property
    def is_integer(self) -> bool:
        return self.computed in ("int32", "int64")


def type_name(values: Any) -> str:
    """The name of an array's type of values, the same for all libraries."""
    dtype = values.dtype
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = str(dtype).removeprefix("torch.")
    return name


def dtype_name(dtype: Any) -> str:
    """The name of a type, which NumPy knows, or torch."""
    name = str(dtype).removeprefix("torch.")
    return name if name == "bfloat16" or str(dtype) != name else np.dtype(dtype).name


def common_type(names: list[str], cast: bool = False, semiring: str | None = None) -> ProductType:
    """The type of a product of operands of these types, as SciPy chooses it.

    Raises NotImplementedError for what neither the library nor a conversion computes. `cast`: bool
    and integers count as float64.
    """
    name = names[0]
    if name not in FLOATS or names.count(name) < len(names):
        return _common_type(tuple(names), cast, semiring)
    return _PLAIN[name]


_PLAIN = {name: ProductType(name, name) for name in FLOATS}


@functools.cache
def _common_type(names: tuple[str, ...], cast: bool, semiring: str | None) -> ProductType:
    if "bfloat16" in names:
        if any(name != "bfloat16" for name in names):
            raise TypeError(f"types {', '.join(names)}: bfloat16 goes with bfloat16 only")
        return _PLAIN["bfloat16"]
    result = np.result_type(*(np.dtype(name) for name in names))
    if cast and result.kind in "biu":
        result = np.dtype("float64")
    name = result.name
    computed = _COMPUTED.get(name, name)
    if computed not in TYPES:
        what = "complex values are" if result.kind == "c" else f"type {name} is"
        raise NotImplementedError(f"{what} not built")
    if computed != name and semiring is not None and semiring.startswith(("min", "max")):
        raise NotImplementedError(
            f"type {name} over {semiring}: convert it to int32, int64 or floating point"
        )
    return ProductType(name, computed)


def counting(semiring: str | None) -> tuple[bool, bool]:
    """Whether values of A, and those of B, count in the type of a product: not if "multiply" has
    those of the other alone."""
    multiply = "times" if semiring is None else semiring.rpartition("_")[2]
    return multiply != "second", multiply != "first"


def counting_type(
    first: list[str], second: list[str], others: list[str], cast: bool, semiring: str | None
) -> ProductType:
    """The type of a product of A, B and others."""
    count_first, count_second = counting(semiring)
    names = first * count_first + second * count_second + others
    return common_type(names or first, cast, semiring)


def values_as(values: Any, name: str) -> Any:
    """The values in another type; the same object if they have it. Integers wrap."""
    old = type_name(values)
    if old == name:
        return values
    same_bits = _COMPUTED.get(old) == name and old in ("uint32", "uint64")
    if library_of(values) == "torch":
        dtype = getattr(sys.modules["torch"], name)
        return values.view(dtype) if same_bits else values.to(dtype)
    return values.view(name) if same_bits else values.astype(name)


def parts_as(parts: Parts, name: str) -> Parts:
    """The same structure with values of another type."""
    return (*parts[:5], values_as(parts[5], name))


def parts_for(parts: Parts, name: str, counts: bool) -> Parts:
    """The same for an operand of a product. Values that do not count are not converted."""
    if not counts and type_name(parts[5]) != name:
        return (*parts[:5], TYPES[name])
    return parts_as(parts, name)


def unread(x: Any, name: str) -> Any:
    """An array as x whose values nobody reads, of any type."""
    return x if type_name(x) == name else empty_like(x, tuple(x.shape), name)


def exact_parts(parts: Parts) -> Parts:
    """The same structure with the same values in a type that the library has."""
    name = type_name(parts[5])
    if name in TYPES:
        return parts
    if name in _EXACT:
        return parts_as(parts, _EXACT[name])
    if name == "uint64" and (len(parts[5]) == 0 or int(parts[5].max()) < 2**63):
        return parts_as(parts, "int64")
    raise NotImplementedError(f"values of type {name} are not built, nor are they all in int64")


def as_result(values: Any, kind: ProductType) -> Any:
    """What the library has computed in the type of the product."""
    if kind.is_computed:
        return values
    if kind.name == "bool":
        return values != 0
    torch = sys.modules["torch"] if library_of(values) == "torch" else None
    dtype = kind.name if torch is None else getattr(torch, kind.name)
    if not kind.is_narrow:
        return values.view(dtype)
    return values.astype(dtype) if torch is None else values.to(dtype)


def factor_of(factor: Any, name: str, kind: ProductType) -> Any:
    """alpha or beta as the extension takes it: of integers a whole number, which wraps."""
    if not kind.is_integer:
        return factor
    if isinstance(factor, float) and factor.is_integer():
        factor = int(factor)
    try:
        whole = operator.index(factor)
    except TypeError:
        raise ValueError(f"{name} {factor!r}: a product of {kind.name} takes whole ones") from None
    return int(bool(whole)) if kind.name == "bool" else whole


def check_operand(name: str, kind: ProductType, what: str) -> None:
    """Raises TypeError unless a plan converts values of this type to its own, as NumPy does where
    the kind of number stays."""
    mine = kind.name
    if name == mine:
        return
    if "bfloat16" in (name, mine) or not np.can_cast(np.dtype(name), np.dtype(mine), "same_kind"):
        raise TypeError(f"{what} is {name}, the plan is of {mine}")
