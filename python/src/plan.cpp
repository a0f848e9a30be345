// SPDX-License-Identifier: Apache-2.0
// plan.cpp: plans. A plan holds the arrays of its operands.
#include "fields.h"
#include "matrix.h"
#include "operand.h"
#include "products.h"

#include <sparloom/triple.h>
#include <vector>

namespace nb = nanobind;

namespace sparloom
{
namespace
{

const field<spl_step> STEP[] = {
    FIELD(spl_step, phase),     FIELD(spl_step, method),  FIELD(spl_step, reason),
    FIELD(spl_step, row_count), FIELD(spl_step, rows),    FIELD(spl_step, seconds),
    FIELD(spl_step, bytes),     FIELD(spl_step, threads),
};

const field<spl_candidate> CANDIDATE[] = {
    FIELD(spl_candidate, step),   FIELD(spl_candidate, method),   FLAG(spl_candidate, applicable),
    FLAG(spl_candidate, chosen),  FIELD(spl_candidate, seconds),  FIELD(spl_candidate, bytes),
    FIELD(spl_candidate, reason), FIELD(spl_candidate, measured),
};

const field<spl_feature> FEATURE[] = {
    FIELD(spl_feature, name),
    FIELD(spl_feature, meaning),
    FIELD(spl_feature, value),
};

const field<spl_counters> COUNTERS[] = {
    FIELD(spl_counters, executions), FIELD(spl_counters, allocations),
    FIELD(spl_counters, live),       FIELD(spl_counters, peak),
    FIELD(spl_counters, launches),   FIELD(spl_counters, synchronisations),
    FIELD(spl_counters, fetched),
};

const field<spl_result> RESULT[] = {
    FIELD(spl_result, rows),
    FIELD(spl_result, cols),
    FIELD(spl_result, nnz),
    FLAG(spl_result, exact),
};

} // namespace

nb::str explanation_of(const spl_plan *plan)
{
    size_t length = 0;
    check(spl_plan_explain(plan, nullptr, 0, &length));
    std::vector<char> text(length + 1);
    check(spl_plan_explain(plan, text.data(), text.size(), nullptr));
    return nb::str(text.data());
}

namespace
{

enum class operation { SPMV, SPMM, SPGEMM, TRIPLE };

class plan
{
  public:
    // SpGEMM has B and perhaps D; the triple product has P as B and columns < 0; SpMM has columns >
    // 0; SpMV has neither.
    plan(const context &c, nb::handle a_parts, nb::handle b_parts, nb::handle d_parts,
         int64_t columns, nb::handle dict, nb::handle progress)
        : owner(c.owner), columns(columns), has_d(!d_parts.is_none()),
          kind(columns < 0          ? operation::TRIPLE
               : !b_parts.is_none() ? operation::SPGEMM
               : columns > 0        ? operation::SPMM
                                    : operation::SPMV)
    {
        options.take(dict, owner->context);
        a = std::make_unique<sparse_operand>();
        a->take(a_parts, "A");
        const bool across = options.options.op_a != SPL_NONE;
        rows = across ? a->view.cols : a->view.rows;
        inner = across ? a->view.rows : a->view.cols;
        if (is_sparse()) {
            b = std::make_unique<sparse_operand>();
            b->take(b_parts, "B");
            options.options.keep_result = 1;
        }
        if (has_d) {
            d = std::make_unique<sparse_operand>();
            d->take(d_parts, "D");
        }
        options.set_threads(kind == operation::SPMV   ? threads_for_vector(a->view)
                            : kind == operation::SPMM ? threads_for_dense(a->view, columns)
                                                      : threads_for_sparse(a->view, b->view));
        call(progress, [&] { return make(); });
    }
    ~plan()
    {
        spl_plan_destroy(made);
    }

    void spmv(nb::handle x_array, nb::handle y_array, nb::handle alpha, nb::handle beta,
              nb::handle row_mask, nb::handle stream_address, nb::handle progress);
    void spmm(nb::handle b_array, nb::handle c_array, nb::handle alpha, nb::handle beta,
              nb::handle row_mask, nb::handle stream_address, nb::handle progress);
    // As spmm(), and writes the rows of B that won to an array of int64.
    void winners(nb::handle b_array, nb::handle c_array, nb::handle winners_array,
                 nb::handle row_mask, nb::handle progress);
    // With an array for the values of C: they are written there, and the answer is None.
    nb::object spgemm(nb::handle alpha, nb::handle beta, nb::handle values_array,
                      nb::handle stream_address, nb::handle progress);
    void update(nb::handle a_parts, nb::handle b_parts, nb::handle d_parts,
                nb::handle stream_address);
    void wait();
    nb::str explain();
    nb::list steps();
    nb::list candidates();
    nb::list features();
    nb::dict counters();
    nb::object result();
    nb::tuple shape() const;

