# SPDX-License-Identifier: Apache-2.0
"""A graph as the extension takes it: sparloom.graph has what is found in it."""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _core
from ._context import Context, core_of, in_block
from ._operands import Parts, parts_of
from ._progress import progress_of
from ._types import FLOATS, type_name, values_as

Longs: TypeAlias = npt.NDArray[np.int64]


class Graph:
    """A graph made ready for many calls of `sparloom.graph`.

    Rows in order, without repeated edges, in CSR with int32 indices are read where they are, and
    their structure must not change as long as the graph lives; else they are copied. A graph serves
    one thread at a time.

    Parameters
    ----------
    edges : sparse matrix
        Square. Vertex i has the row i.
    weights : bool
        Take the values as weights, of which repeated edges keep the least. Values of other types
        than float16, bfloat16, float32 and float64 are copied as float64. False: they are not read,
        and may be of any type.
    context : Context, optional
        Whose threads and memory all calls use; see `default_context`.
    progress : bool or callable, optional
        As for `matmul`; so it is for every function of `sparloom.graph`.

    Raises
    ------
    ValueError
        The matrix is not square, or invalid.
    NotImplementedError
        It lives on a device, its weights are complex, or it has more than 2**31 - 2 vertices.
    BudgetError, MemoryError
        With the bytes that would suffice, if they are known.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> ring = spl.graph.Graph(scipy.sparse.csr_array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    >>> ring
    <Graph of 3 vertices>
    >>> spl.graph.components(ring)
    (array([0, 0, 0], dtype=int32), 1)
    >>> levels, parents = spl.graph.bfs(ring, 1)
    >>> levels
    array([2, 0, 1], dtype=int32)
    """

    def __init__(
        self,
        edges: Any,
        *,
        weights: bool = True,
        context: Context | None = None,
        progress: Any = None,
    ) -> None:
        self._edges = edges
        parts = _parts(edges, weights)
        core = core_for(context, len(parts[4]))
        self._core = _core.Graph(core, parts, progress_of(progress))

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self._core.vertices)

    def __repr__(self) -> str:
        return f"<Graph of {self.vertices} vertices>"


# Edges up to which one thread serves where nobody has chosen a context: others save less than they
# cost where programs beside this one keep processors busy, which is milliseconds a step.
FEW_EDGES = 300_000


@functools.cache
def _serial_context() -> Context:
    return Context(threads=1)


def core_for(context: Context | None, edges: int) -> Any:
    """The extension's context for a graph."""
    if context is None and edges < FEW_EDGES and not in_block():
        context = _serial_context()
    return core_of(context)


def _parts(edges: Any, weights: bool) -> Parts:
    """The arrays of a graph's matrix, with values that are weights, or without."""
    parts = parts_of(edges)
    if not weights:
        return (*parts[:5], None)
    name = type_name(parts[5])
    if name.startswith("complex"):
        raise NotImplementedError("complex weights; weights=False does not read them")
    return (*parts[:5], values_as(parts[5], name if name in FLOATS else "float64"))


def made_ready(
    graph: Any, context: Context | None, progress: Any, weights: bool = False
) -> tuple[Graph, Any]:
    """The graph of a function, and the function that its call reports to."""
    told = progress_of(progress)
    if not isinstance(graph, Graph):
        return Graph(graph, weights=weights, context=context, progress=told), told
    if context is not None:
        raise ValueError("a Graph has the context that it was made with")
    return graph, told


def vertices_of(vertices: Any, name: str) -> Longs:
    """An array of vertices as the library takes it."""
    array = np.asarray(vertices)
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        raise ValueError(f"{name}: not a sequence of whole numbers")
    return np.ascontiguousarray(array, np.int64)
