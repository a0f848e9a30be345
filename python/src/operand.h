// SPDX-License-Identifier: Apache-2.0
// operand.h: operands and options of a product as the library takes them.
#ifndef SPARLOOM_PYTHON_OPERAND_H
#define SPARLOOM_PYTHON_OPERAND_H

#include "array_view.h"

#include <sparloom/algebra.h>
#include <string>
#include <vector>

namespace sparloom
{

// What sparse_operand::try_take found: CONVERT: in arrays of other types or with gaps; NONE: no
// valid matrix.
enum class fit { GOOD, CONVERT, NONE };

// A sparse matrix. Holds its arrays.
class sparse_operand
{
  public:
    spl_sparse view = SPL_SPARSE_INIT;

    // (format, rows, cols, offsets or rows, indices, values), a tuple made by
    // sparloom/_operands.py. A pattern has instead of values None, or the number of the type that
    // is computed in. Raises what array_view raises, and ValueError for arrays that do not fit
    // together.
    void take(nanobind::handle parts, const char *name);
    // Three of SciPy's arrays, of a type that in_scipy() knows. Raises nothing.
    fit try_take(spl_format format, nanobind::handle shape, nanobind::handle first,
                 nanobind::handle second, nanobind::handle numbers);

  private:
    void read_arrays();
    const char *count_entries();
    bool are_vectors() const
    {
        return offsets.is_contiguous_vector() && indices.is_contiguous_vector() &&
               (pattern || values.is_contiguous_vector());
    }

    bool pattern = false;
    spl_type pattern_type = SPL_F64;
    array_view offsets, indices, values;
};

bool in_scipy(spl_type type); // f32, f64, i32 or i64: what SciPy computes in, too

// numpy.empty: what callers get owns its memory. Not valid, with a Python error: no memory.
nanobind::object new_array(nanobind::handle shape, spl_type type);

// The matrix of SciPy in CSR or CSC, as sparse_operand::try_take takes its arrays.
fit take_plain(sparse_operand &a, int format, nanobind::handle matrix);

// A dense matrix or, with one dimension, a vector.
class dense_operand
{
  public:
    spl_dense view = SPL_DENSE_INIT;

    void take(nanobind::handle array, const char *name, bool write = false);
    bool is_vector() const
    {
        return array.dimensions() == 1;
    }

  private:
    array_view array;
};

// Threads for a product on the host of A and a vector, a dense matrix with so many columns, a
// sparse B: 1 if more would win little, 0 on a device. A thread that other programs keep waiting
// costs milliseconds.
int threads_for_vector(const spl_sparse &a);
int threads_for_dense(const spl_sparse &a, int64_t columns);
int threads_for_sparse(const spl_sparse &a, const spl_sparse &b);

// alpha and beta in the type of the operands' sums. NULL for 1 and 0, the library's defaults.
// Integers wrap. Raises TypeError for what is no number of the type.
class scalars
{
  public:
    scalars(spl_type type, nanobind::handle alpha, nanobind::handle beta);
    const void *alpha() const
    {
        return numbers[0].given;
    }
    const void *beta() const
    {
        return numbers[1].given;
    }

  private:
    struct number {
        const void *given = nullptr;
        union {
            float f32;
            double f64;
            int32_t i32;
            int64_t i64;
        };
        void take(spl_type type, nanobind::handle object, int usual);
    };
    number numbers[2];
};

// spl_options from a dict of sparloom/_options.py; None: the defaults. Raises ValueError if there
// are not as many capabilities as the context has processors.
class product_options
{
  public:
    spl_options options = SPL_OPTIONS_INIT;

    void take(nanobind::handle dict, const spl_context *context);
    // Unless the caller has said how many.
    void set_threads(int threads)
    {
        given |= threads > 0;
        options.threads = options.threads > 0 ? options.threads : threads;
    }
    const spl_options *pointer() const
    {
        return given ? &options : nullptr;
    }

  private:
    bool given = false;
    std::string method;
    std::vector<double> capabilities;
    sparse_operand mask;
};

// The stream that a call is ordered in: an address, None on the host.
class stream_argument
{
  public:
    stream_argument(spl_place place, nanobind::handle address);
    const spl_stream *pointer() const
    {
        return given ? &stream : nullptr;
    }

  private:
    bool given = false;
    spl_stream stream = {SPL_HOST, nullptr};
};

// The rows that an execution computes: None for all, or (array, complement, clear). The array has a
// byte for each row, or the bits of all rows in words of 8 bytes.
class row_mask_argument
{
  public:
    row_mask_argument(nanobind::handle tuple, int64_t rows);
    const spl_row_mask *pointer() const
    {
        return given ? &mask : nullptr;
    }

  private:
    bool given = false;
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    array_view rows_view;
};

void bind_operands();

} // namespace sparloom
#endif
