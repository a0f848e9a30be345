// SPDX-License-Identifier: Apache-2.0
#include "operand.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

[[noreturn]] void fail(const char *name, const char *fault)
{
    PyErr_Format(PyExc_ValueError, "%s: %s", name, fault);
    throw nb::python_error();
}

struct {
    PyObject *empty, *float32, *float64, *int32, *int64; // never released
} numpy;

// The numbers of a tuple that must have two. False: it has not.
bool shape_of(PyObject *shape, int64_t *rows, int64_t *cols)
{
    if (!PyTuple_Check(shape) || PyTuple_Size(shape) != 2)
        return false;
    *rows = PyLong_AsLongLong(PyTuple_GetItem(shape, 0));
    *cols = PyLong_AsLongLong(PyTuple_GetItem(shape, 1));
    if (!PyErr_Occurred())
        return true;
    PyErr_Clear();
    return false;
}

// What SciPy's compressed matrices consist of.
struct scipy_names {
    PyObject *shape = PyUnicode_InternFromString("_shape");
    PyObject *first = PyUnicode_InternFromString("indptr");
    PyObject *second = PyUnicode_InternFromString("indices");
    PyObject *numbers = PyUnicode_InternFromString("data");
};

nb::object attribute(nb::handle object, PyObject *name)
{
    PyObject *found = PyObject_GetAttr(object.ptr(), name);
    if (!found)
        PyErr_Clear();
    return nb::steal(found);
}

// Multiplications that take a tenth of a millisecond, or less.
int threads_for(const spl_sparse &a, double work, double least)
{
    return a.place.kind == SPL_HOST && work < least ? 1 : 0;
}

} // namespace

bool in_scipy(spl_type type)
{
    return type == SPL_F32 || type == SPL_F64 || type == SPL_INT32 || type == SPL_INT64;
}

nb::object new_array(nb::handle shape, spl_type type)
{
    PyObject *dtype = type == SPL_F32     ? numpy.float32
                      : type == SPL_INT32 ? numpy.int32
                      : type == SPL_INT64 ? numpy.int64
                                          : numpy.float64;
    return nb::steal(PyObject_CallFunctionObjArgs(numpy.empty, shape.ptr(), dtype, nullptr));
}

int threads_for_vector(const spl_sparse &a)
{
    return threads_for(a, static_cast<double>(a.nnz), 20e3);
}

int threads_for_dense(const spl_sparse &a, int64_t columns)
{
    return threads_for(a, static_cast<double>(a.nnz) * static_cast<double>(columns), 400e3);
}

int threads_for_sparse(const spl_sparse &a, const spl_sparse &b)
{
    // as if rows of B were of one length
    const double row = static_cast<double>(b.nnz) / static_cast<double>(b.rows + 1);
    return threads_for(a, static_cast<double>(a.nnz) * row, 20e3);
}

fit sparse_operand::try_take(spl_format format, nb::handle shape, nb::handle first,
                             nb::handle second, nb::handle numbers)
{
    if (!shape_of(shape.ptr(), &view.rows, &view.cols))
        return fit::NONE;
    if (!offsets.try_take(first) || !indices.try_take(second) || !values.try_take(numbers) ||
        !are_vectors())
        return fit::CONVERT;
    if (!offsets.known_index() || offsets.known_index() != indices.known_index() ||
        !in_scipy(values.known_type()))
        return fit::CONVERT;
    view.format = format;
    read_arrays();
    const bool valid =
        !count_entries() && view.nnz >= 0 && (format != SPL_COO || view.nnz == values.length());
    return valid ? fit::GOOD : fit::NONE;
}

fit take_plain(sparse_operand &a, int format, nb::handle matrix)
{
    static const scipy_names names;
    const nb::object shape = attribute(matrix, names.shape), first = attribute(matrix, names.first),
                     second = attribute(matrix, names.second),
                     numbers = attribute(matrix, names.numbers);
    return shape && first && second && numbers
               ? a.try_take(static_cast<spl_format>(format), shape, first, second, numbers)
               : fit::NONE;
}

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
    PyObject *numbers = PyTuple_GetItem(tuple, 5);
    pattern = numbers == Py_None || PyLong_Check(numbers);
    if (!pattern)
        values.take(numbers, "array of values");
    else if (numbers != Py_None)
        pattern_type = static_cast<spl_type>(PyLong_AsLong(numbers));
    if (!are_vectors())
        fail(name, "arrays of sparse matrices must be contiguous, with one dimension");
    read_arrays();
    const char *fault = count_entries();
    if (fault)
        fail(name, fault);
}

void sparse_operand::read_arrays()
{
    view.type = pattern ? pattern_type : values.type();
    view.index_type = indices.index();
    view.offset_type = offsets.index();
    view.place = pattern ? indices.place() : values.place();
    view.offsets = offsets.data();
    view.indices = indices.data();
    view.values = pattern ? nullptr : values.data();
}

