// SPDX-License-Identifier: Apache-2.0
// matrices.cpp: files, conversion, description, partition, and the list of methods.
#include "fields.h"
#include "matrix.h"
#include "operand.h"
#include "products.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

const field<spl_description> DESCRIPTION[] = {
    FIELD(spl_description, rows),
    FIELD(spl_description, cols),
    FIELD(spl_description, nnz),
    FIELD(spl_description, empty_rows),
    FIELD(spl_description, longest_row),
    FIELD(spl_description, mean_row),
    FIELD(spl_description, row_deviation),
    FIELD(spl_description, density),
    FIELD(spl_description, duplicates),
    FIELD(spl_description, unsorted_rows),
    FLAG(spl_description, pattern_symmetric),
    FLAG(spl_description, value_symmetric),
    FIELD(spl_description, bandwidth),
    FIELD(spl_description, products),
    FIELD(spl_description, block_size),
    FIELD(spl_description, distinct_values),
    FIELD(spl_description, value_bytes),
    FIELD(spl_description, holed_block_size),
    FIELD(spl_description, block_fill),
};

const field<spl_storage> STORAGE[] = {
    FIELD(spl_storage, coo),
    FIELD(spl_storage, csr),
    FIELD(spl_storage, ell),
    FIELD(spl_storage, rvs),
    FIELD(spl_storage, sliced_ell),
    FIELD(spl_storage, ell_density),
    FIELD(spl_storage, rvs_density),
    FIELD(spl_storage, sliced_ell_density),
    FIELD(spl_storage, ell_compute_density),
    FIELD(spl_storage, rvs_compute_density),
};

const field<spl_part> PART[] = {
    FIELD(spl_part, begin), FIELD(spl_part, rows),    FIELD(spl_part, nnz),
    FIELD(spl_part, width), FIELD(spl_part, density), FIELD(spl_part, seconds),
};

const field<spl_method_info> METHOD[] = {
    FIELD(spl_method_info, id),           FIELD(spl_method_info, summary),
    FIELD(spl_method_info, source),       FIELD(spl_method_info, revision),
    FLAG(spl_method_info, deterministic), FLAG(spl_method_info, in_place),
    FIELD(spl_method_info, processor),
};

nb::tuple read(const context &c, const std::string &path, int format, int type, nb::handle progress)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    spl_matrix *matrix = nullptr;
    options.format = static_cast<spl_format>(format);
    options.type = static_cast<spl_type>(type);
    call(progress, [&] { return spl_read(c.owner->context, path.c_str(), &options, &matrix); });
    return arrays_of(c.owner, matrix);
}

void write(const context &c, nb::handle parts, const std::string &path, nb::handle progress)
{
    sparse_operand a;
    a.take(parts, "matrix");
    call(progress, [&] { return spl_write(c.owner->context, &a.view, path.c_str()); });
}

nb::tuple convert(const context &c, nb::handle parts, int format, int type, int index,
                  bool transpose, bool sort, bool sum_duplicates, bool drop_zeros,
                  nb::handle progress)
{
    sparse_operand a;
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *matrix = nullptr;
    a.take(parts, "matrix");
    options.format = static_cast<spl_format>(format);
    options.type = static_cast<spl_type>(type);
    options.offset_type = options.index_type = static_cast<spl_index>(index);
    options.transpose = transpose;
    options.sort = sort;
    options.sum_duplicates = sum_duplicates;
    options.drop_zeros = drop_zeros;
    call(progress, [&] { return spl_convert(c.owner->context, &a.view, &options, &matrix); });
    return arrays_of(c.owner, matrix);
}

nb::dict describe(const context &c, nb::handle parts, nb::handle progress)
{
    sparse_operand a;
    spl_description d = SPL_DESCRIPTION_INIT;
    a.take(parts, "matrix");
    call(progress, [&] { return spl_describe(c.owner->context, &a.view, &d); });
    return dict_of(d, DESCRIPTION);
}

nb::dict storage(const context &c, nb::handle parts)
{
    sparse_operand a;
    spl_storage s = SPL_STORAGE_INIT;
    a.take(parts, "matrix");
    call(nb::none(), [&] { return spl_measure_storage(c.owner->context, &a.view, &s); });
    return dict_of(s, STORAGE);
}

nb::tuple distribution(const context &c, nb::handle parts)
{
    sparse_operand a;
    int64_t count = 0;
    a.take(parts, "matrix");
    const auto ask = [&](int64_t capacity, int64_t *lengths, int64_t *rows) {
        call(nb::none(), [&] {
            return spl_distribution(c.owner->context, &a.view, capacity, lengths, rows, &count);
        });
    };
    ask(0, nullptr, nullptr);
    std::vector<int64_t> lengths(static_cast<size_t>(count)), rows(lengths.size());
    ask(count, lengths.data(), rows.data());
    return nb::make_tuple(lengths, rows);
}

// Writes the order of the rows to an array of int64; a list of dicts, one for each part.
nb::list partition(const context &c, nb::handle parts_of_a, int kind,
                   const std::vector<double> &capabilities, const std::vector<double> &links,
                   nb::handle order_array)
{
    sparse_operand a;
    array_view order;
    a.take(parts_of_a, "matrix");
    order.take(order_array, "order", true);
    if (order.index() != SPL_I64 || !order.is_contiguous_vector() ||
        order.length() != a.view.rows || (!links.empty() && links.size() != capabilities.size())) {
        PyErr_SetString(PyExc_ValueError, "capabilities, links and order do not fit together");
        throw nb::python_error();
    }
    std::vector<spl_part> parts(capabilities.size());
    for (spl_part &part : parts)
        part = SPL_PART_INIT;
    call(nb::none(), [&] {
        return spl_partition(c.owner->context, &a.view, static_cast<spl_partition_kind>(kind),
                             static_cast<int32_t>(parts.size()), capabilities.data(),
                             links.empty() ? nullptr : links.data(),
                             static_cast<int64_t *>(order.data()), parts.data());
    });
    nb::list all;
    for (const spl_part &part : parts) {
        all.append(dict_of(part, PART));
    }
    return all;
}

nb::list methods()
{
    return dicts_of(spl_method_count(), SPL_METHOD_INFO_INIT, spl_method, METHOD);
}

int device_count(const std::string &driver)
{
    int32_t count = 0;
    check(spl_driver_devices(driver.c_str(), &count));
    return count;
}

} // namespace

void bind_matrices(nb::module_ &m)
{
    m.def("read", &read, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    m.def("write", &write, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    m.def("convert", &convert, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
    m.def("describe", &describe, nb::arg(), nb::arg(), nb::arg().none());
    m.def("storage", &storage);
    m.def("distribution", &distribution);
    m.def("partition", &partition);
    m.def("methods", &methods);
    m.def("device_count", &device_count);
    m.def("version", &spl_version);
}

} // namespace sparloom
