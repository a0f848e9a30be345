// SPDX-License-Identifier: Apache-2.0
// graph.cpp: algorithms on graphs. Results are written to arrays that sparloom/graph.py makes.
#include "matrix.h"
#include "operand.h"
#include "products.h"

#include <sparloom/graph.h>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

bool holds(const array_view &view, int64_t)
{
    return view.known_index() == SPL_I64;
}
bool holds(const array_view &view, int32_t)
{
    return view.known_index() == SPL_I32;
}
bool holds(const array_view &view, double)
{
    return view.known_type() == SPL_F64;
}

// The memory of an array of NumPy with `length` elements; any number of them for -1.
template <class number>
number *memory_of(array_view &view, nb::handle array, int64_t length, bool write = true)
{
    view.take(array, "array of vertices", write);
    if (view.place().kind != SPL_HOST || !view.is_contiguous_vector() || !holds(view, number()) ||
        (length >= 0 && view.length() != length)) {
        PyErr_SetString(PyExc_ValueError, "array of vertices: not what graph.py makes");
        throw nb::python_error();
    }
    return static_cast<number *>(view.data());
}

const char *const NAME = "the graph";

class graph
{
  public:
    graph(const context &c, nb::handle parts, nb::handle progress) : owner(c.owner)
    {
        edges.take(parts, "edges");
        call(progress, [&] { return spl_graph_create(owner->context, &edges.view, &made); });
    }
    ~graph()
    {
        spl_graph_destroy(made);
    }

    int64_t vertices() const
    {
        return edges.view.rows;
    }
    void bfs(int64_t source, nb::handle levels, nb::handle parents, nb::handle progress);
    void multi_bfs(nb::handle sources, nb::handle levels, nb::handle progress);
    int64_t components(nb::handle components, nb::handle progress);
    int32_t pagerank(double damping, double tolerance, int32_t most_steps, nb::handle ranks,
                     nb::handle progress);
    // The tree of the paths, too, unless predecessors are None.
    void sssp(int64_t source, double delta, nb::handle distances, nb::handle predecessors,
              nb::handle progress);
    void multi_sssp(nb::handle sources, double delta, nb::handle distances, nb::handle progress);
    void vertex_triangles(nb::handle triangles, nb::handle progress);
    nb::tuple ktruss(int64_t k, nb::handle progress);
    int64_t independent_set(nb::handle members, nb::handle progress);
    int32_t colouring(nb::handle colours, nb::handle progress);
    void betweenness(nb::handle sources, nb::handle betweenness, nb::handle progress);

  private:
    // Calls f(array's memory): an algorithm whose result is a number for each vertex.
    template <class number, class function>
    void run(nb::handle array, nb::handle progress, function f)
    {
        const claim claimed(busy, NAME);
        array_view view;
        number *const memory = memory_of<number>(view, array, vertices());
        call(progress, [&] { return f(memory); });
    }

    context_pointer owner;
    sparse_operand edges; // the library reads its arrays
    spl_graph *made = nullptr;
    std::atomic<bool> busy{false};
};

void graph::bfs(int64_t source, nb::handle levels_array, nb::handle parents_array,
                nb::handle progress)
{
    array_view view;
    int32_t *const parents = memory_of<int32_t>(view, parents_array, vertices());
    run<int32_t>(levels_array, progress,
                 [&](int32_t *levels) { return spl_graph_bfs(made, source, levels, parents); });
}

// The levels of all sources stand one after another in an array of one dimension.
void graph::multi_bfs(nb::handle sources_array, nb::handle levels_array, nb::handle progress)
{
    const claim claimed(busy, NAME);
    array_view sources_view, view;
    const int64_t *const sources = memory_of<int64_t>(sources_view, sources_array, -1, false);
    const int64_t count = sources_view.length();
    int32_t *const levels = memory_of<int32_t>(view, levels_array, count * vertices());
    call(progress, [&] { return spl_graph_multi_bfs(made, sources, count, levels); });
}

int64_t graph::components(nb::handle array, nb::handle progress)
{
    int64_t count = 0;
    run<int32_t>(array, progress,
                 [&](int32_t *found) { return spl_graph_components(made, found, &count); });
    return count;
}

int32_t graph::pagerank(double damping, double tolerance, int32_t most_steps, nb::handle array,
                        nb::handle progress)
{
    int32_t steps = 0;
    run<double>(array, progress, [&](double *ranks) {
        return spl_graph_pagerank(made, damping, tolerance, most_steps, ranks, &steps);
    });
    return steps;
}