  private:
    bool is_sparse() const
    {
        return kind == operation::SPGEMM || kind == operation::TRIPLE;
    }
    spl_status make();
    spl_status fill(const scalars &s, void *values, const spl_stream *stream);
    void require(operation wanted, const char *call) const;

    context_pointer owner;
    int64_t columns, rows = 0, inner = 0;
    bool has_d, bounded = false; // nnz(C) was not known when the plan was made
    operation kind;
    product_options options;
    std::unique_ptr<sparse_operand> a, b, d;
    spl_plan *made = nullptr;
    std::atomic<bool> busy{false};
};

const char *const NAME = "the plan";

spl_status plan::make()
{
    const spl_options *o = &options.options;
    if (kind == operation::SPMV)
        return spl_spmv_plan(owner->context, &a->view, o, &made);
    if (kind == operation::SPMM)
        return spl_spmm_plan(owner->context, &a->view, columns, o, &made);
    spl_result result = SPL_RESULT_INIT;
    spl_status status = kind == operation::TRIPLE
                            ? spl_triple_plan(owner->context, &a->view, &b->view, o, &made)
                            : spl_spgemm_plan(owner->context, &a->view, &b->view,
                                              has_d ? &d->view : nullptr, o, &made);
    if (status == SPL_OK)
        status = spl_spgemm_result(made, &result);
    bounded = !result.exact;
    return status;
}

void plan::require(operation wanted, const char *call) const
{
    if (kind == wanted || (wanted == operation::SPGEMM && is_sparse()))
        return;
    PyErr_Format(PyExc_TypeError, "this is no plan of %s", call);
    throw nb::python_error();
}

// Of op(A). No claim: nothing changes it.
nb::tuple plan::shape() const
{
    return nb::make_tuple(rows, inner);
}

void plan::spmv(nb::handle x_array, nb::handle y_array, nb::handle alpha, nb::handle beta,
                nb::handle row_mask, nb::handle stream_address, nb::handle progress)
{
    const claim claimed(busy, NAME);
    require(operation::SPMV, "SpMV");
    array_view x, y;
    const spl_sparse &view = a->view;
    take_vector(x, x_array, "x", view, inner, false);
    take_vector(y, y_array, "out", view, rows, true);
    const scalars s(view.type, alpha, beta);
    const row_mask_argument mask(row_mask, rows);
    const stream_argument stream(view.place, stream_address);
    call(progress, [&] {
        return spl_spmv_execute_masked(made, s.alpha(), x.data(), s.beta(), y.data(),
                                       mask.pointer(), stream.pointer());
    });
}

void plan::spmm(nb::handle b_array, nb::handle c_array, nb::handle alpha, nb::handle beta,
                nb::handle row_mask, nb::handle stream_address, nb::handle progress)
{
    const claim claimed(busy, NAME);
    require(operation::SPMM, "SpMM");
    dense_operand x, y;
    x.take(b_array, "B");
    y.take(c_array, "out", true);
    const scalars s(a->view.type, alpha, beta);
    const row_mask_argument mask(row_mask, rows);
    const stream_argument stream(a->view.place, stream_address);
    call(progress, [&] {
        return spl_spmm_execute_masked(made, s.alpha(), &x.view, s.beta(), &y.view, mask.pointer(),
                                       stream.pointer());
    });
}

void plan::winners(nb::handle b_array, nb::handle c_array, nb::handle winners_array,
                   nb::handle row_mask, nb::handle progress)
{
    const claim claimed(busy, NAME);
    require(operation::SPMM, "SpMM");
    dense_operand x, y;
    array_view won;
    x.take(b_array, "B");
    y.take(c_array, "out", true);
    won.take(winners_array, "winners", true);
    if (won.dimensions() != 2 || won.index() != SPL_I64 || won.length(0) != rows ||
        won.length(1) != columns || won.stride(1) != 1) {
        PyErr_SetString(PyExc_ValueError, "winners: not what _plan.py makes");
        throw nb::python_error();
    }
    const row_mask_argument mask(row_mask, rows);
    call(progress, [&] {
        return spl_spmm_execute_winners(made, &x.view, &y.view, static_cast<int64_t *>(won.data()),
                                        columns, mask.pointer(), nullptr);
    });
}

// Plans with a bound compute where they have room, then pack.
spl_status plan::fill(const scalars &s, void *values, const spl_stream *stream)
{
    const spl_status status =
        spl_spgemm_execute(made, s.alpha(), s.beta(), bounded ? nullptr : values, stream);
    return status == SPL_OK && bounded ? spl_spgemm_export(made, nullptr, nullptr, values, stream)
                                       : status;
}

nb::object plan::spgemm(nb::handle alpha, nb::handle beta, nb::handle values_array,
                        nb::handle stream_address, nb::handle progress)
{
    const claim claimed(busy, NAME);
    require(operation::SPGEMM, "SpGEMM");
    const scalars s(a->view.type, alpha, beta);
    const stream_argument stream(a->view.place, stream_address);
    if (!values_array.is_none()) {
        spl_result result = SPL_RESULT_INIT;
        array_view values;
        check(spl_spgemm_result(made, &result));
        take_vector(values, values_array, "out", a->view, result.nnz, true);
        call(progress, [&] { return fill(s, values.data(), stream.pointer()); });
        return nb::none();
    }
    spl_matrix *product = nullptr;
    call(progress, [&] {
        spl_status status =
            spl_spgemm_execute(made, s.alpha(), s.beta(), nullptr, stream.pointer());
        return status == SPL_OK ? spl_spgemm_take(made, &product) : status;
    });
    return arrays_of(owner, product);
}

// Operands are taken over once the library has accepted them.
void plan::update(nb::handle a_parts, nb::handle b_parts, nb::handle d_parts,
                  nb::handle stream_address)
{
    const claim claimed(busy, NAME);
    std::unique_ptr<sparse_operand> taken[3];
    const nb::handle parts[] = {a_parts, b_parts, d_parts};
    const char *const names[] = {"A", "B", "D"};
    const spl_sparse *views[3] = {};
    for (int i = 0; i < 3; i++)
        if (!parts[i].is_none()) {
            taken[i] = std::make_unique<sparse_operand>();
            taken[i]->take(parts[i], names[i]);
            views[i] = &taken[i]->view;
        }
    const stream_argument stream(a->view.place, stream_address);
    call(nb::none(), [&] {
        return spl_plan_update_values(made, views[0], views[1], views[2], stream.pointer());
    });
    std::unique_ptr<sparse_operand> *const mine[] = {&a, &b, &d};
    for (int i = 0; i < 3; i++)
        if (taken[i])
            std::swap(*mine[i], taken[i]);
}

void plan::wait()
{
    const claim claimed(busy, NAME);
    call(nb::none(), [&] { return spl_plan_wait(made); });
}

nb::str plan::explain()
{
    const claim claimed(busy, NAME);
    return explanation_of(made);
}

nb::list plan::steps()
{
    const claim claimed(busy, NAME);
    return dicts_of(
        spl_plan_step_count(made), SPL_STEP_INIT,
        [&](int32_t i, spl_step *s) { return spl_plan_step(made, i, s); }, STEP);
}

nb::list plan::candidates()
{
    const claim claimed(busy, NAME);
    return dicts_of(
        spl_plan_candidate_count(made), SPL_CANDIDATE_INIT,
        [&](int32_t i, spl_candidate *c) { return spl_plan_candidate(made, i, c); }, CANDIDATE);
}

nb::list plan::features()
{
    const claim claimed(busy, NAME);
    return dicts_of(
        spl_plan_feature_count(made), SPL_FEATURE_INIT,
        [&](int32_t i, spl_feature *f) { return spl_plan_feature(made, i, f); }, FEATURE);
}

nb::dict plan::counters()
{
    const claim claimed(busy, NAME);
    spl_counters c = SPL_COUNTERS_INIT;
    check(spl_plan_counters(made, &c));
    return dict_of(c, COUNTERS);
}

nb::object plan::result()
{
    const claim claimed(busy, NAME);
    if (!is_sparse())
        return nb::none();
    spl_result r = SPL_RESULT_INIT;
    check(spl_spgemm_result(made, &r));
    return dict_of(r, RESULT);
}

} // namespace

void bind_plans(nb::module_ &m)
{
    const auto none = [] { return nb::arg().none(); };
    nb::class_<plan>(m, "Plan")
        .def(nb::init<const context &, nb::handle, nb::handle, nb::handle, int64_t, nb::handle,
                      nb::handle>(),
             nb::arg(), nb::arg(), none(), none(), nb::arg(), none(), none())
        .def("spmv", &plan::spmv, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none(), none(),
             none())
        .def("spmm", &plan::spmm, nb::arg(), nb::arg(), nb::arg(), nb::arg(), none(), none(),
             none())
        .def("winners", &plan::winners, nb::arg(), nb::arg(), nb::arg(), none(), none())
        .def("spgemm", &plan::spgemm, nb::arg(), nb::arg(), none(), none(), none())
        .def("update", &plan::update, none(), none(), none(), none())
        .def("wait", &plan::wait)
        .def("explain", &plan::explain)
        .def("steps", &plan::steps)
        .def("candidates", &plan::candidates)
        .def("features", &plan::features)
        .def("counters", &plan::counters)
        .def("result", &plan::result)
        .def_prop_ro("shape", &plan::shape);
}

} // namespace sparloom
