// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"

#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

struct matrix_owner {
    context_pointer context;
    spl_matrix *matrix;
    ~matrix_owner()
    {
        spl_matrix_destroy(matrix);
    }
};

nb::dlpack::dtype type_of(spl_type type)
{
    if (type == SPL_INT32)
        return nb::dtype<int32_t>();
    if (type == SPL_INT64)
        return nb::dtype<int64_t>();
    const uint8_t code = static_cast<uint8_t>(type == SPL_BF16 ? nb::dlpack::dtype_code::Bfloat
                                                               : nb::dlpack::dtype_code::Float);
    const uint8_t bits = type == SPL_F64 ? 64 : type == SPL_F32 ? 32 : 16;
    return {code, bits, 1};
}

nb::dlpack::dtype type_of(spl_index type)
{
    return type == SPL_I32 ? nb::dtype<int32_t>() : nb::dtype<int64_t>();
}

int device_of(const spl_place &place)
{
    return place.kind == SPL_CUDA  ? nb::device::cuda::value
           : place.kind == SPL_HIP ? nb::device::rocm::value
                                   : nb::device::cpu::value;
}

nb::object array_of(void *memory, int64_t count, nb::dlpack::dtype type, const spl_place &place,
                    nb::handle owner)
{
    static int64_t nothing; // an array without elements still has an address
    const size_t size = static_cast<size_t>(count);
    void *data = memory ? memory : &nothing;
    if (place.kind == SPL_HOST)
        return nb::cast(nb::ndarray<nb::numpy>(data, 1, &size, owner, nullptr, type));
    return nb::cast(nb::ndarray<nb::array_api>(data, 1, &size, owner, nullptr, type,
                                               device_of(place), place.ordinal));
}

} // namespace

nb::tuple arrays_of(const context_pointer &context, spl_matrix *matrix)
{
    matrix_owner *owned = new matrix_owner{context, matrix};
    nb::capsule owner(owned, [](void *it) noexcept { delete static_cast<matrix_owner *>(it); });
    spl_sparse view = SPL_SPARSE_INIT;
    void *offsets, *indices, *values;
    check(spl_matrix_view(matrix, &view));
    check(spl_matrix_arrays(matrix, &offsets, &indices, &values));
    const bool coo = view.format == SPL_COO;
    const int64_t lines = coo ? view.nnz : view.format == SPL_CSR ? view.rows + 1 : view.cols + 1;
    const nb::dlpack::dtype first = type_of(coo ? view.index_type : view.offset_type);
    return nb::make_tuple(static_cast<int>(view.format), view.rows, view.cols,
                          array_of(offsets, lines, first, view.place, owner),
                          array_of(indices, view.nnz, type_of(view.index_type), view.place, owner),
                          array_of(values, view.nnz, type_of(view.type), view.place, owner));
}

} // namespace sparloom
