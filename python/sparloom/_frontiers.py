# SPDX-License-Identifier: Apache-2.0
"""Products with sparse vectors: steps of searches on one matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from . import _core
from ._context import Context, core_of
from ._operands import CSR, parts_of, sparse_like
from ._options import options_of
from ._products import sparse_operands
from ._progress import progress_of
from ._types import check_operand, counting, parts_for, type_name


def frontier_plan(
    A: Any,
    vectors: int = 1,
    *,
    dtype: Any = None,
    context: Context | None = None,
    progress: Any = None,
    **options: Any,
) -> FrontierPlan:
    """Plans ``op(A)*x`` for sparse vectors x, of which thousands may come.

    A product costs what its entries cost, not the dimensions of A. To follow edges (i, j) of a
    graph from i to j, op_a is "T".

    Parameters
    ----------
    A : sparse matrix
        On the host. The plan keeps its arrays and reads them in every call. Their structure must
        not change; new values are announced by `FrontierPlan.update_values`.
    vectors : int
        How many vectors a call usually has. Any number may come; several are shared out among
        threads.
    dtype : dtype, optional
        The type of x's values, with which A's gives that of the result. None: A's own.
    **options
        op_a, semiring, threads, memory_budget, executions, check_inputs: as for `plan`. With
        ``executions=1`` the plan keeps A in one order only.

    Returns
    -------
    FrontierPlan

    Examples
    --------
    The least neighbour in x of each vertex, and the vertices that x reaches:

    >>> import numpy as np, scipy.sparse, sparloom as spl
    >>> chain = scipy.sparse.csr_array(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.int32))
    >>> p = spl.frontier_plan(chain, op_a="T", semiring="min_second")
    >>> p((np.array([0, 1]), None))
    (array([1, 2], dtype=int32), array([0, 1], dtype=int32))
    """
    return FrontierPlan(A, vectors, dtype, context, progress, options)


class FrontierPlan:
    """A plan made by `frontier_plan`. It serves one thread at a time."""

    def __init__(
        self,
        A: Any,
        vectors: int,
        dtype: Any,
        context: Context | None,
        progress: Any,
        options: dict[str, Any],
    ) -> None:
        semiring = options.get("semiring")
        self._counts = counting(semiring)
        operands, device, kind = sparse_operands([A], False, semiring, dtype)
        if device is not None:
            raise NotImplementedError("products with sparse vectors are built on the host only")
        if not kind.is_computed:
            raise NotImplementedError(
                f"type {kind.name}: convert it to int32, int64 or floating point"
            )
        self._kind, self._type = kind, np.dtype(kind.name)
        self._index = operands[0][4].dtype
        self._core = _core.FrontierPlan(
            core_of(context, None),
            operands[0],
            vectors,
            options_of(context, **options),
            progress_of(progress),
        )
        self._shape: tuple[int, int] = self._core.shape

    def __call__(
        self,
        x: Any,
        *,
        into: Any = None,
        mask: Any = None,
        complement: bool = False,
        progress: Any = None,
    ) -> Any:
        """Computes ``op(A)*x``.

        Parameters
        ----------
        x : tuple or sparse matrix
            One vector: its ascending indices, and its values; None instead of values if the
            semiring does not use them. Over min_second and max_second of integers an entry without
            a value has its index. Or several vectors: the rows of a sparse matrix of SciPy.
        into : array, optional
            With an element for each row of op(A), for several vectors a row for each. It becomes
            what "add" makes of it and the product; the result has only the entries that change it.
        mask : array of bool or uint8, optional
            Of the shape of `into`: the elements to compute.
        complement : bool
            Compute the elements that the mask does not name.

        Returns
        -------
        tuple or sparse matrix
            Indices and values of the product, or a matrix in CSR whose rows are the products.

        Examples
        --------
        Shortest paths, step by step:

        >>> import numpy as np, scipy.sparse, sparloom as spl
        >>> roads = scipy.sparse.csr_array([[0.0, 7, 2], [0, 0, 0], [0, 4, 0]])
        >>> p = spl.frontier_plan(roads, op_a="T", semiring="min_plus")
        >>> distances = np.array([0.0, np.inf, np.inf])
        >>> x = np.array([0]), np.array([0.0])
        >>> while len(x[0]):
        ...     x = p(x, into=distances)
        >>> distances
        array([0., 6., 2.])
        """
        told = None if progress is None else progress_of(progress)
        if isinstance(x, tuple):
            shape: tuple[int, ...] = self._shape[:1]
            taken: tuple[Any, Any, Any] = (*self._vector(*x), None)
        else:
            taken = self._vectors(x)
            shape = (len(taken[2]) - 1, self._shape[0])
        rows = self._mask(mask, complement, shape)
        if into is not None:
            into = self._into(into, shape)
        count, indices, values, offsets = self._core.execute(*taken, into, rows, told)
        if 2 * count < len(indices):
            indices, values = indices[:count].copy(), values[:count].copy()
        else:
            indices, values = indices[:count], values[:count]
        if offsets is None:
            return indices, values
        if count < 2**31:
            offsets = offsets.astype(indices.dtype)
        return sparse_like(x, (CSR, *shape, offsets, indices, values), canonical=True)

    def _vector(self, indices: Any, values: Any) -> tuple[Any, Any]:
        indices = np.asarray(indices)
        if indices.size > 0 and indices.dtype.kind not in "iu":
            raise TypeError(f"x's indices are {indices.dtype}")
        if values is not None:
            values = np.asarray(values)
            if self._counts[1]:
                check_operand(type_name(values), self._kind, "x")
            values = np.ascontiguousarray(values, self._type)
        return np.ascontiguousarray(indices, self._index), values

    def _vectors(self, x: Any) -> tuple[Any, Any, Any]:
        if not scipy.sparse.issparse(x):
            raise TypeError(f"x is {type(x).__name__}: no tuple, no sparse matrix of SciPy")
        if x.ndim != 2 or x.shape[1] != self._shape[1]:
            raise ValueError(f"x has shape {x.shape}, its vectors need {self._shape[1]} columns")
        csr = x.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        return (*self._vector(csr.indices, csr.data), np.ascontiguousarray(csr.indptr, np.int64))

    def _mask(self, mask: Any, complement: bool, shape: tuple[int, ...]) -> Any:
        if mask is None:
            if complement:
                raise ValueError("complement goes with a mask")
            return None
        mask = np.asarray(mask)
        if mask.dtype not in (np.bool_, np.uint8):
            raise TypeError(f"the mask is {mask.dtype}, not bool or uint8")
        if mask.shape != shape:
            raise ValueError(f"the mask has shape {mask.shape}, not {shape}")
        return np.ascontiguousarray(mask).reshape(-1), bool(complement), False

    def _into(self, into: Any, shape: tuple[int, ...]) -> Any:
        if not isinstance(into, np.ndarray) or into.dtype != self._type:
            raise TypeError(f"into is no array of {self._type}")
        if into.shape != shape or not into.flags.c_contiguous:
            raise ValueError(f"into has shape {into.shape}, not {shape}, or gaps")
        return into.reshape(-1)

    def update_values(self, a: Any) -> None:
        """Announces new values: a matrix with the structure that was planned."""
        parts = parts_of(a)
        if self._counts[0]:
            check_operand(type_name(parts[5]), self._kind, "the matrix")
        self._core.update(parts_for(parts, self._kind.computed, self._counts[0]))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of op(A)."""
        return self._shape

    def explain(self) -> str:
        """How products are computed, and how many were so far, as a text."""
        return str(self._core.explain())

    def __repr__(self) -> str:
        rows, cols = self._shape
        return f"<FrontierPlan: op(A) is {rows} x {cols}, {self._kind.name}>"
