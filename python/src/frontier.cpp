// SPDX-License-Identifier: Apache-2.0
// frontier.cpp: plans of products with sparse vectors. Arrays come from sparloom/_frontiers.py.
#include "matrix.h"
#include "operand.h"
#include "products.h"

#include <vector>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

const char *const NAME = "the plan";

int64_t index_at(const void *array, spl_index type, int64_t i)
{
    return type == SPL_I64 ? static_cast<const int64_t *>(array)[i]
                           : static_cast<const int32_t *>(array)[i];
}

// Entries of each column of op(A): the products of an entry of x.
std::vector<int64_t> lengths_of(const spl_sparse &a, bool transposed)
{
    std::vector<int64_t> lengths(static_cast<size_t>(transposed ? a.rows : a.cols));
    const bool by_lines = a.format != SPL_COO && (a.format == SPL_CSR) == transposed;
    const void *const array = a.format == SPL_COO && transposed ? a.offsets : a.indices;
    if (by_lines)
        for (size_t j = 0; j < lengths.size(); j++) {
            const auto line = static_cast<int64_t>(j);
            lengths[j] = index_at(a.offsets, a.offset_type, line + 1) -
                         index_at(a.offsets, a.offset_type, line);
        }
    else
        for (int64_t p = 0; p < a.nnz; p++)
            lengths[static_cast<size_t>(index_at(array, a.index_type, p))]++;
    return lengths;
}

class frontier_plan
{
  public:
    frontier_plan(const context &c, nb::handle a_parts, int64_t vectors, nb::handle dict,
                  nb::handle progress)
        : owner(c.owner)
    {
        options.take(dict, owner->context);
        a = std::make_unique<sparse_operand>();
        a->take(a_parts, "A");
        transposed = options.options.op_a != SPL_NONE;
        call(progress, [&] {
            return spl_frontier_plan(owner->context, &a->view, vectors, &options.options, &made);
        });
        lengths = lengths_of(a->view, transposed);
    }
    ~frontier_plan()
    {
        spl_plan_destroy(made);
    }

    nb::tuple execute(nb::handle indices, nb::handle values, nb::handle offsets, nb::handle into,
                      nb::handle row_mask, nb::handle progress);
    void update(nb::handle a_parts);
    nb::str explain();
    nb::tuple shape() const
    {
        return nb::make_tuple(rows(), static_cast<int64_t>(lengths.size()));
    }

  private:
    int64_t rows() const
    {
        return transposed ? a->view.cols : a->view.rows;
    }
    int64_t most_entries(const spl_frontier &x, int64_t vectors) const;
    void check_vector(const array_view &view, const char *name, bool fits) const;

    context_pointer owner;
    product_options options;
    std::unique_ptr<sparse_operand> a;
    bool transposed = false;
    std::vector<int64_t> lengths;
    spl_plan *made = nullptr;
    std::atomic<bool> busy{false};
};

// One for each product, or for each element if they are fewer. What x has wrong the library says.
int64_t frontier_plan::most_entries(const spl_frontier &x, int64_t vectors) const
{
    const auto inner = static_cast<int64_t>(lengths.size());
    const double elements = static_cast<double>(vectors) * static_cast<double>(rows());
    int64_t products = 0;
    for (int64_t q = 0; q < x.count; q++) {
        const int64_t j = index_at(x.indices, a->view.index_type, q);
        products += j >= 0 && j < inner ? lengths[static_cast<size_t>(j)] : 0;
    }
    return elements < static_cast<double>(products) ? static_cast<int64_t>(elements) : products;
}

void frontier_plan::check_vector(const array_view &view, const char *name, bool fits) const
{
    if (fits && view.place().kind == SPL_HOST && view.is_contiguous_vector())
        return;
    PyErr_Format(PyExc_ValueError, "%s: not the array that the plan needs", name);
    throw nb::python_error();
}

// Entries of y, and its arrays, which have more room: (count, indices, values, offsets).
nb::tuple frontier_plan::execute(nb::handle indices, nb::handle values, nb::handle offsets,
                                 nb::handle into, nb::handle row_mask, nb::handle progress)
{
    const claim claimed(busy, NAME);
    array_view of_indices, of_values, of_offsets, of_into, y_indices, y_values, y_offsets;
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
    const spl_type type = a->view.type;
    const bool wide = a->view.index_type == SPL_I64;
    of_indices.take(indices, "x");
    check_vector(of_indices, "x's indices", of_indices.known_index() == a->view.index_type);
    x.count = of_indices.length();
    x.indices = of_indices.data();
    if (!values.is_none()) {
        of_values.take(values, "x");
        check_vector(of_values, "x's values",
                     of_values.known_type() == type && of_values.length() == x.count);
        x.values = of_values.data();
    }
    x.vectors = 1;
    nb::object found[3];
    if (!offsets.is_none()) {
        of_offsets.take(offsets, "x");
        check_vector(of_offsets, "x's offsets",
                     of_offsets.known_index() == SPL_I64 && of_offsets.length() > 0);
        x.vectors = of_offsets.length() - 1;
        x.offsets = static_cast<int64_t *>(of_offsets.data());
        found[2] = new_array(nb::int_(x.vectors + 1), SPL_INT64);
    } else
        found[2] = nb::none();
    if (!into.is_none()) {
        of_into.take(into, "into", true);
        check_vector(of_into, "into",
                     of_into.known_type() == type && of_into.length() == x.vectors * rows());
    }
    const row_mask_argument mask(row_mask, x.vectors * rows());
    y.vectors = x.vectors;
    y.capacity = most_entries(x, x.vectors);
    found[0] = new_array(nb::int_(y.capacity), wide ? SPL_INT64 : SPL_INT32);
    found[1] = new_array(nb::int_(y.capacity), type);
    if (!found[0] || !found[1] || !found[2])
        throw nb::python_error();
    y_indices.take(found[0], "y", true);
    y_values.take(found[1], "y", true);
    y.indices = y_indices.data();
    y.values = y_values.data();
    if (x.offsets) {
        y_offsets.take(found[2], "y", true);
        y.offsets = static_cast<int64_t *>(y_offsets.data());
    }
    call(progress, [&] {
        return spl_frontier_execute(made, &x, into.is_none() ? nullptr : of_into.data(),
                                    mask.pointer(), &y);
    });
    return nb::make_tuple(y.count, found[0], found[1], found[2]);
}

void frontier_plan::update(nb::handle a_parts)
{
    const claim claimed(busy, NAME);
    auto taken = std::make_unique<sparse_operand>();
    taken->take(a_parts, "A");
    call(nb::none(),
         [&] { return spl_plan_update_values(made, &taken->view, nullptr, nullptr, nullptr); });
    std::swap(a, taken);
}

nb::str frontier_plan::explain()
{
    const claim claimed(busy, NAME);
    return explanation_of(made);
}

} // namespace

void bind_frontiers(nb::module_ &m)
{
    const auto none = [] { return nb::arg().none(); };
    nb::class_<frontier_plan>(m, "FrontierPlan")
        .def(nb::init<const context &, nb::handle, int64_t, nb::handle, nb::handle>(), nb::arg(),
             nb::arg(), nb::arg(), none(), none())
        .def("execute", &frontier_plan::execute, nb::arg(), none(), none(), none(), none(), none())
        .def("update", &frontier_plan::update)
        .def("explain", &frontier_plan::explain)
        .def_prop_ro("shape", &frontier_plan::shape);
}

} // namespace sparloom
