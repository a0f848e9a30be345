// SPDX-License-Identifier: Apache-2.0
// allocator.h: memory of a context from functions of Python.
#ifndef SPARLOOM_PYTHON_ALLOCATOR_H
#define SPARLOOM_PYTHON_ALLOCATOR_H

#include <nanobind/nanobind.h>
#include <sparloom/sparloom.h>

namespace sparloom
{

// alloc(bytes, align, place, stream) answers an address, or None; free(address, bytes, place,
// stream). Place is "host" or as "cuda:0", stream an address. Made with the GIL, called with or
// without it, from any thread.
class python_allocator
{
  public:
    // `serves_host`: the functions are asked for memory of the host, too.
    python_allocator(nanobind::object alloc, nanobind::object free, bool serves_host)
        : alloc(std::move(alloc)), free(std::move(free)), serves_host(serves_host)
    {
    }

    // What the library takes. It refers to this object.
    spl_allocator hook();

  private:
    void *get(size_t bytes, size_t align, spl_place place, const spl_stream *stream);
    void give(void *memory, size_t bytes, spl_place place, const spl_stream *stream);
    bool asks(spl_place place) const
    {
        return serves_host || place.kind != SPL_HOST;
    }

    nanobind::object alloc, free;
    bool serves_host;
};

} // namespace sparloom
#endif
