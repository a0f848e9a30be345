# SPDX-License-Identifier: Apache-2.0
"""Algorithms on graphs against loops over dense matrices, SciPy's csgraph and networkx."""

import gc
import os
import signal
import threading
import time
from itertools import combinations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph
from test_matmul_random import duplicates, widened

import sparloom as spl
from sparloom import graph as gr

FORMATS = ["csr", "csc", "coo", "lil"]
DTYPES = ["float64", "float32", "int8", "bool"]


@st.composite
def graphs(draw, undirected=None):
    """A matrix of any format, kind, width and type, and the same graph as a dense array of weights,
    inf without an edge. Loops, repeated edges, explicit zeros and several components are frequent;
    0 and 1 vertices come, too."""
    n = draw(st.integers(0, 9))
    vertex = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 5)), max_size=3 * n))
    if undirected or (undirected is None and draw(st.booleans())):
        edges = edges + [(j, i, weight) for i, j, weight in edges]
    i, j, weight = np.array(edges or np.empty((0, 3)), dtype=int).T
    dtype = draw(st.sampled_from(DTYPES))
    weight = weight.astype(dtype)
    dense = np.full((n, n), np.inf)
    np.minimum.at(dense, (i, j), weight.astype(float))
    kind = draw(st.sampled_from([sp.coo_array, sp.coo_matrix]))
    matrix = kind((weight, (i, j)), shape=(n, n))
    form = draw(st.sampled_from(FORMATS))
    if form == "csr":
        matrix = duplicates(matrix, i, j, weight)
    elif form != "coo":  # SciPy sums duplicates there
        first = np.unique(i * n + j, return_index=True)[1]
        there = (i[first], j[first])
        weight = dense[there].astype(dtype)
        matrix = kind((weight, there), shape=(n, n)).asformat(form)
    return widened(matrix, draw(st.sampled_from([np.int32, np.int64]))), dense


def random_graph(rng, n, edges, undirected=True):
    """CSR with loops and explicit zeros, each edge once."""
    i, j = rng.integers(0, n, (2, edges))
    matrix = sp.coo_array((rng.integers(0, 9, edges).astype(float), (i, j)), shape=(n, n)).tocsr()
    return (matrix + matrix.T).tocsr() if undirected else matrix


def levels_of(dense, source):
    """By powers of the adjacency."""
    n, there = len(dense), np.isfinite(dense)
    levels = np.full(n, -1)
    front = np.arange(n) == source
    level = 0
    while front.any():
        levels[front] = level
        front = there[front].any(axis=0) & (levels < 0)
        level += 1
    return levels


def check_parents(dense, source, levels, parents):
    there = np.isfinite(dense)
    for v, parent in enumerate(parents):
        if levels[v] <= 0:
            assert parent == (source if v == source else -1)
        else:
            before = np.flatnonzero(there[:, v] & (levels == levels[v] - 1))
            assert parent == before[0]


@given(graphs(), st.data())
def test_searches(case, data):
    matrix, dense = case
    n = len(dense)
    sources = data.draw(st.lists(st.integers(0, n - 1), max_size=3)) if n else []
    graph = gr.Graph(matrix)
    assert graph.vertices == n
    many = gr.multi_bfs(graph, sources)
    assert many.shape == (len(sources), n) and many.dtype == np.int32
    paths = gr.multi_sssp(graph, sources)
    assert paths.shape == (len(sources), n)
    for source, row, path in zip(sources, many, paths, strict=True):
        levels, parents = gr.bfs(matrix, source)
        np.testing.assert_array_equal(levels, levels_of(dense, source))
        np.testing.assert_array_equal(row, levels)
        check_parents(dense, source, levels, parents)
        distances = dense.copy()
        np.fill_diagonal(distances, 0)
        for k in range(n):  # Floyd and Warshall
            distances = np.minimum(distances, distances[:, k : k + 1] + distances[k])
        np.testing.assert_array_equal(path, distances[source])
        np.testing.assert_array_equal(gr.sssp(graph, source), distances[source])
        np.testing.assert_array_equal(gr.sssp(matrix, source, delta=2), distances[source])


