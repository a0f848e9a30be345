// SPDX-License-Identifier: Apache-2.0
// matrices.cpp: files, conversion, description, partition, and the list of methods.
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
    nb::dict row;
    row["rows"] = d.rows;
    row["cols"] = d.cols;
    row["nnz"] = d.nnz;
    row["empty_rows"] = d.empty_rows;
    row["longest_row"] = d.longest_row;
    row["mean_row"] = d.mean_row;
    row["row_deviation"] = d.row_deviation;
    row["density"] = d.density;
    row["duplicates"] = d.duplicates;
    row["unsorted_rows"] = d.unsorted_rows;
    row["pattern_symmetric"] = d.pattern_symmetric != 0;
    row["value_symmetric"] = d.value_symmetric != 0;
    row["bandwidth"] = d.bandwidth;
    row["products"] = d.products;
    row["block_size"] = d.block_size;
    row["distinct_values"] = d.distinct_values;
    row["value_bytes"] = d.value_bytes;
    row["holed_block_size"] = d.holed_block_size;
    row["block_fill"] = d.block_fill;
    return row;
}

nb::dict storage(const context &c, nb::handle parts)
{
    sparse_operand a;
    spl_storage s = SPL_STORAGE_INIT;
    a.take(parts, "matrix");
    call(nb::none(), [&] { return spl_measure_storage(c.owner->context, &a.view, &s); });
    nb::dict row;
    row["coo"] = s.coo;
    row["csr"] = s.csr;
    row["ell"] = s.ell;
    row["rvs"] = s.rvs;
    row["sliced_ell"] = s.sliced_ell;
    row["ell_density"] = s.ell_density;
    row["rvs_density"] = s.rvs_density;
    row["sliced_ell_density"] = s.sliced_ell_density;
    row["ell_compute_density"] = s.ell_compute_density;
    row["rvs_compute_density"] = s.rvs_compute_density;
    return row;
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
        nb::dict row;
        row["begin"] = part.begin;
        row["rows"] = part.rows;
        row["nnz"] = part.nnz;
        row["width"] = part.width;
        row["density"] = part.density;
        row["seconds"] = part.seconds;
        all.append(row);
    }
    return all;
}

nb::list methods()
{
    nb::list all;
    for (int32_t i = 0; i < spl_method_count(); i++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        check(spl_method(i, &info));
        nb::dict row;
        row["id"] = info.id;
        row["summary"] = info.summary;
        row["source"] = info.source;
        row["revision"] = info.revision;
        row["deterministic"] = info.deterministic != 0;
        row["in_place"] = info.in_place != 0;
        row["processor"] = info.processor;
        all.append(row);
    }
    return all;
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
