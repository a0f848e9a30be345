// SPDX-License-Identifier: Apache-2.0
#include "operand.h"

#include <nanobind/stl/string.h>

#include <cstring>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

[[noreturn]] void fail(const char *name, const char *what)
{
    PyErr_Format(PyExc_ValueError, "%s: %s", name, what);
    throw nb::python_error();
}

} // namespace

void sparse_operand::take(nb::handle parts, const char *name)
{
    PyObject *tuple = parts.ptr();
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != 6) {
        PyErr_Format(PyExc_TypeError, "%s: not what _operands.py makes", name);
        throw nb::python_error();
    }
    view.format = static_cast<spl_format>(PyLong_AsLong(PyTuple_GetItem(tuple, 0)));
    view.rows = PyLong_AsLongLong(PyTuple_GetItem(tuple, 1));
    view.cols = PyLong_AsLongLong(PyTuple_GetItem(tuple, 2));
    if (PyErr_Occurred())
        throw nb::python_error();
    offsets.take(PyTuple_GetItem(tuple, 3), "array of offsets");
    indices.take(PyTuple_GetItem(tuple, 4), "array of indices");
    values.take(PyTuple_GetItem(tuple, 5), "array of values");
    if (!offsets.is_contiguous_vector() || !indices.is_contiguous_vector() ||
        !values.is_contiguous_vector())
        fail(name, "arrays of sparse matrices must be contiguous, with one dimension");
    view.type = values.type();
    view.index_type = indices.index();
    view.offset_type = offsets.index();
    view.place = values.place();
    view.offsets = offsets.data();
    view.indices = indices.data();
    view.values = values.data();
    count_entries(name);
}

// SciPy's arrays may be longer than the matrix has entries. Offsets on a device are not read here.
void sparse_operand::count_entries(const char *name)
{
    const int64_t length = indices.length() < values.length() ? indices.length() : values.length();
    const int64_t lines = view.format == SPL_CSR ? view.rows : view.cols;
    if (view.format == SPL_COO) {
        view.nnz = length;
        if (offsets.length() != indices.length() || offsets.index() != indices.index())
            fail(name, "rows and columns differ in length or type");
        return;
    }
    if (lines < 0 || offsets.length() != lines + 1)
        fail(name, "the length of its offsets does not fit its shape");
    view.nnz = length;
    if (view.place.kind == SPL_HOST)
        view.nnz = view.offset_type == SPL_I32 ? static_cast<const int32_t *>(view.offsets)[lines]
                                               : static_cast<const int64_t *>(view.offsets)[lines];
    if (view.nnz > length)
        fail(name, "it has fewer indices or values than its last offset says");
}

void dense_operand::take(nb::handle object, const char *name, bool write)
{
    array.take(object, name, write);
    const bool vector = array.dimensions() == 1;
    if (array.dimensions() == 0)
        fail(name, "a scalar is no operand");
    const int64_t inner = vector ? 0 : array.stride(1), outer = array.stride(0);
    view.type = array.type();
    view.place = array.place();
    view.rows = array.length(0);
    view.cols = vector ? 1 : array.length(1);
    view.values = array.data();
    const bool empty = view.rows == 0 || view.cols == 0;
    if (empty || ((inner == 1 || view.cols == 1) && (outer >= view.cols || view.rows == 1))) {
        view.order = SPL_ROW_MAJOR;
        view.ld = empty || view.rows == 1 || outer < view.cols ? view.cols : outer;
    } else if ((outer == 1 || view.rows == 1) && inner >= view.rows) {
        view.order = SPL_COLUMN_MAJOR;
        view.ld = inner;
    } else {
        fail(name, "its elements lie neither by rows nor by columns");
    }
}

scalars::scalars(spl_type type, double alpha, double beta)
    : has_alpha(alpha != 1), has_beta(beta != 0)
{
    const double given[] = {alpha, beta};
    for (int i = 0; i < 2; i++) {
        const float narrow = static_cast<float>(given[i]);
        if (type == SPL_F64)
            memcpy(numbers[i], &given[i], sizeof given[i]);
        else
            memcpy(numbers[i], &narrow, sizeof narrow);
    }
}

void product_options::take(nb::handle dict)
{
    if (dict.is_none())
        return;
    given = true;
    const nb::dict d = nb::cast<nb::dict>(dict);
    const auto number = [&](const char *key) -> int64_t {
        return d.contains(key) ? nb::cast<int64_t>(d[key]) : 0;
    };
    options.policy = static_cast<spl_policy>(number("policy"));
    options.op_a = static_cast<spl_operator>(number("op_a"));
    options.op_b = static_cast<spl_operator>(number("op_b"));
    options.threads = static_cast<int32_t>(number("threads"));
    options.deterministic = static_cast<int32_t>(number("deterministic"));
    options.memory_budget = static_cast<size_t>(number("memory_budget"));
    options.executions = static_cast<int32_t>(number("executions"));
    options.processors = static_cast<uint64_t>(number("processors"));
    options.unsorted = static_cast<int32_t>(number("unsorted"));
    options.keep_result = static_cast<int32_t>(number("keep_result"));
    options.accuracy = static_cast<spl_accuracy>(number("accuracy"));
    options.dense_order = static_cast<spl_order>(number("dense_order"));
    options.check_inputs = static_cast<int32_t>(number("check_inputs"));
    if (d.contains("method")) {
        method = nb::cast<std::string>(d["method"]);
        options.method = method.c_str();
    }
}

stream_argument::stream_argument(spl_place place, nb::handle address)
{
    if (place.kind == SPL_HOST || address.is_none())
        return;
    given = true;
    stream.kind = place.kind;
    stream.handle = reinterpret_cast<void *>(nb::cast<uintptr_t>(address));
}

} // namespace sparloom
