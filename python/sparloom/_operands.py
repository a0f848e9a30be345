# SPDX-License-Identifier: Apache-2.0
"""Operands of any library as arrays, and results as objects of the operand's library."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import scipy.sparse

CSR, CSC, COO = 1, 2, 3  # spl_format
FORMATS = {"csr": CSR, "csc": CSC, "coo": COO}

_libraries: dict[type, str] = {}  # of classes: small products would wait to find it out

_attributes: dict[type, dict[str, Any]] = {}  # of empty matrices of SciPy's

Parts = tuple[int, int, int, Any, Any, Any]  # as sparse_operand takes them


def library_of(x: Any) -> str:
    """The library that an operand belongs to: "scipy", "numpy", "cupy", "torch" or another."""
    cls = type(x)
    library = _libraries.get(cls)
    if library is None:
        name = cls.__module__.partition(".")[0]
        library = _libraries[cls] = {"cupyx": "cupy"}.get(name, name)
    return library


def is_sparse(x: Any) -> bool:
    """Whether it is a sparse matrix of SciPy, CuPy or torch."""
    if isinstance(x, np.ndarray):
        return False
    if scipy.sparse.issparse(x):
        return True
    library = library_of(x)
    if library == "torch":
        return not str(x.layout).endswith("strided")
    return library == "cupy" and hasattr(x, "getnnz")


def _torch_parts(x: Any) -> Parts:
    layout, (rows, cols) = str(x.layout), x.shape
    if layout.endswith("sparse_csr"):
        return CSR, rows, cols, x.crow_indices(), x.col_indices(), x.values().detach()
    if layout.endswith("sparse_csc"):
        return CSC, rows, cols, x.ccol_indices(), x.row_indices(), x.values().detach()
    if layout.endswith("sparse_coo"):
        coordinates = x._indices()  # sums of duplicates are the library's
        return COO, rows, cols, *coordinates.contiguous(), x._values().detach()
    raise NotImplementedError(f"{layout}: use to_sparse_csr()")


def _packed(x: Any) -> Any:
    """The array itself, or a copy if its elements lie apart, as columns of coordinates do."""
    return np.ascontiguousarray(x) if isinstance(x, np.ndarray) and not x.flags.forc else x


def parts_of(x: Any) -> Parts:
    """The arrays of a sparse matrix. Formats other than CSR, CSC and COO are converted to CSR."""
    if library_of(x) == "torch":
        return _torch_parts(x)
    if not is_sparse(x):
        raise TypeError(f"{type(x).__name__}: no sparse matrix of SciPy, CuPy or torch")
    if x.ndim != 2:
        raise ValueError(f"a sparse array of {x.ndim} dimensions is no matrix")
    if x.format not in FORMATS:
        x = x.tocsr()
    rows, cols = x.shape
    if x.format == "coo":
        return COO, rows, cols, _packed(x.row), _packed(x.col), _packed(x.data)
    return FORMATS[x.format], rows, cols, _packed(x.indptr), _packed(x.indices), _packed(x.data)


def dense_of(x: Any) -> Any:
    """A vector or a matrix with one dimension or two, as it is or as a NumPy array."""
    library = library_of(x)
    if library == "torch":
        x = x.detach()
    elif isinstance(x, np.ma.MaskedArray):
        raise TypeError("a masked array: its mask would be ignored; fill it")
    elif isinstance(x, np.matrix) or not hasattr(x, "__dlpack__"):
        x = np.asarray(x)
    if len(x.shape) not in (1, 2):
        raise ValueError(f"a dense operand of {len(x.shape)} dimensions is no matrix")
    return x


def adopted(x: Any, library: str) -> Any:
    """A device's array of JAX, or of another library that has no current stream, as one of CuPy or
    torch: without a copy, and behind the work of its producer, as DLPack orders it."""
    if library_of(x) in ("cupy", "numpy", "torch"):
        return x
    return sys.modules[library].from_dlpack(x)


def strides_of(x: Any) -> tuple[int, ...]:
    """Strides in elements."""
    if library_of(x) == "torch":
        return tuple(x.stride())
    return tuple(stride // x.itemsize for stride in x.strides)


def by_lines(x: Any) -> Any:
    """The array itself if its elements lie by rows or by columns, else a copy that does."""
    if isinstance(x, np.ndarray) and x.flags.forc and x.flags.aligned:
        return x
    if not hasattr(x, "strides") and library_of(x) != "torch":
        return x
    aligned = not isinstance(x, np.ndarray) or (x.flags.aligned and x.dtype.isnative)
    strides, shape = strides_of(x), tuple(x.shape)
    if aligned and len(shape) == 1 and (shape[0] < 2 or strides[0] == 1):
        return x
    if aligned and len(shape) == 2:
        (rows, cols), (down, right) = shape, strides
        if (right == 1 and down >= cols) or (down == 1 and right >= rows):
            return x
    if library_of(x) == "torch":
        return x.contiguous()
    return x.copy() if library_of(x) == "cupy" else np.array(x, dtype=x.dtype.newbyteorder("="))


def empty_like(x: Any, shape: tuple[int, ...], name: str) -> Any:
    """A new array of x's library where x lives."""
    library = library_of(x)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, name), device=x.device)
    if library == "cupy":
        return sys.modules["cupy"].empty(shape, name)
    return np.empty(shape, name)


