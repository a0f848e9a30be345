/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a case: special properties are rare, so that one seldom hides another, but pairs of them
 * occur. */
#include "random_case.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const random_setup random_setups[] = {
    {"cpu", NULL, 0, 300, 4000, 60000},
    {"emu", "emu", 1, 60, 500, 8000},
    {"emu64", "emu64", 1, 60, 500, 8000},
    {"several", "cpu,emu,emu64,emu:1", 3, 60, 500, 8000},
};
const int random_setup_count = (int)(sizeof random_setups / sizeof *random_setups);

static bool one_in(zoo_random *random, int64_t count)
{
    return zoo_random_below(random, count) == 0;
}

/* 0 .. most, each size about as often as its double. */
static int64_t any_size(zoo_random *random, int64_t most)
{
    double u = fabs(zoo_random_unit(random));
    return (int64_t)(exp(u * log((double)most + 1)) - 1);
}

/* ---- operands ---- */

static int64_t draw_dimension(zoo_random *random, const random_setup *setup)
{
    if (one_in(random, 25))
        return zoo_random_below(random, 2);
    if (one_in(random, 2))
        return 1 + zoo_random_below(random, setup->rows);
    return 1 + any_size(random, one_in(random, 6) ? setup->rare_rows : setup->rows);
}

static random_values draw_values(zoo_random *random)
{
    bool plain = zoo_random_below(random, 10) < 4;
    return plain ? VALUES_REAL : (random_values)zoo_random_below(random, VALUE_KINDS);
}

static random_matrix draw_matrix(zoo_random *random, int64_t rows, int64_t cols, spl_type type)
{
    random_matrix m = {.rows = rows, .cols = cols};
    m.form = zoo_form_number((int)zoo_random_below(random, ZOO_FORMS));
    m.form.type = type;
    m.family = (random_family)zoo_random_below(random, FAMILIES);
    m.degree = 1 + any_size(random, 24);
    m.values = draw_values(random);
    m.duplicates = one_in(random, 8);
    m.shuffled = one_in(random, 5);
    m.zeros = one_in(random, 8);
    m.seed = zoo_random_next(random);
    return m;
}

static spl_type draw_type(zoo_random *random, random_operation operation)
{
    if (one_in(random, operation == RANDOM_SPGEMM ? 60 : 8))
        return one_in(random, 2) ? SPL_F16 : SPL_BF16;
    return one_in(random, 2) ? SPL_F32 : SPL_F64;
}

static spl_operator draw_operator(zoo_random *random)
{
    return one_in(random, 3) ? (spl_operator)(1 + zoo_random_below(random, 2)) : SPL_NONE;
}

static random_matrix draw_factor(zoo_random *random, spl_operator op, int64_t rows, int64_t cols,
                                 spl_type type)
{
    bool turned = op != SPL_NONE;
    return draw_matrix(random, turned ? cols : rows, turned ? rows : cols, type);
}

/* So many columns that an array with an element for each is large, or beyond all memory; between
 * the two forced methods would take what other programs need. */
static void widen(zoo_random *random, random_case *c)
{
    int64_t bits =
        one_in(random, 2) ? 20 + zoo_random_below(random, 4) : 40 + zoo_random_below(random, 10);
    int64_t cols = INT64_C(1) << bits;
    random_matrix *wide[2] = {&c->b, &c->d};
    for (int m = 0; m < 2; m++) {
        *(m == 0 && c->options.op_b != SPL_NONE ? &wide[m]->rows : &wide[m]->cols) = cols;
        wide[m]->form.format = m == 0 && c->options.op_b != SPL_NONE ? SPL_CSC : SPL_CSR;
        wide[m]->form.offset_type = wide[m]->form.index_type = SPL_I64;
        wide[m]->degree = 1 + wide[m]->degree / 8;
        wide[m]->family = FAMILY_FEW_ENTRIES;
    }
}

