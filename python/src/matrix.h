// SPDX-License-Identifier: Apache-2.0
// matrix.h: matrices of the library as arrays of Python, without a copy.
#ifndef SPARLOOM_PYTHON_MATRIX_H
#define SPARLOOM_PYTHON_MATRIX_H

#include "context.h"

namespace sparloom
{

// (format, rows, cols, offsets, indices, values), as sparse_operand takes it. The arrays own the
// matrix: NumPy's on the host, objects with DLPack on a device. Takes the matrix over.
nanobind::tuple arrays_of(const context_pointer &owner, spl_matrix *matrix);

} // namespace sparloom
#endif
