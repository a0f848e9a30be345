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

// The attribute, or nothing.
nb::object attribute(nb::handle object, PyObject *name)
{
    PyObject *found = PyObject_GetAttr(object.ptr(), name);
    if (!found)
        PyErr_Clear();
    return nb::steal(found);
}

// Whether torch was built for AMD's devices.
bool is_hip()
{
    static const bool answer = [] {
        const nb::object version = nb::module_::import_("torch.version");
        return !version.attr("hip").is_none();
    }();
    return answer;
}

// Names of a tensor's attributes, made once.
struct tensor_names {
    PyObject *data_ptr = PyUnicode_InternFromString("data_ptr");
    PyObject *dtype = PyUnicode_InternFromString("dtype");
    PyObject *device = PyUnicode_InternFromString("device");
    PyObject *shape = PyUnicode_InternFromString("shape");
    PyObject *stride = PyUnicode_InternFromString("stride");
    PyObject *type = PyUnicode_InternFromString("type");
    PyObject *index = PyUnicode_InternFromString("index");

    bool find_type(nb::handle dtype, char *kind, int *bytes) const;
    bool find_place(nb::handle device, spl_place *place) const;
};

bool tensor_names::find_type(nb::handle its_dtype, char *kind, int *bytes) const
{
    static const struct {
        const char *name;
        char kind;
        int bytes;
    } known[] = {{"torch.float64", 'f', 8},  {"torch.float32", 'f', 4}, {"torch.float16", 'f', 2},
                 {"torch.bfloat16", 'V', 2}, {"torch.int32", 'i', 4},   {"torch.int64", 'i', 8}};
    const nb::str name(its_dtype);
    for (const auto &one : known)
        if (strcmp(name.c_str(), one.name) == 0) {
            *kind = one.kind;
            *bytes = one.bytes;
            return true;
        }
    return false;
}

bool tensor_names::find_place(nb::handle its_device, spl_place *place) const
{
    const nb::object name = attribute(its_device, type), number = attribute(its_device, index);
    if (!name || !number || !nb::isinstance<nb::str>(name))
        return false;
    const char *text = nb::borrow<nb::str>(name).c_str();
    if (strcmp(text, "cpu") == 0)
        return true;
    // torch calls AMD's devices cuda, too; there DLPack tells.
    if (strcmp(text, "cuda") != 0 || number.is_none() || is_hip())
        return false;
    *place = {SPL_CUDA, nb::cast<int>(number)};
    return true;
}

} // namespace

array_view::~array_view()
{
    if (has_buffer)
        PyBuffer_Release(&buffer);
}

void array_view::fail(PyObject *exception, const char *fault) const
{
    PyErr_Format(exception, "%s %s", name, fault);
    throw nb::python_error();
}

// False: it gives none. CuPy's arrays have a buffer that they refuse to give.
bool array_view::open_buffer(nb::handle array)
{
    has_buffer = PyObject_CheckBuffer(array.ptr()) &&
                 PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_FORMAT | PyBUF_STRIDES) == 0;
    if (!has_buffer)
        PyErr_Clear();
    return has_buffer;
}

// Answers what is wrong with the buffer, or NULL.
const char *array_view::read_buffer()
{
    count = buffer.ndim;
    if (count > 2)
        return "has more than two dimensions";
    memory = buffer.buf;
    bytes = static_cast<int>(buffer.itemsize);
    kind = kind_of(buffer.format ? buffer.format : "B");
    for (int axis = 0; axis < count; axis++) {
        shape[axis] = buffer.shape[axis];
        if (bytes == 0 || buffer.strides[axis] % bytes != 0)
            return "has strides that are no multiple of its elements";
        strides[axis] = buffer.strides[axis] / bytes;
    }
    return nullptr;
}

void array_view::take(nb::handle array, const char *its_name, bool write)
{
    name = its_name;
    if (open_buffer(array)) {
        take_buffer(write);
    } else if (take_tensor(array)) {
        return;
    } else if (nb::hasattr(array, "__dlpack__")) {
        take_dlpack(array);
    } else {
        fail(PyExc_TypeError, "is no array: it has neither the buffer protocol nor DLPack");
    }
}

bool array_view::try_take(nb::handle array)
{
    return open_buffer(array) && !read_buffer() && kind != 0 &&
           reinterpret_cast<uintptr_t>(memory) % static_cast<uintptr_t>(bytes) == 0;
}

void array_view::take_buffer(bool write)
{
    const char *fault = read_buffer();
    if (fault)
        fail(PyExc_ValueError, fault);
    if (write && buffer.readonly)
        fail(PyExc_ValueError, "is read-only");
}

// False: no tensor of torch, or one of another type or place than the library has; no Python error.
bool array_view::take_tensor(nb::handle array)
{
    static const tensor_names names;
    const nb::object pointer = attribute(array, names.data_ptr);
    const nb::object type = pointer ? attribute(array, names.dtype) : nb::object();
    const nb::object device = type ? attribute(array, names.device) : nb::object();
    const nb::object lengths = device ? attribute(array, names.shape) : nb::object();
    const nb::object steps = lengths ? attribute(array, names.stride) : nb::object();
    if (!steps || !names.find_type(type, &kind, &bytes) || !names.find_place(device, &location))
        return false;
    const nb::object stride = steps();
    count = static_cast<int>(nb::len(lengths));
    if (count > 2)
        fail(PyExc_ValueError, "has more than two dimensions");
    memory = reinterpret_cast<void *>(nb::cast<uintptr_t>(pointer()));
    for (int axis = 0; axis < count; axis++) {
        shape[axis] = nb::cast<int64_t>(lengths[axis]);
        strides[axis] = nb::cast<int64_t>(stride[axis]);
    }
    owner = nb::borrow(array);
    return true;
}

void array_view::take_dlpack(nb::handle array)
{
    if (!nb::try_cast(array, tensor)) {
        array.attr("__dlpack__")(); // says what is wrong, if anybody can: a tracer of JAX does
        fail(PyExc_TypeError, "cannot be read by DLPack");
    }
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
        location = {SPL_CUDA, tensor.device_id()};
        return;
    case nb::device::rocm::value:
        location = {SPL_HIP, tensor.device_id()};
        return;
    default:
        fail(PyExc_NotImplementedError, "lives on a device that the library does not know");
    }
}

spl_type array_view::known_type() const
{
    static const struct {
        char kind;
        int bytes;
        spl_type type;
    } known[] = {{'f', 8, SPL_F64},  {'f', 4, SPL_F32},   {'f', 2, SPL_F16},
                 {'V', 2, SPL_BF16}, {'i', 4, SPL_INT32}, {'i', 8, SPL_INT64}};
    for (const auto &one : known)
        if (kind == one.kind && bytes == one.bytes)
            return one.type;
    return static_cast<spl_type>(0);
}

spl_index array_view::known_index() const
{
    if (kind != 'i')
        return static_cast<spl_index>(0);
    return bytes == 4 ? SPL_I32 : bytes == 8 ? SPL_I64 : static_cast<spl_index>(0);
}

spl_type array_view::type() const
{
    if (!known_type())
        fail(PyExc_NotImplementedError,
             "has values of a type other than float16, bfloat16, float32, float64, int32, int64");
    return known_type();
}

spl_index array_view::index() const
{
    if (!known_index())
        fail(PyExc_NotImplementedError, "has indices of a type other than int32 and int64");
    return known_index();
}

} // namespace sparloom
