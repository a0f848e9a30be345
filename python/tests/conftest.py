# SPDX-License-Identifier: Apache-2.0
"""What the tests share: random matrices from a seed that is printed with a failure."""

import os
import time

import numpy as np
import pytest
import scipy.sparse

import sparloom as spl

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX leaves memory to others
SEED = int(os.environ.get("SPARLOOM_SEED", "0")) or time.time_ns() % 2**32


def pytest_report_header():
    return f"SPARLOOM_SEED={SEED}"


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a CUDA device and the plug-in for it")


def pytest_collection_modifyitems(items):
    """Skips the tests marked gpu where there is none. `-m gpu` runs those alone."""
    of_gpus = [item for item in items if item.get_closest_marker("gpu")]
    if of_gpus and not has_cuda():
        for item in of_gpus:
            item.add_marker(pytest.mark.skip(reason="no CUDA device, or no plug-in for it"))


def has_cuda():
    try:
        return spl._core.device_count("cuda") > 0
    except NotImplementedError:
        return False


@pytest.fixture
def rng(request):
    return np.random.default_rng([SEED, len(request.node.name)])


@pytest.fixture
def random_csr(rng):
    """A function of rows, columns, type: a CSR matrix with about four entries a row."""

    def make(rows, cols, dtype="float64", index="int32", kind="array"):
        per_row = rng.integers(0, min(cols, 8) + 1, rows)
        indptr = np.concatenate(([0], np.cumsum(per_row))).astype(index)
        indices = [np.sort(rng.choice(cols, n, replace=False)) for n in per_row]
        indices = np.concatenate(indices).astype(index) if rows else np.empty(0, index)
        values = rng.uniform(-1, 1, len(indices)).astype(dtype)
        cls = getattr(scipy.sparse, f"csr_{kind}")
        return cls((values, indices, indptr), shape=(rows, cols))

    return make