void graph::sssp(int64_t source, double delta, nb::handle array, nb::handle predecessors,
                 nb::handle progress)
{
    array_view view;
    int32_t *const tree =
        predecessors.is_none() ? nullptr : memory_of<int32_t>(view, predecessors, vertices());
    run<double>(array, progress, [&](double *distances) {
        return tree ? spl_graph_sssp_tree(made, source, delta, distances, tree)
                    : spl_graph_sssp(made, source, delta, distances);
    });
}

// As those of multi_bfs.
void graph::multi_sssp(nb::handle sources_array, double delta, nb::handle distances_array,
                       nb::handle progress)
{
    const claim claimed(busy, NAME);
    array_view sources_view, view;
    const int64_t *const sources = memory_of<int64_t>(sources_view, sources_array, -1, false);
    const int64_t count = sources_view.length();
    double *const distances = memory_of<double>(view, distances_array, count * vertices());
    call(progress, [&] { return spl_graph_multi_sssp(made, sources, count, delta, distances); });
}

void graph::vertex_triangles(nb::handle array, nb::handle progress)
{
    run<int64_t>(array, progress,
                 [&](int64_t *found) { return spl_graph_vertex_triangles(made, found); });
}

nb::tuple graph::ktruss(int64_t k, nb::handle progress)
{
    const claim claimed(busy, NAME);
    spl_matrix *truss = nullptr;
    call(progress, [&] { return spl_graph_ktruss(made, k, &truss); });
    return arrays_of(owner, truss);
}

int64_t graph::independent_set(nb::handle array, nb::handle progress)
{
    int64_t count = 0;
    run<int32_t>(array, progress, [&](int32_t *members) {
        return spl_graph_independent_set(made, members, &count);
    });
    return count;
}

int32_t graph::colouring(nb::handle array, nb::handle progress)
{
    int32_t count = 0;
    run<int32_t>(array, progress,
                 [&](int32_t *colours) { return spl_graph_colouring(made, colours, &count); });
    return count;
}

// Sources: None means all vertices.
void graph::betweenness(nb::handle sources_array, nb::handle array, nb::handle progress)
{
    array_view view;
    const int64_t *const sources =
        sources_array.is_none() ? nullptr : memory_of<int64_t>(view, sources_array, -1, false);
    const int64_t count = sources ? view.length() : 0;
    run<double>(array, progress,
                [&](double *found) { return spl_graph_betweenness(made, sources, count, found); });
}

// Levels and parents of a graph that is one of SciPy's CSR matrices, for one search only. None: it
// is no such matrix.
nb::object plain_bfs(const context &c, nb::handle matrix, int64_t source)
{
    sparse_operand edges;
    array_view levels, parents;
    if (take_plain(edges, SPL_CSR, matrix) != fit::GOOD)
        return nb::none();
    edges.view.values = nullptr; // a pattern
    const nb::object size = nb::int_(edges.view.rows);
    const nb::object found[] = {new_array(size, SPL_INT32), new_array(size, SPL_INT32)};
    if (!found[0] || !found[1])
        throw nb::python_error();
    int32_t *const of_levels = memory_of<int32_t>(levels, found[0], edges.view.rows),
                   *const of_parents = memory_of<int32_t>(parents, found[1], edges.view.rows);
    call(nb::none(), [&] {
        spl_graph *made;
        spl_status status = spl_graph_create(c.owner->context, &edges.view, &made);
        if (status == SPL_OK) {
            status = spl_graph_bfs(made, source, of_levels, of_parents);
            spl_graph_destroy(made);
        }
        return status;
    });
    return nb::make_tuple(found[0], found[1]);
}

} // namespace

void bind_graphs(nb::module_ &m)
{
    const auto none = [] { return nb::arg().none(); };
    m.def("plain_bfs", &plain_bfs);
    nb::class_<graph>(m, "Graph")
        .def(nb::init<const context &, nb::handle, nb::handle>(), nb::arg(), nb::arg(), none())
        .def_prop_ro("vertices", &graph::vertices)
        .def("bfs", &graph::bfs, nb::arg(), nb::arg(), nb::arg(), none())
        .def("multi_bfs", &graph::multi_bfs, nb::arg(), nb::arg(), none())
        .def("components", &graph::components, nb::arg(), none())
        .def("pagerank", &graph::pagerank, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none())
        .def("sssp", &graph::sssp, nb::arg(), nb::arg(), nb::arg(), none(), none())
        .def("multi_sssp", &graph::multi_sssp, nb::arg(), nb::arg(), nb::arg(), none())
        .def("vertex_triangles", &graph::vertex_triangles, nb::arg(), none())
        .def("ktruss", &graph::ktruss, nb::arg(), none())
        .def("independent_set", &graph::independent_set, nb::arg(), none())
        .def("colouring", &graph::colouring, nb::arg(), none())
        .def("betweenness", &graph::betweenness, none(), nb::arg(), none());
}

} // namespace sparloom