@given(graphs())
def test_components_and_ranks(case):
    matrix, dense = case
    there = np.isfinite(dense)
    found, count = gr.components(matrix)
    expected, labels = csgraph.connected_components(sp.csr_array(there), directed=False)
    assert count == expected == len(set(found.tolist()))
    for v in range(len(dense)):
        assert found[v] == np.flatnonzero(labels == labels[v])[0]
    ranks, steps = gr.pagerank(matrix, damping=0.7, tolerance=1e-13, most_steps=500)
    n = len(dense)
    if n == 0:
        return
    assert 0 < steps < 500
    out = there.sum(axis=1, keepdims=True)
    walk = np.where(out > 0, there / np.maximum(out, 1), 1 / n)
    np.testing.assert_allclose(
        ranks, np.linalg.solve(np.eye(n) - 0.7 * walk.T, np.full(n, 0.3 / n)), rtol=1e-10
    )


def paths_through(dense, sources):
    """Betweenness by the definition: numbers of shortest paths between all pairs."""
    n, there = len(dense), np.isfinite(dense)
    levels = np.array([levels_of(dense, s) for s in range(n)]).reshape(n, n)
    paths = np.zeros((n, n))
    for s in range(n):
        for v in np.argsort(levels[s], kind="stable"):
            if levels[s, v] == 0:
                paths[s, v] = 1
            elif levels[s, v] > 0:
                paths[s, v] = paths[s, there[:, v] & (levels[s] == levels[s, v] - 1)].sum()
    found = np.zeros(n)
    for s, v, t in product(sources, range(n), range(n)):
        on_the_way = levels[s, v] >= 0 <= levels[v, t]
        if v not in (s, t) and on_the_way and levels[s, v] + levels[v, t] == levels[s, t]:
            found[v] += paths[s, v] * paths[v, t] / paths[s, t]
    return found


@given(graphs(), st.data())
def test_betweenness(case, data):
    matrix, dense = case
    n = len(dense)
    np.testing.assert_allclose(gr.betweenness(matrix), paths_through(dense, range(n)), atol=1e-12)
    sources = data.draw(st.lists(st.integers(0, n - 1), max_size=3)) if n else []
    found = gr.betweenness(gr.Graph(matrix), sources)
    np.testing.assert_allclose(found, paths_through(dense, sources), atol=1e-12)


def truss_of(there, k):
    while True:
        support = np.where(there, there.astype(int) @ there, 0)
        kept = there & (support >= k - 2)
        if (kept == there).all():
            return support
        there = kept


@given(graphs(undirected=True), st.integers(3, 5))
def test_undirected_graphs(case, k):
    matrix, dense = case
    n = len(dense)
    there = np.isfinite(dense) & ~np.eye(n, dtype=bool)
    graph = gr.Graph(matrix, weights=False)
    corners = [c for c in combinations(range(n), 3) if there[np.ix_(c, c)].sum() == 6]
    assert gr.triangles(matrix) == len(corners)
    counts = np.bincount(np.array(corners, dtype=int).ravel(), minlength=n)
    np.testing.assert_array_equal(gr.vertex_triangles(graph), counts)

    truss, support = gr.ktruss(matrix, k), truss_of(there, k)
    assert sp.isspmatrix(truss) == sp.isspmatrix(matrix) and truss.format == "csr"
    assert truss.nnz == (support > 0).sum() and truss.indices.dtype == np.int32
    np.testing.assert_array_equal(truss.toarray(), support)

    members = gr.independent_set(graph)
    assert members.dtype == bool and not there[np.ix_(members, members)].any()
    assert (members | there[:, members].any(axis=1)).all()

    colours, count = gr.colouring(graph)
    assert not (there & (colours[:, np.newaxis] == colours)).any()
    assert set(colours.tolist()) == set(range(count))


