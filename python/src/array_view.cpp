// SPDX-License-Identifier: Apache-2.0
#include "array_view.h"

#include <cstring>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

// The kind of a format character of Python's struct module; 0: none of a number.
char kind_of(const char *format)
{
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (*format == 0 || format[1] != 0)
        return *format == 'Z' ? 'c' : 0;
    if (strchr("efdg", *format))
        return 'f';
    if (strchr("bhilq", *format))
        return 'i';
    return strchr("BHILQ", *format) ? 'u' : *format == '?' ? 'b' : 0;
}

char kind_of(nb::dlpack::dtype type)
{
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
    case nb::dlpack::dtype_code::Float:
        return 'f';
    case nb::dlpack::dtype_code::Bfloat:
        return 'V';
    case nb::dlpack::dtype_code::Int:
        return 'i';
    case nb::dlpack::dtype_code::UInt:
        return 'u';
    case nb::dlpack::dtype_code::Bool:
        return 'b';
    case nb::dlpack::dtype_code::Complex:
        return 'c';
    default:
        return 0;
    }
}

} // namespace

array_view::~array_view()
{
    if (has_buffer)
        PyBuffer_Release(&buffer);
}

void array_view::fail(PyObject *exception, const char *what) const
{
    PyErr_Format(exception, "%s %s", name, what);
    throw nb::python_error();
}

void array_view::take(nb::handle array, const char *its_name, bool write)
{
    name = its_name;
    has_buffer = PyObject_CheckBuffer(array.ptr()) &&
                 PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_FORMAT | PyBUF_STRIDES) == 0;
    PyErr_Clear(); // CuPy's arrays have a buffer that they refuse to give
    if (has_buffer) {
        take_buffer(write);
    } else if (nb::hasattr(array, "__dlpack__")) {
        take_dlpack(array);
    } else {
        fail(PyExc_TypeError, "is no array: it has neither the buffer protocol nor DLPack");
    }
}

void array_view::take_buffer(bool write)
{
    count = buffer.ndim;
    if (count > 2)
        fail(PyExc_ValueError, "has more than two dimensions");
    if (write && buffer.readonly)
        fail(PyExc_ValueError, "is read-only");
    memory = buffer.buf;
    bytes = static_cast<int>(buffer.itemsize);
    kind = kind_of(buffer.format ? buffer.format : "B");
    for (int axis = 0; axis < count; axis++) {
        shape[axis] = buffer.shape[axis];
        if (bytes == 0 || buffer.strides[axis] % bytes != 0)
            fail(PyExc_ValueError, "has strides that are no multiple of its elements");
        strides[axis] = buffer.strides[axis] / bytes;
    }
}

void array_view::take_dlpack(nb::handle array)
{
    tensor = nb::cast<nb::ndarray<>>(array);
    count = static_cast<int>(tensor.ndim());
    if (count > 2)
        fail(PyExc_ValueError, "has more than two dimensions");
    memory = tensor.data();
    bytes = tensor.dtype().bits / 8;
    kind = kind_of(tensor.dtype());
    for (int axis = 0; axis < count; axis++) {
        shape[axis] = static_cast<int64_t>(tensor.shape(static_cast<size_t>(axis)));
        strides[axis] = tensor.stride(static_cast<size_t>(axis));
    }
    switch (tensor.device_type()) {
    case nb::device::cpu::value:
    case nb::device::cuda_host::value:
        return;
    case nb::device::cuda::value:
    case nb::device::cuda_managed::value:
        where = {SPL_CUDA, tensor.device_id()};
        return;
    case nb::device::rocm::value:
        where = {SPL_HIP, tensor.device_id()};
        return;
    default:
        fail(PyExc_NotImplementedError, "lives on a device that the library does not know");
    }
}

spl_type array_view::type() const
{
    if (kind == 'f' && bytes == 8)
        return SPL_F64;
    if (kind == 'f' && bytes == 4)
        return SPL_F32;
    if (kind == 'f' && bytes == 2)
        return SPL_F16;
    if (kind == 'V' && bytes == 2)
        return SPL_BF16;
    fail(PyExc_NotImplementedError,
         "has values of a type other than float16, bfloat16, float32 and float64");
}

spl_index array_view::index() const
{
    if (kind == 'i' && bytes == 4)
        return SPL_I32;
    if (kind == 'i' && bytes == 8)
        return SPL_I64;
    fail(PyExc_NotImplementedError, "has indices of a type other than int32 and int64");
}

} // namespace sparloom