def device_of(x: Any) -> str | None:
    """The device that an array lives on, "cuda:0", or None for the host."""
    library = library_of(x)
    if library == "cupy":
        return f"cuda:{x.device.id}"
    if library == "torch" and x.device.type != "cpu":
        return f"{x.device.type}:{x.device.index or 0}"
    return None


def stream_of(x: Any) -> int | None:
    """The current stream of x's library; None on the host."""
    if isinstance(x, np.ndarray) or device_of(x) is None:
        return None
    if library_of(x) == "torch":
        torch = sys.modules["torch"]
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        if raw is not None:  # a tenth of the time of what is public
            return int(raw(x.device.index))
        return int(torch.cuda.current_stream(x.device).cuda_stream)
    return int(sys.modules["cupy"].cuda.get_current_stream().ptr)


def wait_for(x: Any) -> None:
    """Waits for what x's library has enqueued: plans read structure when they are made."""
    if device_of(x) is None:
        return
    if library_of(x) == "torch":
        sys.modules["torch"].cuda.current_stream(x.device).synchronize()
    else:
        sys.modules["cupy"].cuda.get_current_stream().synchronize()


def _scipy_matrix(parts: Parts, kind: str) -> Any:
    form, rows, cols, first, second, values = parts
    if form == COO:
        return getattr(scipy.sparse, f"coo_{kind}")((values, (first, second)), shape=(rows, cols))
    if first.dtype != second.dtype:
        wide = np.promote_types(first.dtype, second.dtype)
        first, second = first.astype(wide, copy=False), second.astype(wide, copy=False)
    cls = getattr(scipy.sparse, f"{'csr' if form == CSR else 'csc'}_{kind}")
    if first.dtype == np.int32:
        return _around(cls, (rows, cols), first, second, values)
    return cls((values, second, first), shape=(rows, cols))


def _around(cls: Any, shape: tuple[int, int], first: Any, second: Any, values: Any) -> Any:
    """The matrix of SciPy's class around arrays of the library's, which are right: SciPy's own
    constructor looks at them, and takes longer than a small product."""
    attributes = _attributes.get(cls)
    if attributes is None:
        attributes = _attributes[cls] = vars(cls((0, 0)))
    result = cls.__new__(cls)
    vars(result).update(attributes)
    result._shape, result.indptr, result.indices, result.data = shape, first, second, values
    return result


def sparse_like(x: Any, parts: Parts, canonical: bool = False) -> Any:
    """A sparse matrix around arrays of the library's, of the same library and kind as x.

    `canonical`: columns ascend and no position stands twice.
    """
    if library_of(x) == "torch":
        torch = sys.modules["torch"]
        arrays = [torch.from_dlpack(array) for array in parts[3:]]
        wide = torch.promote_types(arrays[0].dtype, arrays[1].dtype)
        return torch.sparse_csr_tensor(
            arrays[0].to(wide), arrays[1].to(wide), arrays[2], size=parts[1:3]
        )
    if library_of(x) == "cupy":
        cupy, cupyx = sys.modules["cupy"], sys.modules["cupyx.scipy.sparse"]
        first, second, values = (cupy.from_dlpack(array) for array in parts[3:])
        result = cupyx.csr_matrix((values, second, first), shape=parts[1:3])
    else:
        kind = "matrix" if scipy.sparse.isspmatrix(x) else "array"
        result = _scipy_matrix(parts, kind)
    if canonical and parts[0] != COO:
        result.has_sorted_indices = True
        result.has_canonical_format = True
    return result
