// SPDX-License-Identifier: Apache-2.0
// products.cpp: one-shot products.
#include "products.h"

#include "matrix.h"
#include "operand.h"
#include "stored_zeros.h"

namespace nb = nanobind;

namespace sparloom
{
namespace
{

[[noreturn]] void fail(const char *name, int64_t has, int64_t needs)
{
    PyErr_Format(PyExc_ValueError, "%s has %lld elements, but the product needs %lld", name,
                 static_cast<long long>(has), static_cast<long long>(needs));
    throw nb::python_error();
}

void check_type(spl_type type, spl_type other, const char *name)
{
    if (type == other)
        return;
    PyErr_Format(PyExc_TypeError, "%s and A differ in the type of their values", name);
    throw nb::python_error();
}

} // namespace

void take_vector(array_view &vector, nb::handle array, const char *name, const spl_sparse &a,
                 int64_t length, bool write)
{
    vector.take(array, name, write);
    if (!vector.is_contiguous_vector()) {
        PyErr_Format(PyExc_ValueError, "%s must be a contiguous vector", name);
        throw nb::python_error();
    }
    check_type(vector.type(), a.type, name);
    if (vector.length() != length)
        fail(name, vector.length(), length);
    const spl_place place = vector.place();
    if (length > 0 && (place.kind != a.place.kind || place.ordinal != a.place.ordinal)) {
        PyErr_Format(PyExc_ValueError, "%s and A live in different places", name);
        throw nb::python_error();
    }
}

namespace
{

void spmv(const context &c, nb::handle a_parts, nb::handle x_array, nb::handle y_array,
          nb::handle alpha, nb::handle beta, nb::handle dict, nb::handle stream,
          nb::handle progress)
{
    sparse_operand a;
    array_view x, y;
    product_options options;
    options.take(dict, c.owner->context);
    a.take(a_parts, "A");
    const bool across = options.options.op_a != SPL_NONE;
    take_vector(x, x_array, "x", a.view, across ? a.view.rows : a.view.cols, false);
    take_vector(y, y_array, "out", a.view, across ? a.view.cols : a.view.rows, true);
    options.set_threads(threads_for_vector(a.view));
    const scalars s(a.view.type, alpha, beta);
    const stream_argument order(a.view.place, stream);
    call(progress, [&] {
        return spl_spmv(c.owner->context, s.alpha(), &a.view, x.data(), s.beta(), y.data(),
                        options.pointer());
    });
}

void spmm(const context &c, nb::handle a_parts, nb::handle b_array, nb::handle c_array,
          nb::handle alpha, nb::handle beta, nb::handle dict, nb::handle progress)
{
    sparse_operand a;
    dense_operand b, out;
    product_options options;
    options.take(dict, c.owner->context);
    a.take(a_parts, "A");
    b.take(b_array, "B");
    out.take(c_array, "out", true);
    check_type(b.view.type, a.view.type, "B");
    check_type(out.view.type, a.view.type, "out");
    options.set_threads(threads_for_dense(a.view, b.view.cols));
    const scalars s(a.view.type, alpha, beta);
    call(progress, [&] {
        return spl_spmm(c.owner->context, s.alpha(), &a.view, &b.view, s.beta(), &out.view,
                        options.pointer());
    });
}

nb::tuple spgemm(const context &c, nb::handle a_parts, nb::handle b_parts, nb::handle d_parts,
                 nb::handle alpha, nb::handle beta, bool drops_zeros, nb::handle dict,
                 nb::handle progress)
{
    sparse_operand a, b, d;
    product_options options;
    options.take(dict, c.owner->context);
    a.take(a_parts, "A");
    b.take(b_parts, "B");
    if (!d_parts.is_none())
        d.take(d_parts, "D");
    options.set_threads(threads_for_sparse(a.view, b.view));
    const scalars s(a.view.type, alpha, beta);
    spl_matrix *product = nullptr;
    call(progress, [&] {
        const spl_status status =
            spl_spgemm(c.owner->context, s.alpha(), &a.view, &b.view, s.beta(),
                       d_parts.is_none() ? nullptr : &d.view, options.pointer(), &product);
        return status == SPL_OK && drops_zeros ? drop_zeros(c.owner->context, &product) : status;
    });
    return arrays_of(c.owner, product);
}

// The library's view of a matrix by rows, or of a vector as one column; of the transpose if
// `turned`. False: it lies otherwise.
bool view_rows(const array_view &x, bool turned, spl_dense *view)
{
    const bool vector = x.dimensions() == 1;
    if (x.dimensions() == 0 || x.length() == 0 || (!vector && x.length(1) == 0))
        return false;
    const int64_t lines = x.length(), line = vector ? 1 : x.length(1);
    view->type = x.known_type();
    view->order = turned && !vector ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    view->rows = turned && !vector ? line : lines;
    view->cols = turned && !vector ? lines : line;
    view->ld = vector ? 1 : x.stride(0);
    view->values = x.data();
    return vector ? x.is_contiguous_vector() : (x.stride(1) == 1 || line == 1) && view->ld >= line;
}

spl_status multiply_plainly(spl_context *context, const spl_sparse &a, bool across,
                            const spl_dense &x, const spl_dense &y, bool vector)
{
    product_options options;
    options.options.op_a = across ? SPL_TRANSPOSE : SPL_NONE;
    options.set_threads(vector ? threads_for_vector(a) : threads_for_dense(a, x.cols));
    const spl_options *o = across ? &options.options : options.pointer();
    return vector ? spl_spmv(context, nullptr, &a, x.values, nullptr, y.values, o)
                  : spl_spmm(context, nullptr, &a, &x, nullptr, &y, o);
}

// op(A)*B of a CSR or CSC matrix of SciPy and an array of NumPy, with nothing else said: in a tenth
// of the time that it takes to look at all that may be said. `turned`: (op(A)*B')', which is
// B*op(A)'. None: types, shapes or layouts are not as plain; who wants the product, or to know what
// is wrong, asks spmv or spmm.
nb::object plain_product(const context &c, int format, bool across, nb::handle matrix,
                         nb::handle array, bool turned)
{
    sparse_operand a;
    array_view b, result_view;
    spl_dense x = SPL_DENSE_INIT, y = SPL_DENSE_INIT;
    if (take_plain(a, format, matrix) != fit::GOOD || !b.try_take(array) ||
        b.known_type() != a.view.type || !view_rows(b, turned, &x) ||
        x.rows != (across ? a.view.rows : a.view.cols))
        return nb::none();
    const int64_t rows = across ? a.view.cols : a.view.rows;
    const bool vector = b.dimensions() == 1;
    const nb::object size = vector   ? nb::object(nb::int_(rows))
                            : turned ? nb::make_tuple(x.cols, rows)
                                     : nb::make_tuple(rows, x.cols);
    nb::object result = new_array(size, a.view.type);
    if (!result)
        throw nb::python_error();
    if (!result_view.try_take(result) || !view_rows(result_view, turned, &y))
        return nb::none();
    call(nb::none(),
         [&] { return multiply_plainly(c.owner->context, a.view, across, x, y, vector); });
    return result;
}

// A*B of two CSR matrices of SciPy, in the same way: arrays as spgemm() answers them, or None.
nb::object plain_spgemm(const context &c, nb::handle left, nb::handle right)
{
    sparse_operand a, b;
    if (take_plain(a, SPL_CSR, left) != fit::GOOD || take_plain(b, SPL_CSR, right) != fit::GOOD ||
        a.view.type != b.view.type || a.view.cols != b.view.rows)
        return nb::none();
    product_options options;
    options.set_threads(threads_for_sparse(a.view, b.view));
    spl_matrix *product = nullptr;
    call(nb::none(), [&] {
        return spl_spgemm(c.owner->context, nullptr, &a.view, &b.view, nullptr, nullptr,
                          options.pointer(), &product);
    });
    return arrays_of(c.owner, product);
}

} // namespace

void bind_products(nb::module_ &m)
{
    m.def("spmv", &spmv, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none(), nb::arg().none(), nb::arg().none());
    m.def("spmm", &spmm, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none(), nb::arg().none());
    m.def("spgemm", &spgemm, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
    m.def("plain_product", &plain_product, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg() = false);
    m.def("plain_spgemm", &plain_spgemm);
}

} // namespace sparloom
