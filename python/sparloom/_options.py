# SPDX-License-Identifier: Apache-2.0
"""Options of products and plans."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._context import Context, default_context, parse_bytes
from ._operands import parts_of

OPERATORS = {"N": 0, "T": 1, "H": 2}
POLICIES = {"cost": 0, "rules": 1, "measure": 2}
ACCURACIES = {"default": 0, "reduced": 1}
ORDERS = {"C": 1, "F": 2}
PARTITIONS = {"rows": 1, "nnz": 2, "density": 3, "cost": 4}
SEMIRINGS = {
    "plus_times": 0,
    "plus_pair": 1,
    "plus_first": 2,
    "plus_second": 3,
    "min_plus": 4,
    "max_plus": 5,
    "min_second": 6,
    "max_second": 7,
    "min_times": 8,
    "max_times": 9,
    "or_second": 10,
}
MASK_PATTERNS = {"meets": 0, "full": 1}


def choice(table: dict[str, int], value: str, name: str) -> int:
    """The number of a choice. ValueError lists the choices."""
    try:
        return table[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} {value!r}: not one of {', '.join(table)}") from None


def count(value: Any, name: str) -> int:
    """A whole number. TypeError names the option."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} {value!r}: not a whole number") from None


def check_flag(value: Any, name: str) -> None:
    """TypeError names an option that is not True or False."""
    if not isinstance(value, (bool, np.bool_, int)) or value not in (0, 1):
        raise TypeError(f"{name} {value!r}: not True or False")


def numbers(values: Any, name: str) -> list[float]:
    """Real numbers. TypeError names the option."""
    try:
        return [float(value) for value in values]
    except (TypeError, ValueError):
        raise TypeError(f"{name} {values!r}: not a sequence of numbers") from None


def refuse_unknown(names: list[str]) -> None:
    """TypeError for an option that there is not, with those that there are."""
    if not names:
        return
    known = sorted(set(inspect.signature(options_of).parameters) - {"context", "unknown"})
    near = difflib.get_close_matches(names[0], known, 1)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    raise TypeError(
        f"there is no option {names[0]!r}{meant}; beside the function's own arguments there are "
        f"{', '.join(known)}"
    )


def is_transposed(op: str, name: str) -> bool:
    """Whether an operator is "T" or "H"."""
    return choice(OPERATORS, op, name) != 0


def options_of(
    context: Context | None,
    *,
    op_a: str = "N",
    op_b: str = "N",
    policy: str | None = None,
    method: str | None = None,
    threads: int = 0,
    processors: Any = None,
    deterministic: bool = False,
    memory_budget: int | str | None = None,
    executions: int = 0,
    updates: int = 0,
    unsorted: bool = False,
    accuracy: str | None = None,
    order: str | None = None,
    check_inputs: bool = False,
    semiring: str | None = None,
    mask: Any = None,
    complement: bool = False,
    mask_pattern: str | None = None,
    partition: str | None = None,
    capabilities: Sequence[float] | None = None,
    **unknown: Any,
) -> dict[str, Any] | None:
    """The options that are not the defaults, as the extension takes them; None if all are."""
    refuse_unknown(list(unknown))
    threads, executions = count(threads, "threads"), count(executions, "executions")
    for name, value in (
        ("deterministic", deterministic),
        ("unsorted", unsorted),
        ("check_inputs", check_inputs),
        ("complement", complement),
    ):
        check_flag(value, name)
    found: dict[str, Any] = {
        "op_a": choice(OPERATORS, op_a, "op_a"),
        "op_b": choice(OPERATORS, op_b, "op_b"),
    }
    if policy is not None:
        found["policy"] = choice(POLICIES, policy, "policy")
    if accuracy is not None:
        found["accuracy"] = choice(ACCURACIES, accuracy, "accuracy")
    if order is not None:
        found["dense_order"] = choice(ORDERS, order, "order")
    if processors is not None:
        found["processors"] = (context or default_context()).processor_mask(processors)
    if semiring is not None:
        found["semiring"] = choice(SEMIRINGS, semiring, "semiring")
    if mask is not None:
        found["mask"] = (*parts_of(mask)[:5], None)  # only positions count
    elif complement or mask_pattern is not None:
        raise ValueError("complement and mask_pattern go with a mask")
    if mask_pattern is not None:
        found["mask_pattern"] = choice(MASK_PATTERNS, mask_pattern, "mask_pattern")
    if partition is not None:
        found["partition"] = choice(PARTITIONS, partition, "partition")
    if capabilities is not None:
        found["capabilities"] = numbers(capabilities, "capabilities")
    if method is not None:
        found["method"] = method
    if memory_budget is not None:
        found["memory_budget"] = parse_bytes(memory_budget)
    found |= {
        "threads": int(threads),
        "executions": int(executions),
        "updates": int(updates),
        "deterministic": int(deterministic),
        "unsorted": int(unsorted),
        "check_inputs": int(check_inputs),
        "complement": int(complement),
    }
    return {key: value for key, value in found.items() if value not in (0, "")} or None
