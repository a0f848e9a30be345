// SPDX-License-Identifier: Apache-2.0
#include "allocator.h"

#include <cstdio>
#include <cstdlib>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

struct place_text {
    char text[32];
    explicit place_text(spl_place place)
    {
        static const char *const kinds[] = {"host", "cuda", "hip", "emu"};
        const char *kind = kinds[place.kind & 3];
        if (place.kind == SPL_HOST)
            snprintf(text, sizeof text, "%s", kind);
        else
            snprintf(text, sizeof text, "%s:%d", kind, static_cast<int>(place.ordinal));
    }
};

void *address_of(const spl_stream *stream)
{
    return stream ? stream->handle : nullptr;
}

// What a function of the caller raised has nowhere to go: its thread is inside the library. Want of
// memory is what the library will report.
void report_exception(nb::handle function)
{
    if (PyErr_ExceptionMatches(PyExc_MemoryError))
        PyErr_Clear();
    else
        PyErr_WriteUnraisable(function.ptr());
}

} // namespace

void *python_allocator::get(size_t bytes, size_t align, spl_place place, const spl_stream *stream)
{
    if (!asks(place))
        return aligned_alloc(align, (bytes + align - 1) / align * align);
    nb::gil_scoped_acquire locked;
    const nb::object answer = nb::steal(PyObject_CallFunction(
        alloc.ptr(), "nnsN", static_cast<Py_ssize_t>(bytes), static_cast<Py_ssize_t>(align),
        place_text(place).text, PyLong_FromVoidPtr(address_of(stream))));
    void *memory = nullptr;
    if (answer && !answer.is_none())
        memory = PyLong_AsVoidPtr(answer.ptr());
    if (PyErr_Occurred())
        report_exception(alloc);
    return memory;
}

void python_allocator::give(void *memory, size_t bytes, spl_place place, const spl_stream *stream)
{
    if (!asks(place)) {
        ::free(memory);
        return;
    }
    nb::gil_scoped_acquire locked;
    const nb::object answer = nb::steal(PyObject_CallFunction(
        free.ptr(), "NnsN", PyLong_FromVoidPtr(memory), static_cast<Py_ssize_t>(bytes),
        place_text(place).text, PyLong_FromVoidPtr(address_of(stream))));
    if (!answer)
        report_exception(free);
}

spl_allocator python_allocator::hook()
{
    spl_allocator a = {};
    a.user = this;
    a.alloc = [](void *user, size_t bytes, size_t align, spl_place place,
                 const spl_stream *stream) {
        return static_cast<python_allocator *>(user)->get(bytes, align, place, stream);
    };
    a.free = [](void *user, void *memory, size_t bytes, spl_place place, const spl_stream *stream) {
        static_cast<python_allocator *>(user)->give(memory, bytes, place, stream);
    };
    return a;
}

} // namespace sparloom
