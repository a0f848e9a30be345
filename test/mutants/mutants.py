# SPDX-License-Identifier: Apache-2.0
"""Planted faults, by the part of the library that they are in. Each is (what, file, old text, new
text, tests that must notice). The old text stands exactly once in the file."""

from mutants_algebra import ALGEBRA
from mutants_api import API
from mutants_devices import DEVICES
from mutants_files import FILES
from mutants_formats import FORMATS
from mutants_graph import GRAPH
from mutants_masks import MASKS
from mutants_once import OF_ONCE
from mutants_partition import PARTITION
from mutants_plan import PLAN
from mutants_spgemm import OF_SPGEMM
from mutants_spmm import OF_SPMM
from mutants_spmv import OF_SPMV
from mutants_triple import TRIPLE

MUTANTS = [
    *ALGEBRA,
    *API,
    *DEVICES,
    *FILES,
    *FORMATS,
    *GRAPH,
    *MASKS,
    *OF_ONCE,
    *PARTITION,
    *PLAN,
    *OF_SPGEMM,
    *OF_SPMM,
    *OF_SPMV,
    *TRIPLE,
]
