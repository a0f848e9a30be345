// SPDX-License-Identifier: Apache-2.0
// scipy_products.cpp: products of the arrays that SciPy's sparse classes consist of, for
// sparloom.scipy. A function answers
//   an array (or several)   the product
//   False                   types or layouts differ: convert and ask again
//   None                    SciPy is to compute this one: too small, not supported, or failed here
// What is wrong with a product, SciPy says in its own words.
#include "kept_plans.h"
#include "matrix.h"
#include "operand.h"
#include "products.h"
#include "stored_zeros.h"

#include <chrono>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

// As in sparloom/scipy.py.
enum kind {
    CSR_VECTOR,
    SHORT_ROWS_VECTOR, // CSR with less than LONG_ROW entries a row
    CSC_VECTOR,
    COO_VECTOR,
    CSR_DENSE,
    CSC_DENSE,
    COO_DENSE,
    SPARSE,
    INTEGERS_VECTOR, // in addition to what their format needs
    INTEGERS_DENSE,
    KINDS
};

std::atomic<int64_t> computed, delegated, nanoseconds;
std::atomic<bool> frozen;              // matrices do not change in place
std::atomic<double> least_work[KINDS]; // multiplications from which on a product is ours

// Who began the outermost accelerate() has chosen it. None: nothing is computed.
context_pointer shared;

// Calls the library without the GIL. Raises only what Python itself has, such as
// KeyboardInterrupt.
template <class function> spl_status attempt(function f)
{
    spl_status status;
    {
        running_call running{nb::none()};
        nb::gil_scoped_release unlocked;
        status = f();
    }
    if (PyErr_Occurred())
        throw nb::python_error();
    return status;
}

nb::object delegate()
{
    delegated++;
    return nb::none();
}

nb::object convert_first()
{
    return nb::bool_(false);
}

// Measures a product, from its beginning to its result.
class stopwatch
{
  public:
    nb::object count(nb::object result)
    {
        const auto passed = std::chrono::steady_clock::now() - start;
        nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count();
        computed++;
        return result;
    }

