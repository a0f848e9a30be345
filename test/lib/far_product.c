/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/far_product.h"

enum { MOST_ROWS = 30 };

void far_product_draw_places(zoo_random *random, far_product *p)
{
    for (int64_t k = 0; k < FAR_POOL; k++)
        p->positions[k] = p->inner / FAR_POOL * k + zoo_random_below(random, p->inner / FAR_POOL);
    p->positions[FAR_POOL - 1] = p->inner - 1;
}

/* Entries anywhere, some twice, values 1 to 9; few of the positions have any. */
static void draw_entries(zoo_random *random, int64_t rows, int64_t cols, zoo_triples *t)
{
    int64_t entries = zoo_random_below(random, 60);
    zoo_triples_start(t, rows, cols);
    for (int64_t e = 0; e < entries; e++)
        zoo_triples_add(t, zoo_random_below(random, rows), zoo_random_below(random, cols),
                        (double)(1 + zoo_random_below(random, 9)));
}

void far_product_draw_operand(zoo_random *random, const far_product *p, int64_t outer,
                              bool by_columns, far_operand *o)
{
    bool wide = p->inner > INT32_MAX || zoo_random_below(random, 2);
    spl_index type = wide ? SPL_I64 : SPL_I32;
    spl_format lines = by_columns ? SPL_CSR : SPL_CSC;
    zoo_form form = {zoo_random_below(random, 2) ? SPL_COO : lines, SPL_F64, type, type};
    draw_entries(random, by_columns ? outer : FAR_POOL, by_columns ? FAR_POOL : outer,
                 &o->near_triples);
    zoo_triples *near = &o->near_triples, *far = &o->far_triples;
    zoo_triples_start(far, by_columns ? outer : p->inner, by_columns ? p->inner : outer);
    for (int64_t e = 0; e < near->nnz; e++)
        zoo_triples_add(far, by_columns ? near->i[e] : p->positions[near->i[e]],
                        by_columns ? p->positions[near->j[e]] : near->j[e], near->v[e]);
    zoo_build(&o->near, near, form);
    zoo_build(&o->far, far, form);
}

void far_operand_free(far_operand *o)
{
    zoo_matrix_free(&o->near);
    zoo_matrix_free(&o->far);
    zoo_triples_free(&o->near_triples);
    zoo_triples_free(&o->far_triples);
}

far_product far_product_draw(zoo_random *random, int64_t inner)
{
    far_product p = {.options = SPL_OPTIONS_INIT, .inner = inner};
    zoo_triples d;
    p.rows = 1 + zoo_random_below(random, MOST_ROWS);
    p.cols = 1 + zoo_random_below(random, MOST_ROWS);
    p.options.op_a = (spl_operator)zoo_random_below(random, 3);
    p.options.op_b = (spl_operator)zoo_random_below(random, 3);
    p.options.keep_result = 1;
    p.options.check_inputs = zoo_random_below(random, 2);
    far_product_draw_places(random, &p);
    far_product_draw_operand(random, &p, p.rows, p.options.op_a == SPL_NONE, &p.a);
    far_product_draw_operand(random, &p, p.cols, p.options.op_b != SPL_NONE, &p.b);
    p.has_d = zoo_random_below(random, 2);
    draw_entries(random, p.rows, p.cols, &d);
    zoo_build(&p.d, &d, (zoo_form){SPL_CSR, SPL_F64, SPL_I32, SPL_I32});
    zoo_triples_free(&d);
    return p;
}

void far_product_say(const far_product *p)
{
    testing_case("inner dimension %lld, op %d %d, formats %d %d, %lld and %lld entries, D %d",
                 (long long)p->inner, (int)p->options.op_a, (int)p->options.op_b,
                 (int)p->a.far.view.format, (int)p->b.far.view.format, (long long)p->a.far.view.nnz,
                 (long long)p->b.far.view.nnz, p->has_d);
}

void far_product_free(far_product *p)
{
    far_operand_free(&p->a);
    far_operand_free(&p->b);
    zoo_matrix_free(&p->d);
}

const spl_sparse *far_product_d(const far_product *p)
{
    return p->has_d ? &p->d.view : NULL;
}

/* ---- results ---- */

spl_matrix *far_product_of_near(spl_context *context, const far_product *p)
{
    const double beta = FAR_BETA;
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm(context, NULL, &p->a.near.view, &p->b.near.view, &beta, far_product_d(p),
                         &p->options, &c));
    return c;
}

void far_product_expect(const spl_sparse *v, const spl_sparse *e)
{
    EXPECT(v->rows == e->rows && v->cols == e->cols && v->nnz == e->nnz);
    for (int64_t i = 0; i <= v->rows; i++)
        EXPECT(zoo_index_at(v->offsets, v->offset_type, i) ==
               zoo_index_at(e->offsets, e->offset_type, i));
    for (int64_t k = 0; k < v->nnz; k++)
        EXPECT(zoo_index_at(v->indices, v->index_type, k) ==
                   zoo_index_at(e->indices, e->index_type, k) &&
               zoo_value_at(v->values, v->type, k) == zoo_value_at(e->values, e->type, k));
}
