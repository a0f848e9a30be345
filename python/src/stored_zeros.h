// SPDX-License-Identifier: Apache-2.0
// stored_zeros.h: takes entries that are 0 out of a matrix of the library, in place. SciPy keeps
// none in a product; the library keeps them all.
#ifndef SPARLOOM_PYTHON_STORED_ZEROS_H
#define SPARLOOM_PYTHON_STORED_ZEROS_H

#include <sparloom/sparloom.h>

namespace sparloom
{

template <class T> bool has_zeros(const T *values, int64_t count)
{
    bool found = false;
    for (int64_t i = 0; i < count; i++)
        found |= values[i] == 0;
    return found;
}

template <class P, class I, class T>
void drop_zeros(int64_t rows, P *offsets, I *indices, T *values)
{
    P kept = 0, entry = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (; entry < offsets[i + 1]; entry++)
            if (values[entry] != 0) {
                indices[kept] = indices[entry];
                values[kept++] = values[entry];
            }
        offsets[i + 1] = kept;
    }
}

template <class P, class I>
void drop_typed(const spl_sparse &c, void *offsets, void *indices, void *values)
{
    if (c.type == SPL_F32) {
        if (has_zeros(static_cast<float *>(values), c.nnz))
            drop_zeros(c.rows, static_cast<P *>(offsets), static_cast<I *>(indices),
                       static_cast<float *>(values));
    } else if (has_zeros(static_cast<double *>(values), c.nnz)) {
        drop_zeros(c.rows, static_cast<P *>(offsets), static_cast<I *>(indices),
                   static_cast<double *>(values));
    }
}

// Of a matrix in CSR on the host. Its view keeps the number of entries that it had.
inline void drop_zeros(spl_matrix *matrix)
{
    spl_sparse c = SPL_SPARSE_INIT;
    void *offsets, *indices, *values;
    if (spl_matrix_view(matrix, &c) != SPL_OK ||
        spl_matrix_arrays(matrix, &offsets, &indices, &values) != SPL_OK)
        return;
    if (c.offset_type == SPL_I32)
        drop_typed<int32_t, int32_t>(c, offsets, indices, values);
    else if (c.index_type == SPL_I32)
        drop_typed<int64_t, int32_t>(c, offsets, indices, values);
    else
        drop_typed<int64_t, int64_t>(c, offsets, indices, values);
}

} // namespace sparloom
#endif