  private:
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

bool too_small(kind k, double work)
{
    return work < least_work[k].load(std::memory_order_relaxed);
}

// Of integers, which the library multiplies row by row only.
bool too_small_for_integers(kind k, spl_type type, double work)
{
    return (type == SPL_INT32 || type == SPL_INT64) && too_small(k, work);
}

// `entries` and `offsets`: lengths of arrays, before they are looked into.
kind kind_of_vector_product(int format, int64_t entries, int64_t offsets)
{
    const bool is_short = entries / LONG_ROW < offsets;
    return format == SPL_CSC   ? CSC_VECTOR
           : format == SPL_COO ? COO_VECTOR
           : is_short          ? SHORT_ROWS_VECTOR
                               : CSR_VECTOR;
}

// SciPy's products need no plan. Who asks for all products gets them at once.
bool is_early(kind k, const kept_plan *kept)
{
    return kept && kept->uses <= FEW_USES && least_work[k] > 0;
}

spl_status multiply_vector(const context_pointer &context, kept_plan *kept, const spl_sparse &a,
                           const void *x, void *y)
{
    if (!kept)
        return spl_spmv(context->context, nullptr, &a, x, nullptr, y, nullptr);
    const spl_status status = make_plan(kept);
    return status == SPL_OK ? spl_spmv_execute(kept->plan, nullptr, x, nullptr, y, nullptr)
                            : status;
}

// y = A*x. `first`, `second`: offsets and indices, or rows and columns of COO.
nb::object vector_product(int format, nb::handle shape, nb::handle first, nb::handle second,
                          nb::handle numbers, nb::handle vector)
{
    stopwatch watch;
    const int64_t entries = PyObject_Size(numbers.ptr());
    const kind k = kind_of_vector_product(format, entries, PyObject_Size(first.ptr()));
    if (too_small(k, static_cast<double>(entries)))
        return delegate();
    sparse_operand a;
    array_view x, y;
    const fit fits = a.try_take(static_cast<spl_format>(format), shape, first, second, numbers);
    if (fits == fit::NONE)
        return delegate();
    if (fits == fit::CONVERT || !x.try_take(vector) || !x.is_contiguous_vector() ||
        x.known_type() != a.view.type)
        return convert_first();
    if (x.length() != a.view.cols || a.view.rows == 0 ||
        too_small_for_integers(INTEGERS_VECTOR, a.view.type, static_cast<double>(a.view.nnz)))
        return delegate();
    const context_pointer context = std::atomic_load(&shared);
    if (!context)
        return delegate();
    const acquired_plan kept(format == SPL_COO ? nullptr : acquire_plan(context, a.view));
    if (is_early(k, kept.plan))
        return delegate();
    nb::object result = new_array(PyTuple_GetItem(shape.ptr(), 0), a.view.type);
    if (!result.is_valid() || !y.try_take(result)) {
        PyErr_Clear();
        return delegate();
    }
    if (kept.plan && frozen)
        freeze_plan(kept.plan, first, second, numbers);
    const spl_status status =
        attempt([&] { return multiply_vector(context, kept.plan, a.view, x.data(), y.data()); });
    return status == SPL_OK ? watch.count(result) : delegate();
}

// The library's view of a dense matrix. False: its elements have other gaps than between lines.
bool dense_view(const array_view &x, spl_dense *view)
{
    view->type = x.known_type();
    view->rows = x.length(0);
    view->cols = x.length(1);
    view->values = x.data();
    const bool by_rows = x.stride(1) == 1 || view->cols == 1;
    view->order = by_rows ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    view->ld = x.stride(by_rows ? 0 : 1);
    return (by_rows || x.stride(0) == 1) && view->ld >= (by_rows ? view->cols : view->rows);
}

// A new array for rows x cols elements, and the library's view of it. Not valid: no memory.
nb::object new_dense(int64_t rows, int64_t cols, spl_type type, bool by_columns, array_view *c,
                     spl_dense *view)
{
    const int64_t lines = by_columns ? cols : rows, line = by_columns ? rows : cols;
    const nb::object size = nb::make_tuple(lines, line);
    nb::object result = new_array(size, type);
    if (!result.is_valid() || !c->try_take(result)) {
        PyErr_Clear();
        return nb::object();
    }
    view->type = type;
    view->order = by_columns ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    view->rows = rows;
    view->cols = cols;
    view->ld = line;
    view->values = c->data();
    return result;
}

// C = A*B for a dense B. C is row major, or column major if SciPy makes it so.
nb::object dense_product(int format, nb::handle shape, nb::handle first, nb::handle second,
                         nb::handle numbers, nb::handle dense, bool by_columns)
{
    stopwatch watch;
    const kind k = format == SPL_CSR ? CSR_DENSE : format == SPL_CSC ? CSC_DENSE : COO_DENSE;
    sparse_operand a;
    array_view b, c;
    const fit fits = a.try_take(static_cast<spl_format>(format), shape, first, second, numbers);
    if (fits == fit::NONE)
        return delegate();
    if (fits == fit::CONVERT || !b.try_take(dense))
        return convert_first();
    if (b.dimensions() != 2 || b.length() != a.view.cols || b.length(1) == 0 || a.view.rows == 0 ||
        a.view.cols == 0)
        return delegate();
    const double work = static_cast<double>(a.view.nnz) * static_cast<double>(b.length(1));
    if (too_small(k, work) || too_small_for_integers(INTEGERS_DENSE, a.view.type, work))
        return delegate();
    spl_dense b_view = SPL_DENSE_INIT, c_view = SPL_DENSE_INIT;
    if (b.known_type() != a.view.type || !dense_view(b, &b_view))
        return convert_first();
    nb::object result = new_dense(a.view.rows, b_view.cols, a.view.type, by_columns, &c, &c_view);
    if (!result.is_valid())
        return delegate();
    const context_pointer context = std::atomic_load(&shared);
    if (!context)
        return delegate();
    spl_options options = SPL_OPTIONS_INIT;
    options.threads = threads_for_dense(a.view, b_view.cols);
    const spl_status status = attempt([&] {
        return spl_spmm(context->context, nullptr, &a.view, &b_view, nullptr, &c_view, &options);
    });
    if (status != SPL_OK)
        return delegate();
    return watch.count(by_columns ? nb::object(result.attr("T")) : result);
}

// ------------------------------------------------------------------------------ sparse products

// C = A*B, all in CSR: three arrays each, and shapes. Answers how many entries C has before zeros
// are dropped, and its offsets, indices and values. Columns ascend.
nb::object sparse_product(nb::handle a_shape, nb::handle a_offsets, nb::handle a_indices,
                          nb::handle a_values, nb::handle b_shape, nb::handle b_offsets,
                          nb::handle b_indices, nb::handle b_values)
{
    stopwatch watch;
    sparse_operand a, b;
    const fit fits[] = {a.try_take(SPL_CSR, a_shape, a_offsets, a_indices, a_values),
                        b.try_take(SPL_CSR, b_shape, b_offsets, b_indices, b_values)};
    if (fits[0] == fit::NONE || fits[1] == fit::NONE)
        return delegate();
    if (fits[0] == fit::CONVERT || fits[1] == fit::CONVERT || a.view.type != b.view.type)
        return convert_first();
    const context_pointer context = std::atomic_load(&shared);
    if (!context)
        return delegate();
    spl_options options = SPL_OPTIONS_INIT;
    options.threads = threads_for_sparse(a.view, b.view);
    spl_matrix *c = nullptr;
    spl_sparse view = SPL_SPARSE_INIT;
    const spl_status status = attempt([&] {
        const spl_status made =
            spl_spgemm(context->context, nullptr, &a.view, &b.view, nullptr, nullptr, &options, &c);
        if (made != SPL_OK)
            return made;
        spl_matrix_view(c, &view);
        return drop_zeros(context->context, &c);
    });
    if (status != SPL_OK)
        return delegate();
    const nb::tuple arrays = arrays_of(context, c);
    return watch.count(nb::make_tuple(view.nnz, arrays[3], arrays[4], arrays[5]));
}

} // namespace

void bind_scipy_products(nb::module_ &parent)
{
    nb::module_ m = parent.def_submodule("scipy_products");
    m.def("vector_product", &vector_product);
    m.def("dense_product", &dense_product, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg(), nb::arg("by_columns") = false);
    m.def("sparse_product", &sparse_product);
    m.def("delegate", [] { delegated++; });
    m.def("counts", [] {
        return nb::make_tuple(computed.load(), delegated.load(),
                              static_cast<double>(nanoseconds.load()) * 1e-9);
    });
    m.def("least_work", [](int kind) { return least_work[kind].load(); });
    m.def("set_least_work", [](int kind, double work) { least_work[kind] = work; });
    m.def("set_frozen", [](bool are) {
        if (frozen.exchange(are) && !are)
            forget_plans();
    });
    m.def("begin", [](const context &c) { std::atomic_store(&shared, c.owner); });
    m.def("end", [] {
        forget_plans();
        std::atomic_store(&shared, context_pointer());
    });
}

} // namespace sparloom
