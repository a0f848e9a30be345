# SPDX-License-Identifier: Apache-2.0
"""Plans: products that are computed many times."""

from __future__ import annotations

import html
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._context import Context, core_of
from ._operands import (
    adopted,
    by_lines,
    dense_of,
    is_sparse,
    library_of,
    parts_of,
    sparse_like,
    stream_of,
)
from ._options import options_of
from ._products import finished, narrowed, sparse_operands, written_of
from ._progress import progress_of
from ._types import (
    check_operand,
    counting,
    factor_of,
    parts_for,
    type_name,
    unread,
    values_as,
)


@dataclass(frozen=True)
class Step:
    """A row set, a phase and the method chosen for it. Seconds and bytes are predicted; threads:
    of the CPU in the next execution, 0 on a device."""

    phase: str
    method: str
    reason: str
    row_count: int
    rows: str
    seconds: float
    bytes: int
    threads: int


@dataclass(frozen=True)
class Candidate:
    """A method that was considered for a step."""

    step: int
    method: str
    applicable: bool
    chosen: bool
    seconds: float
    bytes: int
    reason: str
    measured: float


@dataclass(frozen=True)
class Feature:
    """A number that describes the problem; NaN: not known."""

    name: str
    meaning: str
    value: float


@dataclass(frozen=True)
class Counters:
    """What a plan has done so far."""

    executions: int
    allocations: int
    live: int
    peak: int
    launches: int
    synchronisations: int
    fetched: int


@dataclass(frozen=True)
class Result:
    """Shape and size of a sparse product. `nnz` is a bound until the first call unless `exact`."""

    rows: int
    cols: int
    nnz: int
    exact: bool


def plan(
    A: Any,
    B: Any = None,
    *,
    d: Any = None,
    cast: bool = False,
    dtype: Any = None,
    context: Context | None = None,
    progress: Any = None,
    **options: Any,
) -> Plan:
    """Plans ``alpha*op(A)*op(B)`` for many executions.

    Parameters
    ----------
    A : sparse matrix
        As for `matmul`. The plan keeps its arrays and reads them in every call. Their structure
        must not change; new values are announced by `Plan.update_values`.
    B : None, int, dense array or sparse matrix
        None or a vector: plans SpMV. A number: SpMM with so many columns (a dense matrix stands for
        its number of columns). A sparse matrix: SpGEMM.
    d : sparse matrix, optional
        Added to a sparse product.
    dtype : dtype, optional
        The type of the dense operands, with which A's gives that of the result. None: A's own, or
        where A's values do not count, as over "or_second", that of a dense array B.
    **options
        As for `matmul`; and executions (how many the plan is made for), updates (how often values
        will be new meanwhile), order ("F": dense operands will lie by columns), op_a, op_b.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import numpy as np, scipy.sparse, sparloom as spl
    >>> A = scipy.sparse.csr_array([[1.0, 0, 2], [0, 3, 0]])
    >>> p = spl.plan(A)
    >>> p(np.array([1.0, 2, 3]))
    array([7., 6.])
    >>> p.steps[0].phase
    'compute'
    """
    return Plan(A, B, d, cast, dtype, context, progress, options)


def _columns_of(B: Any) -> int:
    """Columns of the dense operand that B stands for; 0 for a vector."""
    if B is None:
        return 0
    if isinstance(B, (int, np.integer)):
        columns = int(B)
    else:
        shape = dense_of(B).shape
        if len(shape) == 1:
            return 0
        columns = int(shape[1])
    if columns < 1:
        raise ValueError(f"{columns} columns: a dense operand has at least one")
    return columns


