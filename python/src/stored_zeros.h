// SPDX-License-Identifier: Apache-2.0
// stored_zeros.h: products without entries that are 0. SciPy keeps none in a product; the library
// keeps them all.
#ifndef SPARLOOM_PYTHON_STORED_ZEROS_H
#define SPARLOOM_PYTHON_STORED_ZEROS_H

#include <sparloom/sparloom.h>

namespace sparloom
{

template <class T> bool has_zeros(const void *values, int64_t count)
{
    bool found = false;
    for (int64_t i = 0; i < count; i++)
        found |= static_cast<const T *>(values)[i] == 0;
    return found;
}

inline bool has_zeros(const spl_sparse &c)
{
    switch (c.type) {
    case SPL_F32:
        return has_zeros<float>(c.values, c.nnz);
    case SPL_INT32:
        return has_zeros<int32_t>(c.values, c.nnz);
    case SPL_INT64:
        return has_zeros<int64_t>(c.values, c.nnz);
    default:
        return has_zeros<double>(c.values, c.nnz);
    }
}

// Replaces a matrix on the host by one without zeros; most products have none and stay as they are.
// After a failure there is no matrix.
inline spl_status drop_zeros(spl_context *context, spl_matrix **matrix)
{
    spl_sparse c = SPL_SPARSE_INIT;
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *without = nullptr;
    spl_status status = spl_matrix_view(*matrix, &c);
    if (status == SPL_OK && !has_zeros(c))
        return SPL_OK;
    options.drop_zeros = 1;
    if (status == SPL_OK)
        status = spl_convert(context, &c, &options, &without);
    spl_matrix_destroy(*matrix);
    *matrix = without;
    return status;
}

} // namespace sparloom
#endif
