# SPDX-License-Identifier: Apache-2.0
"""Files, conversion, description and partition of sparse matrices."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from . import _core
from ._context import Context, core_of
from ._operands import FORMATS, parts_of, sparse_like
from ._options import PARTITIONS, choice
from ._products import narrowed
from ._progress import progress_of
from ._types import TYPES, common_type, dtype_name, exact_parts, parts_as, type_name

_INDICES = {"int32": 1, "int64": 2}
_ARRAY = scipy.sparse.csr_array((0, 0))  # says what kind of matrix files become


@dataclass(frozen=True)
class Description:
    """What a matrix looks like; see spl_description in sparloom.h for each figure."""

    rows: int
    cols: int
    nnz: int
    empty_rows: int
    longest_row: int
    mean_row: float
    row_deviation: float
    density: float
    duplicates: int
    unsorted_rows: int
    pattern_symmetric: bool
    value_symmetric: bool
    bandwidth: int
    products: int
    block_size: int
    distinct_values: int
    value_bytes: float
    holed_block_size: int
    block_fill: float


@dataclass(frozen=True)
class Storage:
    """Bytes of a matrix in several formats, and the densities of [S2]."""

    coo: int
    csr: int
    ell: int
    rvs: int
    sliced_ell: int
    ell_density: float
    rvs_density: float
    sliced_ell_density: float
    ell_compute_density: float
    rvs_compute_density: float


@dataclass(frozen=True)
class Part:
    """The share of one processor: rows ``order[begin : begin+rows]``."""

    begin: int
    rows: int
    nnz: int
    width: int
    density: float
    seconds: float


@dataclass(frozen=True)
class Method:
    """A method of the library."""

    id: str
    summary: str
    source: str
    revision: int
    deterministic: bool
    in_place: bool
    processor: str


def read(
    path: str | os.PathLike[str],
    *,
    format: str = "csr",
    dtype: Any = "float64",
    context: Context | None = None,
    progress: Any = None,
) -> Any:
    """Reads a sparse matrix from a file, with all threads.

    Matrix Market (also packed by gzip), SciPy's .npz, METIS graphs and edge lists; the contents
    decide.

    Returns
    -------
    csr_array, csc_array or coo_array

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        Its text is wrong: the message has file, line and what.

    Examples
    --------
    >>> import os, tempfile, scipy.sparse, sparloom as spl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.mtx")
    ...     spl.write(path, scipy.sparse.csr_array([[0, 1.5]]))
    ...     spl.read(path).toarray()
    array([[0. , 1.5]])
    """
    form, kind = choice(FORMATS, format, "format"), choice(TYPES, dtype_name(dtype), "dtype")
    core = core_of(context)
    parts = _core.read(core, os.fspath(path), form, kind, progress_of(progress))
    return sparse_like(_ARRAY, parts)


def write(
    path: str | os.PathLike[str],
    A: Any,
    *,
    context: Context | None = None,
    progress: Any = None,
) -> None:
    """Writes a sparse matrix. The ending decides: .mtx, .npz, .graph, .edges, .txt; and .gz.

    The file appears complete, or stays as it was.

    Raises
    ------
    OSError
        The file cannot be written.
    NotImplementedError
        An ending that is not known.

    Examples
    --------
    >>> import os, tempfile, scipy.sparse, sparloom as spl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.npz")
    ...     spl.write(path, scipy.sparse.eye_array(3, format="csr"))
    ...     scipy.sparse.load_npz(path).shape
    (3, 3)
    """
    _core.write(core_of(context), exact_parts(parts_of(A)), os.fspath(path), progress_of(progress))


def convert(
    A: Any,
    *,
    format: str | None = None,
    dtype: Any = None,
    index_dtype: Any = None,
    transpose: bool = False,
    sort: bool = False,
    sum_duplicates: bool = False,
    drop_zeros: bool = False,
    context: Context | None = None,
    progress: Any = None,
) -> Any:
    """A copy of a sparse matrix in another form, made with all threads.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.convert(scipy.sparse.csr_array([[0, 1.5]]), format="csc", transpose=True).shape
    (2, 1)
    """
    form = choice(FORMATS, format, "format") if format else 0
    number = choice(TYPES, dtype_name(dtype), "dtype") if dtype is not None else 0
    index = 0
    if index_dtype is not None:
        index = choice(_INDICES, dtype_name(index_dtype), "index_dtype")
    flags = (transpose, sort, sum_duplicates, drop_zeros)
    core, told = core_of(context), progress_of(progress)
    parts = parts_of(A)
    kind = common_type([type_name(parts[5])])
    parts = exact_parts(parts) if number else parts_as(parts, kind.computed)
    parts = _core.convert(core, parts, form, number, index, *flags, told)
    if not number:
        parts = narrowed(core, parts, kind, drop_zeros)
    return sparse_like(A, parts, canonical=sum_duplicates)


def describe(A: Any, *, context: Context | None = None, progress: Any = None) -> Description:
    """What a matrix looks like: row lengths, symmetry, blocks, distinct values.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.describe(scipy.sparse.eye_array(5)).bandwidth
    0
    """
    parts, told = exact_parts(parts_of(A)), progress_of(progress)
    return Description(**_core.describe(core_of(context), parts, told))


def storage(A: Any, *, context: Context | None = None) -> Storage:
    """Bytes that a matrix takes in several formats. Nothing is converted.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.storage(scipy.sparse.eye_array(4, format="csr")).csr  # 5 offsets, 4 columns, 4 values
    68
    """
    return Storage(**_core.storage(core_of(context), parts_of(A)))


def distribution(A: Any, *, context: Context | None = None) -> tuple[Any, Any]:
    """The distribution function of the rows: lengths, ascending, and how many rows have each.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.distribution(scipy.sparse.csr_array([[1.0, 1], [1, 0], [0, 2]]))
    (array([1, 2]), array([2, 1]))
    """
    lengths, rows = _core.distribution(core_of(context), exact_parts(parts_of(A)))
    return np.array(lengths, dtype=np.int64), np.array(rows, dtype=np.int64)


def partition(
    A: Any,
    capabilities: Any,
    *,
    kind: str = "density",
    links: Any = None,
    context: Context | None = None,
) -> tuple[Any, list[Part]]:
    """Shares the rows of a matrix out among processors.

    Parameters
    ----------
    capabilities : int or sequence of float
        What each processor can do; a number: so many equal ones.
    kind : {"rows", "nnz", "density", "cost"}
        Shares of rows; of entries; of entries with rows in the order of their lengths; or such that
        the slowest part, transfer included, is as fast as can be.
    links : sequence of float, optional
        Bytes per second to each processor.

    Returns
    -------
    order : array of int64
        Every row once.
    parts : list of Part
        Consecutive parts of `order`.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> order, parts = spl.partition(scipy.sparse.eye_array(6, format="csr"), 2, kind="nnz")
    >>> [part.rows for part in parts]
    [3, 3]
    """
    shares = [1.0] * capabilities if isinstance(capabilities, int) else list(capabilities)
    order = np.empty(A.shape[0], dtype=np.int64)
    number = choice(PARTITIONS, kind, "kind")
    speeds = [] if links is None else list(links)
    parts = exact_parts(parts_of(A))
    rows = _core.partition(core_of(context), parts, number, shares, speeds, order)
    return order, [Part(**row) for row in rows]


def methods() -> list[Method]:
    """All methods of the library: what `method=` and the explanations name.

    Examples
    --------
    >>> import sparloom as spl
    >>> any(m.id == "spmv/compute/cpu/csr_scalar" for m in spl.methods())
    True
    """
    return [Method(**row) for row in _core.methods()]
