# SPDX-License-Identifier: Apache-2.0
"""Exceptions for the statuses of the C library."""

from __future__ import annotations

from . import _core


class BudgetError(MemoryError):
    """A memory budget does not suffice.

    Attributes
    ----------
    needed : int or None
        A budget in bytes with which the call is expected to succeed; None if it is not known.

    Examples
    --------
    >>> import sparloom as spl
    >>> A = spl.gen("stencil5:50,50")
    >>> try:
    ...     spl.matmul(A, A, memory_budget="1 kB")
    ... except spl.BudgetError as error:
    ...     error.needed > 1000
    True
    """

    needed: int | None = None


class StaleError(ValueError):
    """Inputs of a plan changed without `Plan.update_values` (plans with ``check_inputs=True``)."""


class Cancelled(RuntimeError):
    """A call was cancelled."""


_CLASSES: dict[str, type[Exception]] = {
    "SPL_INVALID_ARGUMENT": ValueError,
    "SPL_INVALID_MATRIX": ValueError,
    "SPL_SHAPE_MISMATCH": ValueError,
    "SPL_UNSUPPORTED": NotImplementedError,
    "SPL_OUT_OF_MEMORY": MemoryError,
    "SPL_OVER_BUDGET": BudgetError,
    "SPL_INDEX_OVERFLOW": OverflowError,
    "SPL_CANCELLED": Cancelled,
    "SPL_FILE_ERROR": OSError,
    "SPL_FILE_INVALID": ValueError,
    "SPL_STALE": StaleError,
}


def _make_exception(status: int, name: str, message: str, needed: int) -> Exception:
    """The exception for a status; RuntimeError for those that no argument can cause."""
    exception = _CLASSES.get(name, RuntimeError)(message)
    if isinstance(exception, BudgetError):
        exception.needed = needed or None
    return exception


_core.set_exception_maker(_make_exception)
