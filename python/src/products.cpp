// SPDX-License-Identifier: Apache-2.0
// products.cpp: one-shot products.
#include "products.h"

#include "matrix.h"
#include "operand.h"

namespace nb = nanobind;

namespace sparloom
{
namespace
{

[[noreturn]] void fail(const char *what, int64_t has, int64_t needs)
{
    PyErr_Format(PyExc_ValueError, "%s has %lld elements, but the product needs %lld", what,
                 static_cast<long long>(has), static_cast<long long>(needs));
    throw nb::python_error();
}

void check_type(spl_type type, spl_type other, const char *what)
{
    if (type == other)
        return;
    PyErr_Format(PyExc_TypeError, "%s and A differ in the type of their values", what);
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
          double alpha, double beta, nb::handle dict, nb::handle stream, nb::handle progress)
{
    sparse_operand a;
    array_view x, y;
    product_options options;
    options.take(dict);
    a.take(a_parts, "A");
    const bool across = options.options.op_a != SPL_NONE;
    take_vector(x, x_array, "x", a.view, across ? a.view.rows : a.view.cols, false);
    take_vector(y, y_array, "out", a.view, across ? a.view.cols : a.view.rows, true);
    const scalars s(a.view.type, alpha, beta);
    const stream_argument order(a.view.place, stream);
    call(progress, [&] {
        return spl_spmv(c.owner->context, s.alpha(), &a.view, x.data(), s.beta(), y.data(),
                        options.pointer());
    });
}

void spmm(const context &c, nb::handle a_parts, nb::handle b_array, nb::handle c_array,
          double alpha, double beta, nb::handle dict, nb::handle progress)
{
    sparse_operand a;
    dense_operand b, out;
    product_options options;
    options.take(dict);
    a.take(a_parts, "A");
    b.take(b_array, "B");
    out.take(c_array, "out", true);
    check_type(b.view.type, a.view.type, "B");
    check_type(out.view.type, a.view.type, "out");
    const scalars s(a.view.type, alpha, beta);
    call(progress, [&] {
        return spl_spmm(c.owner->context, s.alpha(), &a.view, &b.view, s.beta(), &out.view,
                        options.pointer());
    });
}

nb::tuple spgemm(const context &c, nb::handle a_parts, nb::handle b_parts, nb::handle d_parts,
                 double alpha, double beta, nb::handle dict, nb::handle progress)
{
    sparse_operand a, b, d;
    product_options options;
    options.take(dict);
    a.take(a_parts, "A");
    b.take(b_parts, "B");
    if (!d_parts.is_none())
        d.take(d_parts, "D");
    const scalars s(a.view.type, alpha, beta);
    spl_matrix *product = nullptr;
    call(progress, [&] {
        return spl_spgemm(c.owner->context, s.alpha(), &a.view, &b.view, s.beta(),
                          d_parts.is_none() ? nullptr : &d.view, options.pointer(), &product);
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
          nb::arg(), nb::arg().none(), nb::arg().none());
}

} // namespace sparloom