class Plan:
    """A planned product; made by `plan`. One plan serves one thread at a time.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, sparloom as spl
    >>> p = spl.plan(scipy.sparse.csr_array([[1.0, 0, 2], [0, 3, 0]]), 2)
    >>> p(np.ones((3, 2)), alpha=2)
    array([[6., 6.],
           [6., 6.]])
    >>> p.shape, p.counters.executions
    ((2, 3), 1)
    >>> [c.method for c in p.candidates if c.chosen] == [step.method for step in p.steps]
    True
    """

    def __init__(
        self,
        A: Any,
        B: Any,
        d: Any,
        cast: bool,
        dtype: Any,
        context: Context | None,
        progress: Any,
        options: dict[str, Any],
        triple: bool = False,
    ) -> None:
        self._matrix, self._columns = A, -1 if triple else 0
        semiring = options.get("semiring")
        self._counts = (*counting(semiring), True)
        self._unsorted = bool(options.get("unsorted"))
        self._results: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._sparse = B is not None and not np.isscalar(B) and is_sparse(B)
        chosen, told = options_of(context, **options), progress_of(progress)
        if self._sparse:
            given = [A, B] if d is None else [A, B, d]
            operands, device, kind = sparse_operands(given, cast, semiring)
        else:
            if d is not None:
                raise ValueError("d goes with sparse products only")
            self._columns = _columns_of(B)
            if dtype is None and not self._counts[0] and hasattr(B, "dtype"):
                dtype = type_name(B)
            operands, device, kind = sparse_operands([A], cast, semiring, dtype)
        self._kind, self._type = kind, kind.computed
        second = operands[1] if self._sparse else None
        third = operands[2] if d is not None else None
        self._has_d = d is not None
        self._device = device
        values = parts_of(A)[5]
        self._library = library_of(values)
        is_tensor = self._library == "torch" and kind.is_computed
        self._tensor: Any = type(values) if is_tensor else None
        self._tensor_type: Any = values.dtype if is_tensor else None
        self._core = _core.Plan(
            core_of(context, device), operands[0], second, third, self._columns, chosen, told
        )
        self._shape: tuple[int, int] = self._core.shape

    def __call__(
        self,
        x: Any = None,
        out: Any = None,
        *,
        alpha: float = 1.0,
        beta: float = 0.0,
        mask: Any = None,
        complement: bool = False,
        clear: bool = False,
        progress: Any = None,
    ) -> Any:
        """Computes the product, or the rows of it that a mask names.

        Parameters
        ----------
        x : array
            The dense operand; none for sparse products.
        out : array or sparse matrix, optional
            Where a dense result goes; of a sparse product an earlier result of this plan, which
            gets new values. No memory is allocated then.
        alpha, beta : float
            Factors of the product, and of the old values of `out` or of `d`. Over a semiring alpha
            is 1 and beta 0 or 1: 1 joins the old values by the semiring's "add".
        mask : array, optional
            Rows of a dense result to compute: an array of bool or uint8 with an element for each
            row, or of uint64, where row i is bit i % 64 of element i // 64. Each call may have
            another one. On the CPU. Masks of sparse products are options of `plan`.
        complement : bool
            Compute the rows that the mask does not name.
        clear : bool
            Rows that are not computed become what a row without entries is: 0, or over a semiring
            inf or -inf. Otherwise they keep what `out` has; without `out` they are cleared, too.

        Returns
        -------
        array or sparse matrix
            On a device work is enqueued to the current stream of x's library.

        Examples
        --------
        >>> import numpy as np, scipy.sparse, sparloom as spl
        >>> p = spl.plan(scipy.sparse.csr_array([[1.0, 0], [2, 3], [0, 4]]))
        >>> p(np.ones(2), np.full(3, 9.0), mask=np.array([True, False, True]))
        array([1., 9., 4.])
        """
        told = None if progress is None else progress_of(progress)
        rows = None
        if mask is not None or complement or clear:
            rows = self._row_mask(mask, complement, clear or out is None)
        if self._sparse:
            return self._multiply_sparse(x, out, alpha, beta, told)
        if type(x) is np.ndarray:
            plain = x.dtype == self._type and x.flags.forc and self._kind.is_computed
        else:
            # A tensor like A's: the rest of this would take as long as the product.
            plain = (
                type(x) is self._tensor
                and x.dtype is self._tensor_type
                and x.is_contiguous()
                and not x.requires_grad
            )
        if not plain:
            x = self._dense_operand(x)
        self._check_shape(x)
        if plain and type(out) is type(x):
            written = out
        else:
            written = written_of(out, x, (self._shape[0], *x.shape[1:]), self._kind, beta)
        if self._kind.is_integer:
            alpha, beta = self._factors(alpha, beta)
        call = self._core.spmm if self._columns else self._core.spmv
        call(x, written, alpha, beta, rows, None if self._device is None else stream_of(x), told)
        return written if self._kind.is_computed else finished(written, out, self._kind)

    def winners(
        self,
        x: Any,
        out: Any = None,
        *,
        mask: Any = None,
        complement: bool = False,
        clear: bool = False,
        progress: Any = None,
    ) -> tuple[Any, Any]:
        """The product over a min_ or max_ semiring, and which rows of x won, as pooling needs them.

        Of plans with columns, on the CPU. Parameters are those of a call.

        Returns
        -------
        result : array
        winners : array of int64
            The row of x in each least or largest product, of equal ones the least; -1 without
            products, and in rows that are not computed.

        Examples
        --------
        >>> import numpy as np, scipy.sparse, sparloom as spl
        >>> A = scipy.sparse.csr_array([[1, 0, 1], [0, 1, 0]])
        >>> p = spl.plan(A, 2, semiring="max_second")
        >>> p.winners(np.array([[5, 1], [9, 9], [4, 7]]))
        (array([[5, 7],
               [9, 9]]), array([[0, 2],
               [1, 1]]))
        """
        rows = None
        if mask is not None or complement or clear:
            rows = self._row_mask(mask, complement, clear or out is None)
        x = self._dense_operand(x)
        self._check_shape(x)
        result = written_of(out, x, (self._shape[0], *x.shape[1:]), self._kind, 0)
        found = np.full(result.shape, -1, np.int64)
        self._core.winners(x, result, found, rows, progress_of(progress))
        return result, found

    def _check_shape(self, x: Any) -> None:
        expected = (self._shape[1], self._columns) if self._columns else (self._shape[1],)
        if x.shape != expected:
            raise ValueError(f"the operand has shape {tuple(x.shape)}, the plan needs {expected}")

    def _factors(self, alpha: Any, beta: Any) -> tuple[Any, Any]:
        return factor_of(alpha, "alpha", self._kind), factor_of(beta, "beta", self._kind)

    def _row_mask(self, mask: Any, complement: bool, clear: bool) -> tuple[Any, bool, bool]:
        """A mask of rows as the extension takes it."""
        if mask is None:
            raise ValueError("complement and clear go with a mask")
        if self._sparse:
            raise TypeError("a plan of a sparse product takes its mask when it is made")
        mask, rows = np.asarray(mask), self._shape[0]
        if mask.dtype not in (np.bool_, np.uint8, np.uint64):
            raise TypeError(f"the mask is {mask.dtype}, not bool, uint8 or uint64")
        expected = -(-rows // 64) if mask.dtype == np.uint64 else rows
        if mask.shape != (expected,):
            raise ValueError(
                f"the mask has shape {mask.shape}, {rows} rows need ({expected},) of {mask.dtype}"
            )
        return np.require(mask, requirements=("C", "A")), bool(complement), bool(clear)

    def _dense_operand(self, x: Any) -> Any:
        if x is None:
            raise TypeError("this plan needs a dense operand")
        x = dense_of(x)
        if self._device is not None:
            x = adopted(x, self._library)
        if not self._counts[1]:
            return by_lines(unread(x, self._type))
        check_operand(type_name(x), self._kind, "the operand")
        return by_lines(values_as(x, self._type))

    def _multiply_sparse(self, x: Any, out: Any, alpha: float, beta: float, told: Any) -> Any:
        if x is not None:
            raise TypeError("a plan of a sparse product takes no dense operand")
        if beta != 0 and not self._has_d:
            raise ValueError("beta needs d, which it multiplies")
        stream = stream_of(parts_of(self._matrix)[5])
        alpha, beta = self._factors(alpha, beta)
        if out is not None:
            if self._results.get(id(out)) is not out:
                raise ValueError("out is no result of this plan, which alone has its structure")
            values = parts_of(out)[5]
            written = values_as(values, self._type)
            self._core.spgemm(alpha, beta, written, stream, told)
            finished(written, values, self._kind)
            return out
        parts: Any = self._core.spgemm(alpha, beta, None, stream, told)
        parts = narrowed(None, parts, self._kind, False)
        result = sparse_like(self._matrix, parts, canonical=not self._unsorted)
        self._results[id(result)] = result
        return result

    def update_values(self, a: Any = None, b: Any = None, d: Any = None) -> None:
        """Announces new values: matrices with the structure that was planned, perhaps elsewhere.

        Parameters
        ----------
        a, b, d : sparse matrix, optional
            None: that operand is unchanged.

        Examples
        --------
        >>> import numpy as np, scipy.sparse, sparloom as spl
        >>> A = scipy.sparse.csr_array([[1.0, 0, 2], [0, 3, 0]])
        >>> p = spl.plan(A)
        >>> A.data *= 10
        >>> p.update_values(a=A)
        >>> p(np.ones(3))
        array([30., 30.])
        """
        stream = None
        parts: list[Any] = [None, None, None]
        for i, x in enumerate((a, b, d)):
            if x is None:
                continue
            taken = parts_of(x)
            stream = stream_of(taken[5])
            if self._counts[i]:
                check_operand(type_name(taken[5]), self._kind, "the matrix")
            parts[i] = parts_for(taken, self._type, self._counts[i])
        self._core.update(parts[0], parts[1], parts[2], stream)
        if a is not None:
            self._matrix = a

    def wait(self) -> None:
        """Waits for the work of devices that calls have enqueued."""
        self._core.wait()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of op(A)."""
        return self._shape

    @property
    def result(self) -> Result | None:
        """Size of a sparse product; None for dense ones."""
        found: Any = self._core.result()
        return None if found is None else Result(**found)

    @property
    def steps(self) -> list[Step]:
        """What a call does, in order."""
        return [Step(**step) for step in self._core.steps()]

    @property
    def candidates(self) -> list[Candidate]:
        """The methods that were considered, with predictions and reasons."""
        return [Candidate(**candidate) for candidate in self._core.candidates()]

    @property
    def features(self) -> list[Feature]:
        """The numbers that choices were made by."""
        return [Feature(**feature) for feature in self._core.features()]

    @property
    def counters(self) -> Counters:
        """Executions, allocations, bytes, launches so far."""
        return Counters(**self._core.counters())

    def explain(self) -> str:
        """The explanation as a text: features, candidates, choice, reason.

        Examples
        --------
        >>> import sparloom as spl
        >>> print(spl.plan(spl.gen("stencil5:30,30")).explain().splitlines()[0])
        spmv: y = alpha*op(A)*x + beta*y, f64, offsets 32 and columns 32 bits, ...
        """
        return str(self._core.explain())

    def __str__(self) -> str:
        return self.explain()

    def _product(self) -> str:
        if self._sparse:
            return "SpGEMM" if self._columns == 0 else "triple product"
        return "SpMM" if self._columns else "SpMV"

    def __repr__(self) -> str:
        rows, cols = self._shape
        methods = ", ".join(step.method for step in self.steps)
        product, name = self._product(), self._kind.name
        return f"<Plan of {product}: op(A) is {rows} x {cols}, {name}; {methods}>"

    def _repr_html_(self) -> str:
        """The candidates as a table, with a bar for the predicted time."""
        steps, rows = self.steps, []
        candidates = self.candidates
        slowest = max((c.seconds for c in candidates if c.applicable), default=0) or 1
        for c in candidates:
            name = html.escape(c.method)
            name = f"<b>{name}</b>" if c.chosen else name
            if c.applicable:
                width = max(1, round(100 * c.seconds / slowest))
                bar = f'<div style="background:#4c78a8;height:0.7em;width:{width}px"></div>'
                cells = f"<td>{c.seconds:.3g} s</td><td>{bar}</td><td>{c.bytes:,}</td>"
            else:
                cells = "<td></td><td></td><td></td>"
            phase = html.escape(steps[c.step].phase) if c.step < len(steps) else ""
            reason = html.escape(c.reason or "")
            rows.append(f"<tr><td>{phase}</td><td>{name}</td>{cells}<td>{reason}</td></tr>")
        head = "".join(
            f"<th>{title}</th>" for title in ("phase", "method", "predicted", "", "bytes", "reason")
        )
        return (
            f"<p>{html.escape(repr(self))}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )
