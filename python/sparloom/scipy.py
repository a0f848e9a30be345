# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
# SciPy has no types, and what is replaced here is its inside. The public part is annotated.
"""SciPy's own sparse products, computed by Sparloom while a context is open.

    with sparloom.scipy.accelerate() as stats:
        x = unchanged_program()
    print(stats.computed, stats.delegated, stats.seconds)

SciPy's classes get other methods for products. Everything else stays SciPy's: which product an
expression means, shapes, dtypes, index dtypes, result classes, errors. A method hands to SciPy what
Sparloom does not compute.

Computed are products of CSR, CSC, COO and BSR with blocks of one element, times vectors, dense and
sparse matrices, from either side, where SciPy's result is f32, f64, or integers of 32 or 64 bits.
Handed to SciPy are other dtypes and formats, arrays that are not 2-D, subclasses, small products,
and whatever fails: SciPy raises its own error.

What differs from SciPy: sums may be rounded differently, within the bound of any order of
summation; and rows of sparse products come with ascending columns, where SciPy's have no order.
As in SciPy, elements of a sparse product that are 0 are not stored.
"""

from __future__ import annotations

import contextlib
import functools
import threading

import numpy as np
from scipy import sparse
from scipy.sparse._sputils import upcast

from ._context import default_context
from ._core import scipy_products as _products

__all__ = ["Statistics", "accelerate"]

_CSR, _CSC, _COO = 1, 2, 3  # as in sparloom.h
_COMPRESSED = (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)
_KNOWN = frozenset(
    getattr(sparse, f"{name}_{kind}")
    for name in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
    for kind in ("array", "matrix")
)

# Multiplications from which on Sparloom is faster than SciPy, with few threads and with many. The
# kinds are those of scipy_products.cpp. Measured: doc/python.md, "Speed".
_NEVER = float("inf")
_MANY_THREADS = 4
_LEAST_WORK = {
    "csr_vector": (_NEVER, 2e3),
    "short_rows_vector": (_NEVER, 2e5),
    "csc_vector": (_NEVER, 3e5),
    "coo_vector": (_NEVER, _NEVER),
    "csr_dense": (3e4, 3e4),
    "csc_dense": (5e7, 5e7),
    "coo_dense": (5e5, 5e5),
    "sparse": (3e5, 3e5),
    "integers_vector": (_NEVER, 2e5),
    "integers_dense": (1e6, 1e6),
}
# Entries of a row, on average, of the first and the second operand of a sparse product by rows: few
# threads need them.
_LEAST_ROWS = (12, 2)
_VECTORS = 3  # the first kinds, which have plans
_LEAST_WORK_FROZEN = 2e3
_SPARSE = list(_LEAST_WORK).index("sparse")


class Statistics:
    """What happened between the beginning of a context and its end, or now, in all threads."""

    def __init__(self):
        self._first = _products.counts()
        self._last = None

    def _end(self):
        self._last = _products.counts()

    def _difference(self, number):
        return (self._last or _products.counts())[number] - self._first[number]

    @property
    def computed(self) -> int:
        """Products computed by Sparloom."""
        return self._difference(0)

    @property
    def delegated(self) -> int:
        """Products of CSR, CSC, COO and BSR that were handed to SciPy."""
        return self._difference(1)

    @property
    def seconds(self) -> float:
        """Time that Sparloom took for them."""
        return self._difference(2)

    def __repr__(self) -> str:
        return (
            f"<Statistics: {self.computed} computed in {self.seconds:.3g} s, "
            f"{self.delegated} delegated>"
        )


# ------------------------------------------------------------------------------------- operands


def _read_csr(matrix):
    return _CSR, matrix._shape, matrix.indptr, matrix.indices, matrix.data


def _read_csc(matrix):
    return _CSC, matrix._shape, matrix.indptr, matrix.indices, matrix.data


def _read_coo(matrix):
    # An array with one row has a product of its own kind: a scalar.
    if len(matrix._shape) != 2 or matrix._shape[0] == 1:
        return None
    return _COO, matrix._shape, *matrix.coords, matrix.data


def _read_bsr(matrix):
    if matrix.data.shape[1:] != (1, 1):
        return None
    return _CSR, matrix._shape, matrix.indptr, matrix.indices, matrix.data.reshape(-1)


_READERS = {
    sparse.bsr_array: _read_bsr,
    sparse.bsr_matrix: _read_bsr,
    sparse.coo_array: _read_coo,
    sparse.coo_matrix: _read_coo,
    sparse.csc_array: _read_csc,
    sparse.csc_matrix: _read_csc,
    sparse.csr_array: _read_csr,
    sparse.csr_matrix: _read_csr,
}


def _result_type(*dtypes):
    """SciPy's dtype of the product if Sparloom computes it, else None."""
    if any(dtype.kind not in "fiub" or dtype.char == "e" for dtype in dtypes):
        return None
    dtype = np.dtype(upcast(*(dtype.newbyteorder("=") for dtype in dtypes)))
    return dtype if dtype.char in "fd" or (dtype.kind in "iu" and dtype.itemsize >= 4) else None


def _signed(dtype):
    """The type to compute in: sums and products of unsigned integers have the same bits."""
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind == "u" else dtype


def _index_type(*arrays):
    """The width to which SciPy's kernels bring indices of signed types, else None."""
    if not all(array.dtype.kind == "i" and array.dtype.itemsize >= 4 for array in arrays):
        return None
    return np.dtype(np.int64 if any(a.dtype.itemsize > 4 for a in arrays) else np.int32)


def _as_computed(array, dtype):
    return np.require(array, dtype, "CA").view(_signed(dtype))


def _converted_product(product, form, shape, first, second, data, dense):
    """The product of the same operands in arrays that the library reads, as SciPy's kernels make
    them; or None."""
    dtype, index = _result_type(data.dtype, dense.dtype), _index_type(first, second)
    if dtype is None or index is None:
        return _products.delegate()
    first, second = (np.require(array, index, "CA") for array in (first, second))
    data, dense = _as_computed(data, dtype), _as_computed(dense, dtype)
    result = product(form, shape, first, second, data, dense)
    return None if result is None or result is False else result.view(dtype)


# ------------------------------------------------------------------------------ SciPy's methods


def _dense_method(original, product):
    """A method of SciPy for products with a vector or a dense matrix."""

    @functools.wraps(original)
    def method(self, other):
        read = _READERS.get(self.__class__)
        operands = read(self) if read and other.__class__ is np.ndarray else None
        if operands is None:
            _products.delegate()
            return original(self, other)
        result = product(*operands, other)
        if result is False:
            result = _converted_product(product, *operands, other)
        return original(self, other) if result is None else result

    return method


def _coo_product():
    """What SciPy's versions do differently for COO and a dense matrix: the order of the result, and
    whether stored zeros count, which shows where they meet Inf or NaN."""
    example = sparse.coo_array((np.zeros(1), ([0], [0])), shape=(2, 2))
    with np.errstate(invalid="ignore"):
        result = example @ np.full((2, 2), np.inf)
    by_columns, zeros_count = not result.flags.c_contiguous, np.isnan(result[0, 0])

    def product(form, shape, rows, columns, data, dense):
        if not zeros_count and np.count_nonzero(data) < len(data):
            kept = data != 0
            rows, columns, data = rows[kept], columns[kept], data[kept]
        return _products.dense_product(form, shape, rows, columns, data, dense, by_columns)

    return product


def _sparse_type(left, right):
    """The dtype of left @ right if it is for Sparloom, else None. Soon done for small products."""
    if right.__class__ not in _KNOWN or len(left._shape) != 2 or len(right._shape) != 2:
        return None
    entries = right.data.size if right.__class__ in _READERS else right.nnz
    work = left.data.size * entries / (right._shape[0] or 1)
    if work < _products.least_work(_SPARSE):
        return None
    lines = (left.data.size, left._shape[0]), (entries, right._shape[0])
    if left.format == "csc":  # as the product of the transposes
        lines = (entries, right._shape[1]), (left.data.size, left._shape[1])
    if any(count < least * rows for least, (count, rows) in zip(_least_rows, lines)):
        return None
    return _result_type(left.dtype, right.dtype)


def _multiply_rows(make, shape, left, right, dtype):
    """Multiplies (shape, offsets, indices, values) in CSR. None, or SciPy's arrays with the number
    of elements that it counts beforehand. `make` is SciPy's matrix, which knows index types."""
    arrays = left[1:3] + right[1:3]
    index = make._get_index_dtype(arrays)
    operands = []
    for size, offsets, indices, values in (left, right):
        operands += size, np.require(offsets, index, "CA"), np.require(indices, index, "CA")
        operands.append(_as_computed(values, dtype))
    result = _products.sparse_product(*operands)
    if result is None or result is False:
        return None
    entries, offsets, indices, values = result
    index = make._get_index_dtype(arrays, maxval=entries)
    values = values.view(dtype)
    return entries, (values, np.asarray(indices, index), np.asarray(offsets, index))


def _compressed_method(original):
    """SciPy's method for a product of CSR or CSC with a sparse matrix."""

    @functools.wraps(original)
    def method(self, other):
        dtype = _sparse_type(self, other) if self.__class__ in _COMPRESSED else None
        if dtype is None:
            _products.delegate()
            return original(self, other)
        other = self.__class__(other)
        shape = (self.shape[0], other.shape[1])
        parts = [(m.shape, m.indptr, m.indices, m.data) for m in (self, other)]
        if self.format == "csc":  # as the product of the transposes, which are CSR
            parts = [(part[0][::-1], *part[1:]) for part in reversed(parts)]
        result = _multiply_rows(self, shape, *parts, dtype)
        if result is None:
            return original(self, other)
        entries, arrays = result
        if entries == 0:
            return self.__class__(shape, dtype=dtype)
        return self.__class__(arrays, shape=shape)

    return method


def _block_method(original):
    """SciPy's method for a product of BSR with a sparse matrix."""

    @functools.wraps(original)
    def method(self, other):
        small = self.__class__ in _READERS and self.data.shape[1:] == (1, 1)
        dtype = _sparse_type(self, other) if small else None
        if dtype is None or (other.format == "bsr" and other.blocksize[1] != 1):
            _products.delegate()
            return original(self, other)
        other = other.tobsr(blocksize=(1, 1))
        shape = (self.shape[0], other.shape[1])
        parts = [(m.shape, m.indptr, m.indices, m.data.reshape(-1)) for m in (self, other)]
        result = _multiply_rows(self, shape, *parts, dtype)
        if result is None:
            return original(self, other)
        values, indices, offsets = result[1]
        arrays = (values.reshape(-1, 1, 1), indices, offsets)
        return self._bsr_container(arrays, shape=shape, blocksize=(1, 1))

    return method


# ---------------------------------------------------------------------------------- the context


def _methods():
    """(class of SciPy, name of a method, the method to put there)."""
    vector, dense = _products.vector_product, _products.dense_product
    for example, multiply_dense, sparse_method in (
        (sparse.csr_array, dense, _compressed_method),
        (sparse.bsr_array, dense, _block_method),
        (sparse.coo_array, _coo_product(), None),
    ):
        for name, wrap in (
            ("_matmul_vector", functools.partial(_dense_method, product=vector)),
            ("_matmul_multivector", functools.partial(_dense_method, product=multiply_dense)),
            ("_matmul_sparse", sparse_method),
        ):
            if wrap:
                owner = next(c for c in example.__mro__ if name in vars(c))
                yield owner, name, wrap(vars(owner)[name])


_lock = threading.RLock()
_open = []  # contexts that are open: (statistics, minimum_work, frozen), the last to begin last
_replaced = []  # (class, name, SciPy's method, ours)
_threads = 1  # of the context that computes
_least_rows = (0, 0)


def _begin():
    global _threads
    context = default_context()
    _threads = context.processors[0].threads
    _products.begin(context._core)
    for owner, name, method in list(_methods()):
        _replaced.append((owner, name, vars(owner)[name], method))
        setattr(owner, name, method)


def _end():
    # Who has replaced a method since has ours as the one below: it stays, and hands all to SciPy.
    for owner, name, original, method in reversed(_replaced):
        if vars(owner)[name] is method:
            setattr(owner, name, original)
    _replaced.clear()
    _products.end()


def _set_up():
    """As the context that began last wants it."""
    global _least_rows
    minimum, frozen = _open[-1][1:] if _open else (_NEVER, False)
    few = minimum is None and _threads < _MANY_THREADS
    _least_rows = _LEAST_ROWS if few else (0, 0)
    for number, measured in enumerate(_LEAST_WORK.values()):
        least = measured[_threads >= _MANY_THREADS] if minimum is None else minimum
        _products.set_least_work(number, least)
    if frozen and minimum is None:
        for number in range(_VECTORS):
            _products.set_least_work(number, _LEAST_WORK_FROZEN)
    _products.set_frozen(frozen)


class accelerate(contextlib.ContextDecorator):
    """Computes SciPy's sparse products by Sparloom, until the context ends.

    Parameters
    ----------
    minimum_work : float, optional
        Products with fewer multiplications stay with SciPy. 0: none does that Sparloom can compute.
        Default: where Sparloom was measured to be faster, for each kind of product.
    frozen : bool
        The program promises not to change data, indices and indptr of its matrices in place; new
        arrays are fine. From a matrix' ninth product with a vector on, a plan then keeps a copy in
        the form that is fastest. Changes in place are not seen.

    The context gives `Statistics`. It may also be used as a decorator.

    It is the process that changes: SciPy computes by Sparloom in all threads from the first
    context's begin to the last one's end, in the default context that the first one found. Contexts
    may be nested and may end in any order. What the one that began last says counts.

    A matrix times many vectors has a plan from the ninth on, up to 16 of them. Without `frozen` it
    reads the arrays anew in each product, so they may change in place. Plans go when the last
    context ends.

    Examples
    --------
    >>> import numpy as np, sparloom as spl
    >>> A = spl.gen("stencil5:30,30")
    >>> with spl.scipy.accelerate(minimum_work=0) as statistics:
    ...     C = A @ A
    >>> statistics.computed, statistics.delegated
    (1, 0)
    """

    def __init__(self, minimum_work: float | None = None, frozen: bool = False) -> None:
        if minimum_work is not None and not minimum_work >= 0:
            raise ValueError(f"minimum_work is {minimum_work!r}: it must be a number from 0 on")
        self._minimum_work = minimum_work
        self._frozen = bool(frozen)
        self._statistics = []

    def __enter__(self) -> Statistics:
        statistics = Statistics()
        with _lock:
            if not _open:
                _begin()
            _open.append((statistics, self._minimum_work, self._frozen))
            _set_up()
            self._statistics.append(statistics)
        return statistics

    def __exit__(self, *exception: object) -> None:
        with _lock:
            statistics = self._statistics.pop()
            statistics._end()
            _open[:] = [entry for entry in _open if entry[0] is not statistics]
            _set_up()
            if not _open:
                _end()