// Answers what is wrong, or NULL. SciPy's arrays may be longer than the matrix has entries. Offsets
// on a device are not read here.
const char *sparse_operand::count_entries()
{
    const int64_t length =
        pattern || indices.length() < values.length() ? indices.length() : values.length();
    const int64_t lines = view.format == SPL_CSR ? view.rows : view.cols;
    view.nnz = length;
    if (view.format == SPL_COO)
        return offsets.length() != indices.length() || offsets.index() != indices.index()
                   ? "rows and columns differ in length or type"
                   : nullptr;
    if (lines < 0 || offsets.length() != lines + 1)
        return "the length of its offsets does not fit its shape";
    if (view.place.kind == SPL_HOST)
        view.nnz = view.offset_type == SPL_I32 ? static_cast<const int32_t *>(view.offsets)[lines]
                                               : static_cast<const int64_t *>(view.offsets)[lines];
    return view.nnz > length ? "it has fewer indices or values than its last offset says" : nullptr;
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

scalars::scalars(spl_type type, nb::handle alpha, nb::handle beta)
{
    numbers[0].take(type, alpha, 1);
    numbers[1].take(type, beta, 0);
}

void scalars::number::take(spl_type type, nb::handle object, int usual)
{
    bool is_usual;
    if (type == SPL_INT32 || type == SPL_INT64) {
        const int64_t whole = static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(object.ptr()));
        is_usual = whole == usual;
        if (type == SPL_INT32)
            i32 = static_cast<int32_t>(whole);
        else
            i64 = whole;
    } else {
        const double real = PyFloat_AsDouble(object.ptr());
        is_usual = real == usual;
        if (type == SPL_F64)
            f64 = real;
        else
            f32 = static_cast<float>(real);
    }
    if (PyErr_Occurred())
        throw nb::python_error();
    given = is_usual ? nullptr : &i64;
}

void product_options::take(nb::handle dict, const spl_context *context)
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
    options.updates = static_cast<int32_t>(number("updates"));
    options.processors = static_cast<uint64_t>(number("processors"));
    options.unsorted = static_cast<int32_t>(number("unsorted"));
    options.keep_result = static_cast<int32_t>(number("keep_result"));
    options.accuracy = static_cast<spl_accuracy>(number("accuracy"));
    options.dense_order = static_cast<spl_order>(number("dense_order"));
    options.check_inputs = static_cast<int32_t>(number("check_inputs"));
    options.semiring = static_cast<int32_t>(number("semiring"));
    options.mask_complement = static_cast<int32_t>(number("complement"));
    options.mask_pattern = static_cast<int32_t>(number("mask_pattern"));
    options.partition = static_cast<spl_partition_kind>(number("partition"));
    if (d.contains("capabilities")) {
        capabilities = nb::cast<std::vector<double>>(d["capabilities"]);
        if (capabilities.size() != static_cast<size_t>(spl_processor_count(context)))
            fail("capabilities", "not a number for each of the context's processors");
        options.capabilities = capabilities.data();
    }
    if (d.contains("mask")) {
        mask.take(d["mask"], "mask");
        options.mask = &mask.view;
    }
    if (d.contains("method")) {
        method = nb::cast<std::string>(d["method"]);
        options.method = method.c_str();
    }
}

// Not in new_array(): a thread that imports may let another one run, which must not wait for it.
void bind_operands()
{
    const nb::module_ m = nb::module_::import_("numpy");
    numpy.empty = nb::object(m.attr("empty")).release().ptr();
    numpy.float32 = nb::object(m.attr("dtype")("float32")).release().ptr();
    numpy.float64 = nb::object(m.attr("dtype")("float64")).release().ptr();
    numpy.int32 = nb::object(m.attr("dtype")("int32")).release().ptr();
    numpy.int64 = nb::object(m.attr("dtype")("int64")).release().ptr();
}

stream_argument::stream_argument(spl_place place, nb::handle address)
{
    if (place.kind == SPL_HOST || address.is_none())
        return;
    given = true;
    stream.kind = place.kind;
    stream.handle = reinterpret_cast<void *>(nb::cast<uintptr_t>(address));
}

row_mask_argument::row_mask_argument(nb::handle tuple, int64_t rows)
{
    if (tuple.is_none())
        return;
    given = true;
    rows_view.take(tuple[0], "mask");
    const bool bits = rows_view.item_size() == sizeof(uint64_t);
    const int64_t needed = bits ? (rows + 63) / 64 : rows;
    if (!rows_view.is_contiguous_vector() || (!bits && rows_view.item_size() != 1) ||
        rows_view.length() != needed || rows_view.place().kind != SPL_HOST)
        fail("mask", "not what _plan.py makes");
    mask.complement = nb::cast<bool>(tuple[1]);
    mask.clear = nb::cast<bool>(tuple[2]);
    mask.bits = bits ? static_cast<const uint64_t *>(rows_view.data()) : nullptr;
    mask.bytes = bits ? nullptr : static_cast<const uint8_t *>(rows_view.data());
}

} // namespace sparloom
