# SPDX-License-Identifier: Apache-2.0
"""Sparse matrix products, planned, explained and kept.

    import sparloom as spl

    C = spl.matmul(A, B)        # A, B: sparse of SciPy, CuPy, torch; dense of anybody
    p = spl.plan(A)             # for many products: p(x)
    print(p.explain())          # what was chosen, and why

Documentation: doc/python.md.
"""

from . import _core, graph, scipy
from ._context import Context, Import, Memory, Processor, Wisdom, default_context
from ._errors import BudgetError, Cancelled, StaleError
from ._frontiers import FrontierPlan, frontier_plan
from ._matrices import (
    Description,
    Method,
    Part,
    Storage,
    convert,
    describe,
    distribution,
    methods,
    partition,
    read,
    storage,
    write,
)
from ._plan import Candidate, Counters, Feature, Plan, Result, Step, plan
from ._products import matmul
from ._tool import Picture, doctor, gen, spy
from ._triple import triple, triple_plan
from .linalg import SparseOperator, aslinearoperator

__version__ = _core.version()

__all__ = [
    "BudgetError",
    "Cancelled",
    "Candidate",
    "Context",
    "Counters",
    "Description",
    "Feature",
    "FrontierPlan",
    "Import",
    "Memory",
    "Method",
    "Part",
    "Picture",
    "Plan",
    "Processor",
    "Result",
    "SparseOperator",
    "StaleError",
    "Step",
    "Storage",
    "Wisdom",
    "aslinearoperator",
    "convert",
    "default_context",
    "describe",
    "distribution",
    "doctor",
    "frontier_plan",
    "gen",
    "graph",
    "matmul",
    "methods",
    "partition",
    "plan",
    "read",
    "scipy",
    "spy",
    "storage",
    "triple",
    "triple_plan",
    "write",
]
