/* SPDX-License-Identifier: Apache-2.0 */
/* device_factors.c: chooses the matrices that SpGEMM on a device multiplies: the operands, or
 * their compact forms. */
#include "plan/forced.h"
#include "spgemm/gpu/device_product.h"
#include "structure/device_identical_rows.h"

const char spl__known_by_blocks[] = "C's structure is known by blocks";
const char spl__known_by_rows[] = "C's structure is known by groups of rows";

bool spl__device_factors_plain(const spl_plan *plan)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    return factors->block == 1 && !factors->distinct;
}

const char *spl__not_plain(const spl__task *task)
{
    const spl__device_factors *factors = &spl__product_of(task->plan)->device_c->factors;
    if (factors->block > 1)
        return spl__known_by_blocks;
    return factors->distinct ? spl__known_by_rows : NULL;
}

static double ratio(double count, double to)
{
    return to > 0 ? count / to : 1;
}

/* A row of C has as many columns as the merged row that represents it. */
spl__device_times spl__device_times_of(const spl_plan *plan)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    const spl__features *f = &plan->features;
    double block = factors->block, entry = block * block;
    if (!factors->distinct)
        return (spl__device_times){block, entry, entry, entry, entry * block};
    double rows = ratio(f->rows, (double)factors->a.rows),
           runs = ratio(f->nnz_a, (double)factors->a.nnz);
    return (spl__device_times){.rows = rows, .a = runs, .b = 1, .c = rows, .products = runs};
}

/* Compact forms are not used with the policy `rules`, nor if a method is forced that does not
 * support them. */
static bool may_be(const spl_plan *plan, unsigned attribute)
{
    const spl_options *options = &plan->problem.options;
    if (options->method)
        return spl__attribute_is_forced(plan, SPL__PROCESSOR_gpu, attribute);
    return options->policy != SPL_POLICY_RULES;
}

/* Results of the search in operands that were copied to this device. */
struct looked {
    uint32_t blocks[3], unused;
    struct device_identical_sample identical;
};

/* Whether the operand has the arrays of the first. */
static bool is_twin(spl__operand *const *operands, int i)
{
    return i > 0 && spl__view_same_structure(&operands[0]->csr, &operands[i]->csr);
}

static spl_status look(spl_plan *plan, spl__operand *const *operands, int count,
                       struct looked *sample)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__queue_fill(queue, sample, 0, sizeof *sample));
    for (int i = 0; i < count; i++)
        if (!is_twin(operands, i))
            SPL__TRY(spl__device_blocks_look(queue, &operands[i]->csr, &sample->blocks[i]));
    return operands[0]->csr.rows > 0
               ? spl__device_identical_sample(queue, &operands[0]->csr, &sample->identical)
               : SPL_OK;
}

/* Resident operands have been surveyed already; operands that were copied to this device are
 * searched now. */
static spl_status look_at_operands(spl_plan *plan, spl__operand *const *operands, int count)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array device_sums;
    struct looked found;
    if (!plan->problem.staged)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &device_sums));
    spl_status status = look(plan, operands, count, device_sums.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, device_sums.data, sizeof found);
    spl__queue_free(queue, &device_sums);
    if (status != SPL_OK)
        return status;
    for (int i = 0; i < count; i++)
        operands[i]->survey.block = found.blocks[is_twin(operands, i) ? 0 : i];
    operands[0]->survey.repeated =
        ratio((double)found.identical.repeated, (double)found.identical.sampled);
    return SPL_OK;
}

/* The largest size of node blocks that all operands have. */
static int32_t block_size(spl__operand *const *operands, int count)
{
    const spl_sparse *matrices[3];
    int64_t found[3];
    for (int i = 0; i < count; i++) {
        matrices[i] = &operands[i]->csr;
        found[i] = operands[i]->survey.block;
    }
    return spl__device_block_size(matrices, found, count, SPGEMM_MOST_BLOCK);
}

/* With many products identical rows are better than holed blocks (fixed unknowns, one-shot: 1.2
 * to 1.4 times as fast). With few products they are worse: bcsstk16 and 17, numeric: .079 and
 * .075 ms with holed blocks, .088 and .094 with identical rows. */
static spl_status find_imperfect(spl_plan *plan, bool blocks, bool rows, bool asked)
{
    const spl__features *f = &plan->features;
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    bool few =
        f->nnz_a * (f->inner > 0 ? f->nnz_b / f->inner : 0) < plan->gpu_machine->spgemm_holed_first;
    if (blocks && (asked || (few && !plan->problem.once)))
        SPL__TRY(spl__device_holed_factors(plan, asked));
    if (rows && !factors->holed)
        SPL__TRY(spl__device_distinct_rows_factors(plan, asked));
    return blocks && !asked && !few && !factors->distinct ? spl__device_holed_factors(plan, false)
                                                          : SPL_OK;
}

spl_status spl__device_factors_make(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    spl__operand *const operands[] = {&p->a, &p->b, &p->d};
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    int count = p->has_d ? 3 : 2;
    bool blocks = may_be(plan, SPL__OF_BLOCKS), rows = may_be(plan, SPL__OF_IDENTICAL_ROWS),
         asked = p->options.method;
    factors->a = p->a.csr;
    factors->b = p->b.csr;
    if (p->has_d)
        factors->d = p->d.csr;
    factors->block = 1;
    if (!blocks && !rows)
        return SPL_OK;
    SPL__TRY(look_at_operands(plan, operands, count));
    int32_t size = blocks ? block_size(operands, count) : 1;
    if (size > 1)
        return spl__device_blocks_factors(plan, size);
    return find_imperfect(plan, blocks, rows, asked);
}

spl_status spl__device_factors_expand(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_factors *factors = &device_c->factors;
    if (spl__device_factors_plain(plan))
        return SPL_OK;
    factors->offsets = device_c->offsets;
    factors->columns = device_c->columns;
    device_c->offsets = device_c->columns = (spl__device_array){NULL, 0};
    if (factors->holed) {
        factors->blocks_of_c = device_c->nnz;
        /* an estimate until the holes are known */
        plan->features.nnz_c = (double)device_c->nnz * factors->block * factors->block;
        return SPL_OK;
    }
    return factors->distinct ? spl__device_distinct_rows_expand(plan)
                             : spl__device_blocks_expand(plan);
}

const int64_t *spl__device_offsets(const spl_plan *plan)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    return device_c->factors.offsets.data ? device_c->factors.offsets.data : device_c->offsets.data;
}

const int32_t *spl__device_columns(const spl_plan *plan)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    return device_c->factors.columns.data ? device_c->factors.columns.data : device_c->columns.data;
}

void spl__device_factors_free(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    spl__device_blocks_free(queue, &factors->a_blocks);
    spl__device_blocks_free(queue, &factors->b_blocks);
    spl__device_blocks_free(queue, &factors->d_blocks);
    spl__device_distinct_rows_free(queue, &factors->a_distinct);
    spl__device_distinct_rows_free(queue, &factors->d_distinct);
    spl__device_holed_forget(plan);
    spl__queue_free(queue, &factors->offsets);
    spl__queue_free(queue, &factors->columns);
    spl__queue_free(queue, &factors->c_offsets);
}
