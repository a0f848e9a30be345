# SPDX-License-Identifier: Apache-2.0
"""One-shot products."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _core
from ._context import Context, core_of
from ._operands import (
    CSC,
    CSR,
    Parts,
    adopted,
    by_lines,
    common_type,
    dense_of,
    device_of,
    empty_like,
    is_sparse,
    library_of,
    parts_as,
    parts_of,
    sparse_like,
    stream_of,
    type_name,
    values_as,
    wait_for,
)
from ._options import is_transposed, options_of
from ._progress import progress_of

_PLAIN = {
    scipy.sparse.csr_array: CSR,
    scipy.sparse.csr_matrix: CSR,
    scipy.sparse.csc_array: CSC,
    scipy.sparse.csc_matrix: CSC,
}
_FLIPPED = {"N": "T", "T": "N", "H": "N"}
_SWAPPED = {"plus_first": "plus_second", "plus_second": "plus_first"}


def matmul(
    A: Any,
    B: Any,
    *,
    op_a: str = "N",
    op_b: str = "N",
    alpha: float = 1.0,
    beta: float = 0.0,
    out: Any = None,
    d: Any = None,
    drop_zeros: bool = False,
    cast: bool = False,
    context: Context | None = None,
    progress: Any = None,
    **options: Any,
) -> Any:
    """The product ``alpha*op(A)*op(B)``, plus ``beta*out`` or ``beta*d``.

    ======================  =====================  =========================================
    A                       B                      result
    ======================  =====================  =========================================
    sparse (m x k)          vector (k)             vector (m): SpMV
    sparse (m x k)          dense (k x n)          dense (m x n): SpMM
    dense (m x k), or (k)   sparse (k x n)         dense (m x n), or (n)
    sparse (m x k)          sparse (k x n)         sparse (m x n), in CSR: SpGEMM
    ======================  =====================  =========================================

    Parameters
    ----------
    A, B : array or sparse matrix
        At least one is sparse: of SciPy, CuPy or torch, in CSR, CSC or COO; other formats are
        converted to CSR. Values are float32 or float64; for dense results also float16 and
        bfloat16. Arrays are read where they are: nothing is copied but values of another type than
        the common one, and dense arrays that lie neither by rows nor by columns.
    op_a, op_b : {"N", "T", "H"}
        The operand itself, its transpose, its conjugate transpose.
    alpha, beta : float
        Factors. `beta` counts with `out` or `d` only.
    out : array, optional
        Where a dense result goes; its old values count if `beta` is not 0.
    d : sparse matrix, optional
        Added to a sparse product: its pattern is part of the result's.
    drop_zeros : bool
        Leave out elements of a sparse product that are 0. Otherwise all positions with a product
        are stored.
    cast : bool
        Compute with bool and integer operands in float64 (float32 if the others have it).
    context : Context, optional
        See `default_context`.
    progress : bool or callable, optional
        True shows a bar (package tqdm); a function gets stage, units done and units in all, and
        cancels the call by an exception.
    **options
        policy ("cost", "rules", "measure"), method (ids, see `methods`), threads, processors
        ("cpu,cuda"), deterministic, memory_budget (bytes or "2 GiB"), unsorted (columns of a sparse
        result in any order), accuracy ("reduced" allows tensor cores), check_inputs.

        On the CPU: semiring ("plus_times", "plus_pair", "plus_first", "plus_second", "min_plus",
        "max_plus", "min_second", "max_second", "min_times", "max_times"), where alpha is 1 and beta
        0 or 1. For sparse results mask, a sparse matrix: they are computed where it has entries, or
        with complement=True where it has none; with mask_pattern="full" all its positions are stored.

    Returns
    -------
    array or sparse matrix
        Of the library and kind of the operands (``csr_array`` for sparse arrays, ``csr_matrix`` for
        sparse matrices). Sparse results own their arrays, which the C library allocated.

    Raises
    ------
    ValueError
        Shapes that do not fit, invalid structure, unknown options.
    NotImplementedError
        Complex values; bool and integers without `cast`; what the library has not built.
    BudgetError, MemoryError
        With the bytes that would suffice.

    Notes
    -----
    The error of an element is at most ``2*gamma(k+3)`` times the sum of the sizes of its ``k``
    products, as sparloom.h says at spl_plan. Results have the same bits for any number of threads
    if ``deterministic=True``.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, sparloom as spl
    >>> A = scipy.sparse.csr_array([[1.0, 0, 2], [0, 3, 0]])
    >>> spl.matmul(A, np.array([1.0, 1, 1]))
    array([3., 3.])
    >>> spl.matmul(A, A, op_b="T", alpha=2).toarray()
    array([[10.,  0.],
           [ 0., 18.]])
    """
    if (
        type(B) is np.ndarray
        and type(A) in _PLAIN
        and op_a in ("N", "T", "H")
        and op_b == "N"
        and alpha == 1
        and beta == 0
        and out is d is progress is None
        and not (drop_zeros or options)
    ):
        # what everything below would take several times as long for as for a small product
        core = core_of(context)
        product = _core.plain_product(core, _PLAIN[type(A)], op_a != "N", A, B)
        if product is not None:
            return product
    a_is_sparse, b_is_sparse = is_sparse(A), is_sparse(B)
    shared = (alpha, beta, cast, context, progress, options)
    if a_is_sparse and b_is_sparse:
        if out is not None:
            raise ValueError("out goes with dense results only")
        return _sparse(A, B, op_a, op_b, d, drop_zeros, *shared)
    if d is not None or drop_zeros:
        raise ValueError("d and drop_zeros go with sparse results only")
    if a_is_sparse:
        return _dense(A, _applied(dense_of(B), op_b, "op_b"), op_a, out, *shared)
    if b_is_sparse:
        # (A*B)' = B'*A'
        B_op = _FLIPPED[op_b] if is_transposed(op_b, "op_b") or op_b == "N" else op_b
        left = _applied(dense_of(A), op_a, "op_a")
        turned = None if out is None else out.T
        if "semiring" in options:
            shared = (*shared[:-1], {**options, "semiring": _swapped(options["semiring"])})
        result = _dense(B, left.T if len(left.shape) == 2 else left, B_op, turned, *shared)
        return result.T if len(result.shape) == 2 else result
    raise TypeError("no operand is sparse")


def _swapped(semiring: Any) -> Any:
    """The semiring whose "multiply" takes its operands the other way round."""
    if semiring in ("min_second", "max_second"):
        raise NotImplementedError(f"{semiring} of a dense and a sparse operand")
    return _SWAPPED.get(semiring, semiring)


def _applied(x: Any, op: str, name: str) -> Any:
    return x.T if is_transposed(op, name) and len(x.shape) == 2 else x


def _dense(
    A: Any,
    x: Any,
    op_a: str,
    out: Any,
    alpha: float,
    beta: float,
    cast: bool,
    context: Context | None,
    progress: Any,
    options: dict[str, Any],
) -> Any:
    """alpha*op(A)*x + beta*out for a dense x."""
    parts = parts_of(A)
    name = common_type([type_name(parts[5]), type_name(x)], cast)
    device = device_of(parts[5])
    if device is not None:
        x = adopted(x, library_of(parts[5]))
    parts, x = parts_as(parts, name), by_lines(values_as(x, name))
    rows, inner = (parts[2], parts[1]) if is_transposed(op_a, "op_a") else (parts[1], parts[2])
    if x.shape[0] != inner:
        raise ValueError(
            f"shapes do not fit: op(A) is {rows} x {inner}, the dense operand has {x.shape[0]} rows"
        )
    y = out_of(out, x, (rows, *x.shape[1:]), name, beta)
    chosen = options_of(context, op_a=op_a, **options) if options or op_a != "N" else None
    core = core_of(context, device)
    told = progress_of(progress)
    if device is not None:
        wait_for(x)
        columns = x.shape[1] if len(x.shape) == 2 else 0
        plan = _core.Plan(core, parts, None, None, columns, chosen, told)
        call = plan.spmm if columns else plan.spmv
        if columns or len(x.shape) == 1:
            call(x, y, alpha, beta, stream_of(x), told)
    elif len(x.shape) == 1:
        _core.spmv(core, parts, x, y, alpha, beta, chosen, None, told)
    else:
        _core.spmm(core, parts, x, y, alpha, beta, chosen, told)
    return y


def out_of(out: Any, like: Any, shape: tuple[int, ...], name: str, beta: float) -> Any:
    """The array of a dense result, checked if it was given. beta needs one."""
    if out is None:
        if beta != 0:
            raise ValueError("beta needs out, whose old values it multiplies")
        return empty_like(like, shape, name)
    if tuple(out.shape) != shape:
        raise ValueError(f"out has shape {tuple(out.shape)}, the product {shape}")
    if type_name(out) != name:
        raise TypeError(f"out is {type_name(out)}, the product {name}")
    if isinstance(out, np.ndarray) and not (out.dtype.isnative and out.flags.aligned):
        raise ValueError("out must be aligned and in this machine's byte order")
    return out


def _sparse(
    A: Any,
    B: Any,
    op_a: str,
    op_b: str,
    d: Any,
    drop_zeros: bool,
    alpha: float,
    beta: float,
    cast: bool,
    context: Context | None,
    progress: Any,
    options: dict[str, Any],
) -> Any:
    """alpha*op(A)*op(B) + beta*D, all sparse."""
    operands, device = sparse_operands([A, B] if d is None else [A, B, d], cast)
    if d is None and beta != 0:
        raise ValueError("beta needs d, which it multiplies")
    if options or op_a != "N" or op_b != "N":
        chosen = options_of(context, op_a=op_a, op_b=op_b, **options)
    else:
        chosen = None
    core = core_of(context, device)
    told = progress_of(progress)
    third = operands[2] if d is not None else None
    if drop_zeros and device is not None:
        raise NotImplementedError("drop_zeros is built on the host only")
    parts = _core.spgemm(
        core, operands[0], operands[1], third, alpha, beta, drop_zeros, chosen, told
    )
    return sparse_like(A, parts, canonical=not options.get("unsorted"))


def sparse_operands(matrices: list[Any], cast: bool) -> tuple[list[Parts], str | None]:
    """The arrays of sparse matrices in their common type, and the device that they live on."""
    operands = [parts_of(matrix) for matrix in matrices]
    name = common_type([type_name(parts[5]) for parts in operands], cast)
    device = device_of(operands[0][5])
    wait_for(operands[0][5])
    return [parts_as(parts, name) for parts in operands], device
