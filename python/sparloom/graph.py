# SPDX-License-Identifier: Apache-2.0
"""Algorithms on graphs.

A graph of n vertices is a sparse matrix of n rows and columns on the host, of SciPy or of torch: an
entry (i, j) that is stored is an edge from i to j, also with the value 0. Entries of equal position
are one edge. Results have the same bits for any number of threads: where several are right, it is
the one with the least vertices.

Every function takes a matrix, or a `Graph` that was made of one and serves many calls.
"""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse

from . import _core
from ._context import Context
from ._graphs import Graph, Longs, core_for, made_ready, vertices_of
from ._operands import sparse_like

__all__ = [
    "Graph",
    "betweenness",
    "bfs",
    "colouring",
    "components",
    "independent_set",
    "ktruss",
    "multi_bfs",
    "multi_sssp",
    "pagerank",
    "sssp",
    "triangles",
    "vertex_triangles",
]

Ints: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_PLAIN = (scipy.sparse.csr_array, scipy.sparse.csr_matrix)


def bfs(
    graph: Any, source: int, *, context: Context | None = None, progress: Any = None
) -> tuple[Ints, Ints]:
    """Breadth-first search.

    Parameters
    ----------
    graph : sparse matrix or Graph
    source : int
        The vertex that paths start from.

    Returns
    -------
    levels : array of int32
        The edges of a shortest path from `source` to each vertex, -1 without one.
    parents : array of int32
        The vertex before each on such a path, the least if there are several; of the source itself;
        -1 without a path.

    Raises
    ------
    ValueError
        There is no such vertex.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> chain = scipy.sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> levels, parents = spl.graph.bfs(chain, 1)
    >>> levels, parents
    (array([-1,  0,  1], dtype=int32), array([-1,  1,  1], dtype=int32))
    """
    if progress is None and type(graph) in _PLAIN:
        found: Any = _core.plain_bfs(
            core_for(context, graph.data.size), graph, operator.index(source)
        )
        if found is not None:
            levels, parents = found
            return levels, parents
    g, told = made_ready(graph, context, progress)
    levels, parents = np.empty((2, g.vertices), np.int32)
    g._core.bfs(operator.index(source), levels, parents, told)
    return levels, parents


def multi_bfs(
    graph: Any, sources: Any, *, context: Context | None = None, progress: Any = None
) -> Ints:
    """Breadth-first searches from several vertices, which share accesses to edges.

    Parameters
    ----------
    graph : sparse matrix or Graph
    sources : sequence of int

    Returns
    -------
    levels : array of int32
        A row for each source: the levels that `bfs` finds from there.

    Raises
    ------
    ValueError
        There is no such vertex.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> chain = scipy.sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> spl.graph.multi_bfs(chain, [0, 1])
    array([[ 0,  1,  2],
           [-1,  0,  1]], dtype=int32)
    """
    g, told = made_ready(graph, context, progress)
    given = vertices_of(sources, "sources")
    levels = np.empty((len(given), g.vertices), np.int32)
    g._core.multi_bfs(given, levels.reshape(-1), told)
    return levels


def components(
    graph: Any, *, context: Context | None = None, progress: Any = None
) -> tuple[Ints, int]:
    """Connected components; of a directed graph the weak ones.

    Parameters
    ----------
    graph : sparse matrix or Graph

    Returns
    -------
    components : array of int32
        The least vertex of the component of each vertex.
    count : int
        The number of components.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.components(scipy.sparse.csr_array([[0, 0, 1], [0, 0, 0], [0, 0, 0]]))
    (array([0, 1, 0], dtype=int32), 2)
    """
    g, told = made_ready(graph, context, progress)
    found = np.empty(g.vertices, np.int32)
    return found, g._core.components(found, told)


