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
    dense_of,
    device_of,
    empty_like,
    is_sparse,
    library_of,
    parts_of,
    sparse_like,
    stream_of,
    wait_for,
)
from ._options import is_transposed, options_of
from ._progress import progress_of
from ._types import (
    ProductType,
    as_result,
    counting,
    counting_type,
    dtype_name,
    factor_of,
    parts_for,
    type_name,
    unread,
    values_as,
)

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
        converted to CSR. The result has the type that SciPy gives it: float32, float64, any
        integer, which wraps, or bool, whose sums are "or"; for dense results also float16 and
        bfloat16. Arrays are read where they are: nothing is copied but values of another type than
        the common one, and of bool and integers of 8 and 16 bits; and dense arrays that lie neither
        by rows nor by columns.
    op_a, op_b : {"N", "T", "H"}
        The operand itself, its transpose, its conjugate transpose.
    alpha, beta : float or int
        Factors, of products of integers whole numbers. `beta` counts with `out` or `d` only.
    out : array, optional
        Where a dense result goes; its old values count if `beta` is not 0.
    d : sparse matrix, optional
        Added to a sparse product: its pattern is part of the result's.
    drop_zeros : bool
        Leave out elements of a sparse product that are 0. Otherwise all positions with a product
        are stored.
    cast : bool
        Compute products of bool and integers in float64.
    context : Context, optional
        See `default_context`.
    progress : bool or callable, optional
        True shows a bar (package tqdm); a function gets stage, units done and units in all, and
        cancels the call by an exception.
    **options
        policy ("cost", "rules", "measure"), method (ids, see `methods`), threads, processors
        ("cpu,cuda"), deterministic, memory_budget (bytes or "2 GiB"), unsorted (columns of a sparse
        result in any order), accuracy ("reduced" allows tensor cores), check_inputs.

        Of several processors: partition ("cost", "rows", "nnz", "density"; how rows are shared),
        capabilities (what each processor of the context can do, instead of predictions).

        On the CPU: semiring ("plus_times", "plus_pair", "plus_first", "plus_second", "min_plus",
        "max_plus", "min_second", "max_second", "min_times", "max_times", "or_second"), where alpha
        is 1 and beta 0 or 1. Values that its "multiply" leaves out may be of any type: A of
        or_second, whose B has integers as words of bits. For sparse results mask, a sparse matrix:
        they are computed where it has entries, or with complement=True where it has none; with
        mask_pattern="full" all its positions are stored.

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
        Complex values; over min_ and max_ semirings integers other than int32 and int64; what the
        library has not built.
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
    >>> spl.matmul(A.astype("int8"), np.array([100, 0, 100], "int8"))  # wraps as SciPy's
    array([44,  0], dtype=int8)
    >>> words = np.array([0b001, 0b010, 0b100], "uint64")
    >>> spl.matmul(A, words, semiring="or_second")
    array([5, 2], dtype=uint64)
    """
    if (
        op_b == "N"
        and alpha == 1
        and beta == 0
        and out is d is progress is None
        and not (drop_zeros or cast or options)
        and op_a in _FLIPPED
    ):
        product = _plain_product(A, B, op_a, context)
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


def _plain_product(A: Any, B: Any, op_a: str, context: Context | None) -> Any:
    """op(A)*B of SciPy's and NumPy's classes: all that `matmul` may be told beside takes several
    times as long to look at as a small product. None: other operands."""
    left, right = _PLAIN.get(type(A)), _PLAIN.get(type(B))
    if left is not None and type(B) is np.ndarray:
        return _core.plain_product(core_of(context), left, op_a != "N", A, B)
    if op_a != "N" or right is None:
        return None
    if type(A) is np.ndarray:
        return _core.plain_product(core_of(context), right, True, B, A, True)
    if left == right == CSR:
        parts: Any = _core.plain_spgemm(core_of(context), A, B)
        return None if parts is None else sparse_like(A, parts, canonical=True)
    return None


def _swapped(semiring: Any) -> Any:
    """The semiring whose "multiply" takes its operands the other way round."""
    if semiring in ("min_second", "max_second", "or_second"):
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
    chosen = options_of(context, op_a=op_a, **options) if options or op_a != "N" else None
    counts = counting(options.get("semiring"))
    kind = counting_type(
        [type_name(parts[5])], [type_name(x)], [], cast, options.get("semiring")
    )
    device = device_of(parts[5])
    if device is not None:
        x = adopted(x, library_of(parts[5]))
    parts = parts_for(parts, kind.computed, counts[0])
    x = by_lines(values_as(x, kind.computed)) if counts[1] else unread(x, kind.computed)
    rows, inner = (parts[2], parts[1]) if is_transposed(op_a, "op_a") else (parts[1], parts[2])
    if x.shape[0] != inner:
        raise ValueError(
            f"shapes do not fit: op(A) is {rows} x {inner}, the dense operand has {x.shape[0]} rows"
        )
    y = written_of(out, x, (rows, *x.shape[1:]), kind, beta)
    core = core_of(context, device)
    told = progress_of(progress)
    factors = factor_of(alpha, "alpha", kind), factor_of(beta, "beta", kind)
    if device is not None:
        wait_for(x)
        columns = x.shape[1] if len(x.shape) == 2 else 0
        plan = _core.Plan(core, parts, None, None, columns, chosen, told)
        call = plan.spmm if columns else plan.spmv
        if columns or len(x.shape) == 1:
            call(x, y, *factors, None, stream_of(x), told)
    elif len(x.shape) == 1:
        _core.spmv(core, parts, x, y, *factors, chosen, None, told)
    else:
        _core.spmm(core, parts, x, y, *factors, chosen, told)
    return finished(y, out, kind)


def written_of(
    out: Any, like: Any, shape: tuple[int, ...], kind: ProductType, beta: float
) -> Any:
    """The array that the library writes a dense result to, for `out` if it was given, which is
    checked. beta needs one."""
    if out is None:
        if beta != 0:
            raise ValueError("beta needs out, whose old values it multiplies")
        return empty_like(like, shape, kind.computed)
    if tuple(out.shape) != shape:
        raise ValueError(f"out has shape {tuple(out.shape)}, the product {shape}")
    if type_name(out) != kind.name:
        raise TypeError(f"out is {type_name(out)}, the product {kind.name}")
    if isinstance(out, np.ndarray) and not (out.dtype.isnative and out.flags.aligned):
        raise ValueError("out must be aligned and in this machine's byte order")
    return values_as(out, kind.computed)


def finished(written: Any, out: Any, kind: ProductType) -> Any:
    """The result: `out`, which gets what was written for it elsewhere, or a new array."""
    if out is None:
        return as_result(written, kind)
    if kind.is_narrow:
        out[...] = as_result(written, kind)
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
    if options or op_a != "N" or op_b != "N":
        chosen = options_of(context, op_a=op_a, op_b=op_b, **options)
    else:
        chosen = None
    given = [A, B] if d is None else [A, B, d]
    operands, device, kind = sparse_operands(given, cast, options.get("semiring"))
    if d is None and beta != 0:
        raise ValueError("beta needs d, which it multiplies")
    core = core_of(context, device)
    told = progress_of(progress)
    third = operands[2] if d is not None else None
    if drop_zeros and device is not None:
        raise NotImplementedError("drop_zeros is built on the host only")
    factors = factor_of(alpha, "alpha", kind), factor_of(beta, "beta", kind)
    drop = drop_zeros and not kind.is_narrow  # there are more when they are narrow
    parts = _core.spgemm(core, operands[0], operands[1], third, *factors, drop, chosen, told)
    parts = narrowed(core, parts, kind, drop_zeros)
    return sparse_like(A, parts, canonical=not options.get("unsorted"))


def sparse_operands(
    matrices: list[Any], cast: bool, semiring: str | None = None, dense: Any = None
) -> tuple[list[Parts], str | None, ProductType]:
    """The arrays of A, B and D in the type that their product is computed in, the device that they
    live on, and the product's type. `dense`: the type of a dense B, None for that of A."""
    operands = [parts_of(matrix) for matrix in matrices]
    names = [type_name(parts[5]) for parts in operands]
    second = names[1:2] if dense is None else [dtype_name(dense)]
    kind = counting_type(names[:1], second, names[2:], cast, semiring)
    device = device_of(operands[0][5])
    wait_for(operands[0][5])
    counts = (*counting(semiring), True)
    taken = [parts_for(parts, kind.computed, c) for parts, c in zip(operands, counts)]
    return taken, device, kind


def narrowed(core: Any, parts: Parts, kind: ProductType, drop_zeros: bool) -> Parts:
    """A matrix with values of the product's type, which are in the one that was computed in."""
    values = as_result(parts[5], kind)
    if drop_zeros and kind.is_narrow:
        parts = (*parts[:5], values_as(values, kind.computed))
        parts = _core.convert(core, parts, 0, 0, 0, False, False, False, True, None)
        values = as_result(parts[5], kind)
    return (*parts[:5], values)