def test_larger_graphs_against_csgraph(rng):
    directed, undirected = random_graph(rng, 3000, 9000, False), random_graph(rng, 3000, 2500)
    for matrix in (directed, undirected):
        graph = gr.Graph(matrix)
        source = int(rng.integers(3000))
        levels, parents = gr.bfs(graph, source)
        ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
        expected = csgraph.dijkstra(ones, indices=source)
        np.testing.assert_array_equal(np.where(levels < 0, np.inf, levels), expected)
        reached = levels > 0
        np.testing.assert_array_equal(levels[parents[reached]], levels[reached] - 1)
        distances = csgraph.dijkstra(matrix, indices=source)
        np.testing.assert_array_equal(gr.sssp(graph, source), distances)
        assert gr.components(graph)[1] == csgraph.connected_components(matrix, False)[0]
        np.testing.assert_array_equal(gr.multi_bfs(graph, [source, 0])[0], levels)


def test_against_networkx(rng):
    networkx = pytest.importorskip("networkx")
    matrix = random_graph(rng, 120, 500)
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    graph, other = gr.Graph(matrix), networkx.from_scipy_sparse_array(matrix)
    of_vertices = {
        "betweenness_centrality": gr.betweenness(graph),
        "triangles": gr.vertex_triangles(graph),
        "pagerank": gr.pagerank(graph, tolerance=1e-12)[0],
    }
    options = {
        "betweenness_centrality": {"normalized": False},
        "triangles": {},
        "pagerank": {"tol": 1e-14, "weight": None, "max_iter": 500},
    }
    for name, found in of_vertices.items():
        expected = getattr(networkx, name)(other, **options[name])
        scale = 0.5 if name == "betweenness_centrality" else 1.0  # both (s, t) and (t, s)
        np.testing.assert_allclose(scale * found, [expected[v] for v in range(120)], rtol=1e-9)
    truss = networkx.k_truss(other, 4)
    assert gr.ktruss(graph, 4).nnz == 2 * truss.number_of_edges()


def test_errors_name_what_is_wrong():
    directed = sp.csr_array(([1.0, 1, 1], ([0, 1, 2], [1, 0, 3])), shape=(4, 4))
    for function in (gr.triangles, gr.vertex_triangles, gr.independent_set, gr.colouring):
        with pytest.raises(ValueError, match="edge from 2 to 3"):
            function(directed)
    with pytest.raises(ValueError, match="edge from 2 to 3"):
        gr.ktruss(directed, 3)
    for weight in (-1.0, np.nan):
        directed.data[2] = weight
        with pytest.raises(ValueError, match="edge from 2 to 3"):
            gr.sssp(directed, 0)
    with pytest.raises(ValueError, match="k is 2"):
        gr.ktruss(directed, 2)
    with pytest.raises(ValueError, match="damping is 1"):
        gr.pagerank(directed, damping=1)
    for source in (-1, 4):
        with pytest.raises(ValueError, match=str(source)):
            gr.bfs(directed, source)
        with pytest.raises(ValueError, match=str(source)):
            gr.multi_bfs(directed, [0, source])
        with pytest.raises(ValueError, match=str(source)):
            gr.betweenness(directed, [source])
    with pytest.raises(TypeError):
        gr.bfs(directed, 1.5)
    for wrong in ([0.5], 1, [[1]]):
        with pytest.raises(ValueError, match="sources"):
            gr.multi_bfs(directed, wrong)
    with pytest.raises(ValueError, match="2 x 3"):
        gr.components(sp.csr_array((2, 3)))
    with pytest.raises(TypeError):
        gr.components(np.ones((2, 2)))
    with pytest.raises(ValueError, match="column 7"):
        gr.components(broken())


def broken():
    """A matrix whose only edge ends outside."""
    matrix = sp.csr_array(([1.0], ([0], [1])), shape=(2, 2))
    matrix.indices[0] = 7
    return matrix


def test_weights():
    matrix = sp.csr_array(([3 + 4j], ([0], [1])), shape=(2, 2))
    assert gr.components(matrix)[1] == 1  # its values are not read
    assert gr.components(gr.Graph(matrix, weights=False))[1] == 1
    for complex_weights in (lambda: gr.sssp(matrix, 0), lambda: gr.Graph(matrix)):
        with pytest.raises(NotImplementedError, match="complex"):
            complex_weights()
    with pytest.raises(ValueError, match="no weights"):
        gr.sssp(gr.Graph(matrix, weights=False), 0)


