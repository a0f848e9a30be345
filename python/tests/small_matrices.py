# SPDX-License-Identifier: Apache-2.0
"""Small matrices of integers in every form that SciPy has."""

import numpy as np
from scipy import sparse


def random_matrix(rng, shape, dtype=float, density=0.3, index=np.int32):
    """CSR with duplicates, explicit zeros and columns in any order. Values are small integers: sums
    are exact, and some are 0."""
    count = int(density * shape[0] * shape[1])
    rows = np.sort(rng.integers(0, max(shape[0], 1), count))
    offsets = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(index)
    columns = rng.integers(0, max(shape[1], 1), count).astype(index)
    values = rng.integers(0 if np.dtype(dtype).kind in "bu" else -2, 3, count).astype(dtype)
    return sparse.csr_array((values, columns, offsets), shape=shape)


def converted(matrix, name, kind="array"):
    kept = matrix.copy()  # SciPy's conversions sort what they convert
    if name == "bsr":
        return getattr(sparse, f"bsr_{kind}")(kept, blocksize=(1, 1))
    return getattr(sparse, f"{name}_{kind}")(kept)