def pagerank(
    graph: Any,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    most_steps: int = 100,
    context: Context | None = None,
    progress: Any = None,
) -> tuple[Floats, int]:
    """PageRank: how often a walk along edges, each as likely, comes to a vertex.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Weights do not count. From a vertex without edges the walk goes on anywhere.
    damping : float
        The part of the walk that follows edges, in [0, 1). The rest begins anew anywhere.
    tolerance : float
        The ranks are good enough once a step changes them by so much in all.
    most_steps : int
        Steps after which ranks are taken as they are.

    Returns
    -------
    ranks : array of float64
        The rank of each vertex; their sum is 1.
    steps : int
        Steps that were taken; `most_steps`: the tolerance may not be reached.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> ranks, steps = spl.graph.pagerank(scipy.sparse.csr_array([[0, 1], [0, 0]]))
    >>> ranks.round(3)
    array([0.351, 0.649])
    """
    g, told = made_ready(graph, context, progress)
    ranks = np.empty(g.vertices)
    return ranks, g._core.pagerank(damping, tolerance, most_steps, ranks, told)


def sssp(
    graph: Any,
    source: int,
    *,
    delta: float = 0.0,
    predecessors: bool = False,
    context: Context | None = None,
    progress: Any = None,
) -> Any:
    """Shortest paths from a vertex, by the values as lengths of edges.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Values are not negative.
    source : int
        The vertex that paths start from.
    delta : float
        How far apart distances are that are looked at together; 0: chosen from the weights. It
        changes the time, no bit of the result.
    predecessors : bool
        Find the tree of these paths, too.

    Returns
    -------
    distances : array of float64
        The least sum of weights along a path from `source`; inf without a path.
    predecessors : array of int32
        Only if asked for: the vertex before each on a shortest path, the least of those that are
        nearer to `source`; of the source itself, -1 without a path.

    Raises
    ------
    ValueError
        There is no such vertex, or a weight is negative or NaN: the message names the edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.sssp(scipy.sparse.csr_array([[0, 7, 2], [0, 0, 0], [0, 4, 0]]), 0)
    array([0., 6., 2.])
    """
    g, told = made_ready(graph, context, progress, weights=True)
    distances = np.empty(g.vertices)
    tree = np.empty(g.vertices, np.int32) if predecessors else None
    g._core.sssp(operator.index(source), delta, distances, tree, told)
    return distances if tree is None else (distances, tree)


def multi_sssp(
    graph: Any,
    sources: Any,
    *,
    delta: float = 0.0,
    context: Context | None = None,
    progress: Any = None,
) -> Floats:
    """Shortest paths from several vertices.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Values are not negative.
    sources : sequence of int
    delta : float
        As for `sssp`.

    Returns
    -------
    distances : array of float64
        A row for each source: the distances that `sssp` finds from there.

    Raises
    ------
    ValueError
        There is no such vertex, or a weight is negative or NaN: the message names the edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.multi_sssp(scipy.sparse.csr_array([[0, 7, 2], [0, 0, 0], [0, 4, 0]]), [0, 2])
    array([[ 0.,  6.,  2.],
           [inf,  4.,  0.]])
    """
    g, told = made_ready(graph, context, progress, weights=True)
    given = vertices_of(sources, "sources")
    distances = np.empty((len(given), g.vertices))
    g._core.multi_sssp(given, delta, distances.reshape(-1), told)
    return distances


def betweenness(
    graph: Any, sources: Any = None, *, context: Context | None = None, progress: Any = None
) -> Floats:
    """Betweenness: how many shortest paths pass each vertex.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Paths are of fewest edges; weights do not count.
    sources : sequence of int, optional
        Where paths start; None: at all vertices.

    Returns
    -------
    betweenness : array of float64
        The sum over pairs (s, t), s a source and s != v != t, of the part of the shortest paths
        from s to t that pass v. In an undirected graph both (s, t) and (t, s) count.

    Raises
    ------
    ValueError
        There is no such vertex.
    OverflowError
        Two vertices have more shortest paths than float64 counts.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.betweenness(scipy.sparse.csr_array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    array([0., 1., 0.])
    """
    g, told = made_ready(graph, context, progress)
    given = None if sources is None else vertices_of(sources, "sources")
    found = np.empty(g.vertices)
    g._core.betweenness(given, found, told)
    return found