def test_graphs_of_torch(rng):
    torch = pytest.importorskip("torch")
    matrix = random_graph(rng, 60, 200)
    parts = [torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data)]
    tensor = torch.sparse_csr_tensor(*parts, size=matrix.shape)
    np.testing.assert_array_equal(gr.sssp(tensor, 3), gr.sssp(matrix, 3))
    assert gr.triangles(tensor.to_sparse_coo()) == gr.triangles(matrix)
    truss = gr.ktruss(tensor, 3)
    assert str(truss.layout) == "torch.sparse_csr"
    np.testing.assert_array_equal(truss.to_dense().numpy(), gr.ktruss(matrix, 3).toarray())


def test_contexts_and_budgets(rng):
    matrix = random_graph(rng, 500, 1500).tocsc()
    small, graph = spl.Context(threads=1, memory_budget=1000), gr.Graph(matrix)
    with pytest.raises(MemoryError):
        gr.components(matrix, context=small)
    with pytest.raises(ValueError, match="context"):
        gr.components(graph, context=small)
    one, two = spl.Context(threads=1), spl.Context(threads=2)
    live = one.memory().live
    for function in (gr.betweenness, gr.colouring, gr.pagerank):
        first, second = function(matrix, context=one), function(matrix, context=two)
        np.testing.assert_array_equal(first[0], second[0])
    held = gr.Graph(matrix, context=one)
    assert one.memory().live > live
    del held
    gc.collect()
    assert one.memory().live == live


def test_graphs_keep_their_matrix(rng):
    matrix = random_graph(rng, 5000, 9000)
    expected, graph = gr.bfs(matrix, 0), gr.Graph(matrix.copy())
    gc.collect()
    garbage = [np.full(matrix.nnz, -1, np.int32) for _ in range(20)]
    for found, wanted in zip(gr.bfs(graph, 0), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert len(garbage) == 20


@pytest.fixture(scope="module")
def large():
    """A graph whose betweenness takes minutes."""
    return gr.Graph(random_graph(np.random.default_rng(1), 30_000, 300_000))


def test_ctrl_c_and_progress(large):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    begin = time.monotonic()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            gr.betweenness(large)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 5
    seen = []

    def stop(stage, done, total):
        seen.append(stage)
        if len(seen) == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        gr.betweenness(large, progress=stop)
    assert seen == 3 * ["betweenness"]
    assert gr.components(large)[1] > 0  # it serves further calls


def test_one_graph_serves_one_thread_at_a_time(large):
    inside, answers = threading.Event(), []

    def stop(*_):
        inside.set()
        if answers:
            raise LookupError

    def work():
        with pytest.raises(LookupError):
            gr.betweenness(large, progress=stop)

    thread = threading.Thread(target=work)
    thread.start()
    assert inside.wait(30)
    with pytest.raises(RuntimeError, match="in use by another thread"):
        answers.append(gr.components(large))
    answers.append(None)
    thread.join()
    assert answers == [None]


def test_a_search_of_its_own_is_that_of_a_graph(rng, random_csr):
    core = spl.default_context()._core
    for n in (1, 30, 300):
        A = random_csr(n, n)
        found = spl._core.plain_bfs(core, A, 0)
        for mine, other in zip(found, spl.graph.bfs(spl.graph.Graph(A), 0)):
            assert mine.dtype == np.int32
            np.testing.assert_array_equal(mine, other)
    assert spl._core.plain_bfs(core, A.astype(bool), 0) is None
    for graph in (A, A.astype(bool)):
        with pytest.raises(ValueError, match="source is 300"):
            spl.graph.bfs(graph, 300)
    with pytest.raises(ValueError, match="300 x 20"):
        spl.graph.bfs(random_csr(300, 20), 0)


def test_small_graphs_have_one_thread():
    few, many = spl._graphs.core_for(None, 1000), spl._graphs.core_for(None, 10**6)
    assert few.processors()[0]["threads"] == 1
    assert many is spl.default_context()._core
    with spl.Context(threads=2) as context:
        assert spl._graphs.core_for(None, 1000) is context._core
    assert spl._graphs.core_for(context, 1000) is context._core