static void draw_operands(zoo_random *random, random_case *c)
{
    const random_setup *s = c->setup;
    int64_t rows = draw_dimension(random, s),
            inner = one_in(random, 2) ? rows : draw_dimension(random, s);
    int64_t cols = one_in(random, 2) ? rows : draw_dimension(random, s);
    c->type = draw_type(random, c->operation);
    c->options.op_a = draw_operator(random);
    c->options.op_b = c->operation == RANDOM_SPGEMM ? draw_operator(random) : SPL_NONE;
    c->a = draw_factor(random, c->options.op_a, rows, inner, c->type);
    c->b = draw_factor(random, c->options.op_b, inner, cols, c->type);
    c->d = draw_matrix(random, rows, cols, c->type);
    c->has_d = one_in(random, 3);
    if (c->operation == RANDOM_SPGEMM && one_in(random, 40))
        widen(random, c);
    c->columns = one_in(random, 10) ? any_size(random, 130) : any_size(random, 20);
    c->pad_b = one_in(random, 3) ? zoo_random_below(random, 9) : 0;
    c->pad_c = one_in(random, 3) ? zoo_random_below(random, 9) : 0;
    c->order_b = one_in(random, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    c->order_c = one_in(random, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    c->x_values = draw_values(random);
    c->y_values = draw_values(random);
}

static void make_turned(zoo_triples *t, const random_matrix *recipe, spl_operator op)
{
    random_matrix_make(t, recipe);
    if (op != SPL_NONE)
        zoo_triples_transpose(t);
}

/* The sum over columns of op(A) of its entries there times those of that row of op(B). */
static int64_t products_of(const random_case *c)
{
    zoo_triples a, b;
    make_turned(&a, &c->a, c->options.op_a);
    make_turned(&b, &c->b, c->options.op_b);
    int64_t *lengths = zoo_allocate((size_t)b.rows * sizeof *lengths), sum = 0;
    memset(lengths, 0, (size_t)b.rows * sizeof *lengths);
    for (int64_t e = 0; e < b.nnz; e++)
        lengths[b.i[e]]++;
    for (int64_t e = 0; e < a.nnz; e++)
        sum += lengths[a.j[e]];
    free(lengths);
    zoo_triples_free(&a);
    zoo_triples_free(&b);
    return sum;
}

/* Makes operands smaller until the product takes little time. */
static void thin_out(random_case *c)
{
    while (c->operation == RANDOM_SPGEMM && products_of(c) > c->setup->products) {
        if (c->a.degree == 1 && c->b.degree == 1)
            c->a.family = FAMILY_DIAGONAL;
        c->a.degree = 1 + (c->a.degree - 1) / 2;
        c->b.degree = 1 + (c->b.degree - 1) / 2;
    }
    while (c->operation == RANDOM_SPMM &&
           c->a.rows * c->a.degree * c->columns > 4 * c->setup->products)
        c->columns /= 2;
}

/* ---- scalars ---- */

static double draw_number(zoo_random *random, spl_type type)
{
    bool f64 = type == SPL_F64;
    double unit = zoo_random_unit(random);
    switch (zoo_random_below(random, 16)) {
    case 0:
    case 1:
        return one_in(random, 2) ? 0.0 : -0.0;
    case 2:
        return -1;
    case 3:
        return unit * (f64 ? 0x1p-1062 : 0x1p-140);
    case 4:
        return unit * (f64 ? DBL_MAX : FLT_MAX);
    case 5:
        return one_in(random, 2) ? INFINITY : -INFINITY;
    case 6:
        return NAN;
    case 7:
    case 8:
    case 9:
        return 1;
    default:
        return unit;
    }
}

static random_scalar draw_scalar(zoo_random *random, spl_type type)
{
    double number = draw_number(random, type);
    return (random_scalar){one_in(random, 5), type == SPL_F64 ? number : (double)(float)number};
}

/* ---- calls ---- */

static void draw_rounds(zoo_random *random, random_case *c)
{
    c->one_shot = one_in(random, 3);
    c->rounds = c->one_shot ? 1 : 1 + (int)zoo_random_below(random, RANDOM_ROUNDS);
    for (int r = 0; r < RANDOM_ROUNDS; r++) {
        c->alpha[r] = draw_scalar(random, c->type);
        c->beta[r] = draw_scalar(random, c->type);
        c->update[r] = r > 0 ? (random_update)zoo_random_below(random, UPDATES) : UPDATE_NONE;
    }
}

/* Whether the method is one of the operation, and of a phase other than that of `before`. */
static bool may_be_listed(const random_case *c, const spl_method_info *info, const char *before)
{
    static const char *const prefixes[] = {"spmv/", "spmm/", "spgemm/"};
    const char *prefix = prefixes[c->operation], *phase = info->id + strlen(prefix);
    if (strncmp(info->id, prefix, strlen(prefix)) != 0)
        return false;
    return !*before || strncmp(before + strlen(prefix), phase, 3) != 0;
}

static const char *draw_method(zoo_random *random, const random_case *c, const char *before)
{
    const char *drawn = "", *processor = c->setup->devices ? "gpu" : "cpu";
    int64_t met = 0;
    for (int32_t m = 0; m < spl_method_count(); m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        if (spl_method(m, &info) != SPL_OK || strcmp(info.processor, processor) != 0)
            continue;
        if (may_be_listed(c, &info, before) && one_in(random, ++met))
            drawn = info.id;
    }
    return drawn;
}

static void draw_methods(zoo_random *random, random_case *c)
{
    if (!one_in(random, 3))
        return;
    const char *first = draw_method(random, c, "");
    const char *second =
        c->operation == RANDOM_SPGEMM && one_in(random, 2) ? draw_method(random, c, first) : "";
    snprintf(c->method, sizeof c->method, "%s%s%s", first, *second ? "," : "", second);
}

static void draw_options(zoo_random *random, random_case *c)
{
    spl_options *o = &c->options;
    if (one_in(random, 6))
        o->policy = one_in(random, 4) ? SPL_POLICY_RULES : SPL_POLICY_MEASURE;
    o->deterministic = one_in(random, 4);
    o->unsorted = c->operation == RANDOM_SPGEMM && one_in(random, 5);
    o->keep_result = c->operation == RANDOM_SPGEMM && !c->one_shot && one_in(random, 4);
    o->check_inputs = one_in(random, 10);
    o->executions = one_in(random, 2) ? (int32_t)any_size(random, 1000) : 0;
    o->updates = one_in(random, 4) ? (int32_t)any_size(random, 1000) : 0;
    o->exact = c->operation == RANDOM_SPGEMM && one_in(random, 4);
    o->threads = one_in(random, 4) ? 1 + (int32_t)zoo_random_below(random, 8) : 0;
    o->dense_order = c->operation == RANDOM_SPMM && one_in(random, 3) ? c->order_b : (spl_order)0;
    if (c->operation == RANDOM_SPGEMM && one_in(random, 5))
        o->result_offset_type = one_in(random, 2) ? SPL_I32 : SPL_I64;
    if (c->operation == RANDOM_SPMM && one_in(random, 6))
        o->accuracy = SPL_ACCURACY_REDUCED;
    c->take = o->keep_result && one_in(random, 2);
}

/* Bytes from far too few to more than enough; allocations that fail from one on. */
static void draw_memory(zoo_random *random, random_case *c)
{
    c->hooked = one_in(random, 2);
    c->fails_at = c->hooked && one_in(random, 6) ? any_size(random, 60) : -1;
    if (!one_in(random, 5))
        return;
    c->options.memory_budget = (size_t)(64 * exp(fabs(zoo_random_unit(random)) * log(0x1p15)));
    c->context_budget = c->resident == 0 && one_in(random, 3);
}

static void draw_processors(zoo_random *random, random_case *c)
{
    int count = c->setup->devices_count;
    uint64_t most = (UINT64_C(1) << (count + 1)) - 1;
    c->resident = count && one_in(random, 2) ? 1 + (int)zoo_random_below(random, count) : 0;
    if (count > 1 || (count == 1 && one_in(random, 4)))
        c->options.processors = (uint64_t)zoo_random_below(random, (int64_t)most + 1);
    c->device_scalars = c->resident && c->options.processors == 0 && one_in(random, 4);
    if (one_in(random, 2))
        c->options.partition = (spl_partition_kind)zoo_random_below(random, 5);
    c->has_capabilities = one_in(random, 2);
    for (int p = 0; p < RANDOM_MOST_PROCESSORS; p++)
        c->capabilities[p] = one_in(random, 4) ? 1e-9 : 1 + zoo_random_unit(random) / 2;
}

random_case random_case_draw(const random_setup *setup, uint64_t seed, uint64_t number)
{
    random_case c = {.setup = setup, .seed = seed, .number = number, .options = SPL_OPTIONS_INIT};
    zoo_random random;
    zoo_random_seed(&random, seed * UINT64_C(0x9E3779B97F4A7C15) + number);
    c.operation = (random_operation)zoo_random_below(&random, RANDOM_OPERATIONS);
    c.threads = 1 + (int)zoo_random_below(&random, 8);
    draw_operands(&random, &c);
    draw_rounds(&random, &c);
    draw_processors(&random, &c);
    draw_options(&random, &c);
    draw_methods(&random, &c);
    draw_memory(&random, &c);
    thin_out(&c);
    for (int run = 0; run < 2; run++)
        c.schedules[run] = one_in(&random, 2) ? (int)zoo_random_below(&random, 1000) : 0;
    c.again = c.options.deterministic ? 1 + (int)zoo_random_below(&random, 8) : 0;
    return c;
}