def triangles(graph: Any, *, context: Context | None = None, progress: Any = None) -> int:
    """The number of triangles: sets of three vertices, each two with an edge.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Undirected: of (i, j) and (j, i) both are there. Loops do not count.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        The graph is directed: the message names an edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.triangles(scipy.sparse.csr_array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    1
    """
    counts = vertex_triangles(graph, context=context, progress=progress)
    return int(counts.sum()) // 3  # each has three vertices


def vertex_triangles(graph: Any, *, context: Context | None = None, progress: Any = None) -> Longs:
    """The triangles of each vertex.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Undirected. Loops do not count.

    Returns
    -------
    array of int64

    Raises
    ------
    ValueError
        The graph is directed: the message names an edge.

    Examples
    --------
    >>> import numpy as np, scipy.sparse, sparloom as spl
    >>> spl.graph.vertex_triangles(scipy.sparse.csr_array(np.ones((4, 4))))
    array([3, 3, 3, 3])
    """
    g, told = made_ready(graph, context, progress)
    found = np.empty(g.vertices, np.int64)
    g._core.vertex_triangles(found, told)
    return found


def ktruss(graph: Any, k: int, *, context: Context | None = None, progress: Any = None) -> Any:
    """The k-truss: the largest part in which each edge is in k - 2 or more triangles.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Undirected. Loops are left out.
    k : int
        At least 3.

    Returns
    -------
    sparse matrix
        Of the library and kind of `graph`, in CSR. Values are the triangles of each edge within the
        truss, in float64.

    Raises
    ------
    ValueError
        k is less than 3, or the graph is directed: the message names an edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> triangle_and_edge = [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    >>> spl.graph.ktruss(scipy.sparse.csr_array(triangle_and_edge), 3).toarray()
    array([[0., 1., 1., 0.],
           [1., 0., 1., 0.],
           [1., 1., 0., 0.],
           [0., 0., 0., 0.]])
    """
    g, told = made_ready(graph, context, progress)
    form, rows, cols, offsets, indices, values = g._core.ktruss(operator.index(k), told)
    if len(indices) < 2**31:
        offsets = offsets.astype(indices.dtype)  # as SciPy wants both of one type
    return sparse_like(g._edges, (form, rows, cols, offsets, indices, values), canonical=True)


def independent_set(graph: Any, *, context: Context | None = None, progress: Any = None) -> Bools:
    """A maximal independent set: no two members are neighbours, and no vertex could be added.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Undirected. Loops do not count.

    Returns
    -------
    members : array of bool
        Whether each vertex is a member. The first such set in an order of vertices that looks
        random and is always the same.

    Raises
    ------
    ValueError
        The graph is directed: the message names an edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> star = scipy.sparse.csr_array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> members = spl.graph.independent_set(star)
    >>> bool(members[0] != members[1] == members[2])
    True
    """
    g, told = made_ready(graph, context, progress)
    members = np.empty(g.vertices, np.int32)
    g._core.independent_set(members, told)
    return members.astype(bool)


def colouring(
    graph: Any, *, context: Context | None = None, progress: Any = None
) -> tuple[Ints, int]:
    """A colouring: neighbours have different colours.

    Vertices with more edges come first, each takes the least colour that is free.

    Parameters
    ----------
    graph : sparse matrix or Graph
        Undirected. Loops do not count.

    Returns
    -------
    colours : array of int32
        One of 0 to count - 1 for each vertex.
    count : int
        The number of colours.

    Raises
    ------
    ValueError
        The graph is directed: the message names an edge.

    Examples
    --------
    >>> import scipy.sparse, sparloom as spl
    >>> spl.graph.colouring(scipy.sparse.csr_array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    (array([0, 1, 1], dtype=int32), 2)
    """
    g, told = made_ready(graph, context, progress)
    colours = np.empty(g.vertices, np.int32)
    return colours, g._core.colouring(colours, told)
