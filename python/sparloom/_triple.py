# SPDX-License-Identifier: Apache-2.0
"""The product of three matrices that multigrid methods make coarse operators by."""

from __future__ import annotations

from typing import Any

from ._context import Context
from ._operands import is_sparse
from ._plan import Plan


def triple_plan(
    A: Any,
    P: Any,
    *,
    op_a: str = "N",
    op_p: str = "N",
    cast: bool = False,
    context: Context | None = None,
    progress: Any = None,
    **options: Any,
) -> Plan:
    """Plans ``alpha*op(P)'*op(A)*op(P)`` for many values of one structure.

    On the CPU ``op(P)'*op(A)`` is not stored, ``op(A)*op(P)`` only where that is faster for several
    executions; on a device the latter is.

    Parameters
    ----------
    A : sparse matrix
        Square, as for `plan`: float32 or float64.
    P : sparse matrix
        Of as many rows as A; with ``op_p="T"``, which makes ``R*A*R'`` of a restriction, columns.
    op_a, op_p : {"N", "T", "H"}
    **options
        threads, deterministic, memory_budget, check_inputs: as for `matmul`; executions: as for
        `plan`.

    Returns
    -------
    Plan
        Called without operands, with `alpha` if wanted; new values are announced by
        ``update_values(a=A, b=P)``.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> A = scipy.sparse.csr_array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 2]])
    >>> P = scipy.sparse.csr_array([[1.0, 0], [0.5, 0.5], [0, 1]])
    >>> p = spl.triple_plan(A, P)
    >>> p().toarray()
    array([[ 1.5, -0.5],
           [-0.5,  1.5]])
    >>> p.update_values(a=2 * A)
    >>> p().toarray()
    array([[ 3., -1.],
           [-1.,  3.]])
    """
    if not is_sparse(P):
        raise TypeError(f"P is {type(P).__name__}, no sparse matrix")
    given = {**options, "op_a": op_a, "op_b": op_p}
    return Plan(A, P, None, cast, None, context, progress, given, triple=True)


def triple(
    A: Any,
    P: Any,
    *,
    op_a: str = "N",
    op_p: str = "N",
    alpha: float = 1.0,
    cast: bool = False,
    context: Context | None = None,
    progress: Any = None,
    **options: Any,
) -> Any:
    """The product ``alpha*op(P)'*op(A)*op(P)``: see `triple_plan`.

    Returns
    -------
    sparse matrix
        In CSR, of the library and kind of A. All positions with a product are stored.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> A = scipy.sparse.csr_array([[2.0, -1], [-1, 2]])
    >>> R = scipy.sparse.csr_array([[1.0, 1]])
    >>> spl.triple(A, R, op_p="T").toarray()
    array([[2.]])
    """
    options.setdefault("executions", 1)
    plan = triple_plan(
        A, P, op_a=op_a, op_p=op_p, cast=cast, context=context, progress=progress, **options
    )
    return plan(alpha=alpha, progress=progress)
