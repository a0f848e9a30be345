// SPDX-License-Identifier: Apache-2.0
// array_view.h: any array of Python (NumPy, CuPy, torch, JAX, ...) as address, shape, type and
// place, without a copy. Host arrays come by the buffer protocol, which takes a tenth of a
// microsecond; tensors of torch tell their attributes, because their DLPack takes several
// microseconds; all others come by DLPack.
#ifndef SPARLOOM_PYTHON_ARRAY_VIEW_H
#define SPARLOOM_PYTHON_ARRAY_VIEW_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <sparloom/sparloom.h>

namespace sparloom
{

class array_view
{
  public:
    array_view() = default;
    array_view(const array_view &) = delete;
    array_view &operator=(const array_view &) = delete;
    ~array_view();

    // `name` is for messages. Raises TypeError, ValueError (more than two dimensions; not writable
    // though it is to be written).
    void take(nanobind::handle array, const char *name, bool write = false);
    // The same for arrays of the host. False: it is none that the library reads where it is: no
    // buffer, another byte order, elements that are not aligned, or whose distances are not whole.
    // No Python error.
    bool try_take(nanobind::handle array);

    int dimensions() const
    {
        return count;
    }
    int64_t length(int axis = 0) const
    {
        return shape[axis];
    }
    // In elements.
    int64_t stride(int axis) const
    {
        return strides[axis];
    }
    int item_size() const
    {
        return bytes;
    }
    void *data() const
    {
        return memory;
    }
    spl_place place() const
    {
        return location;
    }
    bool is_contiguous_vector() const
    {
        return count == 1 && (shape[0] < 2 || strides[0] == 1);
    }

    // Raises NotImplementedError, naming the array, for other types.
    spl_type type() const;
    spl_index index() const;
    // 0 for other types.
    spl_type known_type() const;
    spl_index known_index() const;

  private:
    bool open_buffer(nanobind::handle array);
    const char *read_buffer();
    void take_buffer(bool write);
    bool take_tensor(nanobind::handle array);
    void take_dlpack(nanobind::handle array);
    [[noreturn]] void fail(PyObject *exception, const char *fault) const;

    const char *name = "array";
    void *memory = nullptr;
    int count = 0;
    int64_t shape[2] = {0, 0}, strides[2] = {1, 1};
    char kind = 0; // as NumPy's dtype.kind; 'V' for bfloat16
    int bytes = 0; // of an element
    spl_place location = {SPL_HOST, 0};
    Py_buffer buffer;
    bool has_buffer = false;
    nanobind::object owner; // of a tensor's memory
    nanobind::ndarray<> tensor;
};

} // namespace sparloom
#endif
