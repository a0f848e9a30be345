// SPDX-License-Identifier: Apache-2.0
#include "kept_plans.h"

#include <utility>
#include <vector>

namespace sparloom
{
namespace
{

constexpr int MOST_PLANS = 16; // a multigrid hierarchy with its transfer operators

// Each of them reads offsets, indices and values where they are, and cuts between rows (columns)
// only. The others keep something of the structure.
const char *const BY_ROWS = "spmv/compute/cpu/csr_scalar";
const char *const BY_LONG_ROWS = "spmv/compute/cpu/csr_vector";
const char *const BY_ROWS_OF_INTEGERS = "spmv/compute/cpu/semiring_rows";
const char *const BY_COLUMNS = "spmv/compute/cpu/csr_transposed";
// entries from which on SciPy takes a tenth of a millisecond: see scipy_products.cpp
constexpr int64_t LEAST_SHARED = 200'000;

kept_plan plans[MOST_PLANS];
uint64_t now;
// For interpreters without a GIL. Nobody calls Python, which might wait for other threads, while he
// has it.
nanobind::ft_mutex guard;

// What a plan leaves behind. It is destroyed without the lock: a context may take an allocator of
// the caller's with it, and a weak reference may call forget_plan_of().
class remains
{
  public:
    explicit remains(kept_plan &kept)
        : plan(std::exchange(kept.plan, nullptr)), context(std::move(kept.context))
    {
        for (int i = 0; i < 3; i++)
            watch[i] = std::exchange(kept.watch[i], nullptr);
        kept.frozen = kept.forgotten = false;
        kept.used = 0;
        kept.uses = 0;
    }
    remains(remains &&other) noexcept
        : plan(std::exchange(other.plan, nullptr)), context(std::move(other.context))
    {
        for (int i = 0; i < 3; i++)
            watch[i] = std::exchange(other.watch[i], nullptr);
    }
    ~remains()
    {
        spl_plan_destroy(plan);
        for (PyObject *reference : watch)
            Py_XDECREF(reference);
    }

  private:
    spl_plan *plan;
    context_pointer context;
    PyObject *watch[3];
};

bool same(const spl_sparse &a, const spl_sparse &b)
{
    return a.values == b.values && a.indices == b.indices && a.offsets == b.offsets &&
           a.format == b.format && a.type == b.type && a.index_type == b.index_type &&
           a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz;
}

const char *method_of(const spl_sparse &matrix)
{
    if (matrix.format == SPL_CSC)
        return BY_COLUMNS;
    if (matrix.type == SPL_INT32 || matrix.type == SPL_INT64)
        return BY_ROWS_OF_INTEGERS;
    return matrix.nnz / LONG_ROW >= matrix.rows ? BY_LONG_ROWS : BY_ROWS;
}

bool watches(const kept_plan &kept, PyObject *reference)
{
    return kept.watch[0] == reference || kept.watch[1] == reference || kept.watch[2] == reference;
}

// An array is gone.
void forget_plan_of(nanobind::handle reference)
{
    std::vector<remains> gone;
    const nanobind::ft_lock_guard lock(guard);
    for (kept_plan &kept : plans)
        if (!kept.busy && watches(kept, reference.ptr()))
            gone.emplace_back(kept);
}

// The array that owns the memory: others are views of it, made for a call or two.
nanobind::object owner_of(nanobind::handle array)
{
    nanobind::object owner = nanobind::borrow(array);
    for (;;) {
        nanobind::object base = owner.attr("base");
        if (base.type().ptr() != array.type().ptr())
            return owner;
        owner = base;
    }
}

// The plan for the matrix, or else the least recent one; those that are busy do not count.
kept_plan *find(const context_pointer &context, const spl_sparse &matrix,
                std::vector<remains> *gone)
{
    kept_plan *oldest = nullptr;
    for (kept_plan &kept : plans) {
        if (kept.busy)
            continue;
        if (kept.context == context && same(kept.matrix, matrix))
            return &kept;
        if (!oldest || kept.used < oldest->used)
            oldest = &kept;
    }
    if (oldest)
        gone->emplace_back(*oldest);
    return oldest;
}

} // namespace

kept_plan *acquire_plan(const context_pointer &context, const spl_sparse &matrix)
{
    std::vector<remains> gone;
    const nanobind::ft_lock_guard lock(guard);
    kept_plan *kept = find(context, matrix, &gone);
    if (!kept)
        return nullptr;
    kept->matrix = matrix;
    kept->context = context;
    kept->busy = true;
    kept->used = ++now;
    kept->uses++;
    return kept;
}

void release_plan(kept_plan *kept)
{
    std::vector<remains> gone;
    const nanobind::ft_lock_guard lock(guard);
    kept->busy = false;
    if (kept->forgotten)
        gone.emplace_back(*kept);
}

void freeze_plan(kept_plan *kept, nanobind::handle first, nanobind::handle second,
                 nanobind::handle values)
{
    if (kept->frozen || kept->uses <= FEW_USES)
        return;
    static const nanobind::object *const gone =
        new nanobind::object(nanobind::cpp_function(&forget_plan_of));
    const nanobind::handle arrays[] = {first, second, values};
    for (int i = 0; i < 3; i++) {
        const nanobind::object owner = owner_of(arrays[i]);
        Py_XDECREF(kept->watch[i]);
        kept->watch[i] = PyWeakref_NewRef(owner.ptr(), gone->ptr());
        if (!kept->watch[i]) {
            PyErr_Clear();
            return;
        }
    }
    spl_plan_destroy(kept->plan);
    kept->plan = nullptr;
    kept->frozen = true;
}

spl_status make_plan(kept_plan *kept)
{
    if (kept->plan)
        return SPL_OK;
    spl_options options = SPL_OPTIONS_INIT;
    options.method = kept->frozen ? nullptr : method_of(kept->matrix);
    options.threads = kept->matrix.nnz < LEAST_SHARED ? 1 : 0;
    return spl_spmv_plan(kept->context->context, &kept->matrix, &options, &kept->plan);
}

void forget_plans()
{
    std::vector<remains> gone;
    const nanobind::ft_lock_guard lock(guard);
    for (kept_plan &kept : plans)
        if (kept.busy)
            kept.forgotten = true;
        else
            gone.emplace_back(kept);
}

} // namespace sparloom
