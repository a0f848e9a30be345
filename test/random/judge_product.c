/* SPDX-License-Identifier: Apache-2.0 */
#include "judge_product.h"

#include "exact_sums.h"

#include <stdlib.h>

/* A term of an element of C, or, with `value`, an entry of C. */
typedef struct term {
    int64_t i, j;
    double a, b; /* the old value in a */
    bool old;
} term;

typedef struct terms {
    term *list;
    int64_t count;
} terms;

static int by_position(const void *left, const void *right)
{
    const term *x = left, *y = right;
    int rows = (x->i > y->i) - (x->i < y->i);
    return rows ? rows : (x->j > y->j) - (x->j < y->j);
}

static bool same_position(const term *x, const term *y)
{
    return by_position(x, y) == 0;
}

static void sort(terms *t)
{
    qsort(t->list, (size_t)t->count, sizeof *t->list, by_position);
}

/* ---- what must be there ---- */

/* Entries of op(view) as terms, by rows. */
static terms entries_of(const spl_sparse *view, spl_operator op)
{
    zoo_triples t;
    zoo_triples_of_view(&t, view);
    if (op != SPL_NONE)
        zoo_triples_transpose(&t);
    terms entries = {zoo_allocate((size_t)t.nnz * sizeof(term)), t.nnz};
    for (int64_t e = 0; e < t.nnz; e++)
        entries.list[e] = (term){t.i[e], t.j[e], t.v[e], 0, true};
    zoo_triples_free(&t);
    sort(&entries);
    return entries;
}

/* The first of the sorted entries that is in this row or a later one. */
static int64_t first_of_row(const terms *sorted, int64_t row)
{
    int64_t low = 0, high = sorted->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sorted->list[middle].i < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t row_length(const terms *sorted, int64_t row)
{
    return first_of_row(sorted, row + 1) - first_of_row(sorted, row);
}

static int64_t products_of(const terms *a, const terms *b)
{
    int64_t count = 0;
    for (int64_t e = 0; e < a->count; e++)
        count += row_length(b, a->list[e].j);
    return count;
}

static terms all_terms(const terms *a, const terms *b, const terms *d)
{
    terms all = {zoo_allocate((size_t)(products_of(a, b) + d->count) * sizeof(term)), 0};
    for (int64_t e = 0; e < a->count; e++) {
        const term *left = &a->list[e];
        for (int64_t f = first_of_row(b, left->j); f < b->count && b->list[f].i == left->j; f++)
            all.list[all.count++] = (term){left->i, b->list[f].j, left->a, b->list[f].a, false};
    }
    for (int64_t e = 0; e < d->count; e++)
        all.list[all.count++] = d->list[e];
    sort(&all);
    return all;
}

/* ---- the computed C ---- */

static bool header_is_right(random_run *r, const spl_sparse *const operands[3], const spl_sparse *c)
{
    const spl_options *o = &r->c->options;
    int64_t rows = o->op_a != SPL_NONE ? operands[0]->cols : operands[0]->rows;
    int64_t cols = o->op_b != SPL_NONE ? operands[1]->rows : operands[1]->cols;
    bool types = c->type == r->c->type &&
                 (!o->result_offset_type || c->offset_type == o->result_offset_type);
    return c->format == SPL_CSR && c->rows == rows && c->cols == cols && types &&
           zoo_index_at(c->offsets, c->offset_type, 0) == 0 &&
           zoo_index_at(c->offsets, c->offset_type, rows) == c->nnz;
}

/* Rows of C in order, if its offsets make sense. */
static bool read_product(random_run *r, const spl_sparse *c, terms *t)
{
    bool sorted = !r->c->options.unsorted;
    *t = (terms){zoo_allocate((size_t)c->nnz * sizeof(term)), 0};
    for (int64_t i = 0; i < c->rows; i++) {
        int64_t begin = zoo_index_at(c->offsets, c->offset_type, i);
        int64_t end = zoo_index_at(c->offsets, c->offset_type, i + 1);
        if (begin != t->count || end < begin || end > c->nnz) {
            run_fault(r, "row %lld of C has entries %lld to %lld", (long long)i, (long long)begin,
                      (long long)end);
            return false;
        }
        for (int64_t e = begin, last = -1; e < end; e++) {
            int64_t j = zoo_index_at(c->indices, c->index_type, e);
            if (sorted && j <= last)
                run_fault(r, "row %lld of C: column %lld behind %lld", (long long)i, (long long)j,
                          (long long)last);
            t->list[t->count++] = (term){i, j, zoo_value_at(c->values, c->type, e), 0, false};
            last = j;
        }
    }
    sort(t);
    return !run_is_faulty(r);
}

/* ---- comparison ---- */

/* The sum of the terms from `at` on that have its position; `at` goes behind them. */
static exact_sum add_terms(const terms *all, int64_t *position, const random_case *c, int round)
{
    exact_sum sum = {0};
    const term *first = &all->list[*position];
    for (; *position < all->count && same_position(&all->list[*position], first); ++*position) {
        const term *t = &all->list[*position];
        if (t->old)
            exact_add_old(&sum, run_beta(c, round), t->a);
        else if (run_alpha(c, round) != 0)
            exact_add_product(&sum, t->a, t->b);
    }
    return sum;
}

static void compare_element(random_run *r, const term *entry, const exact_sum *sum, int round)
{
    exact_rule rule = {run_alpha(r->c, round), r->c->type, false, true, r->c->device_scalars};
    if (!exact_accepts(sum, &rule, entry->a))
        run_fault(r,
                  "round %d: element (%lld,%lld) is %.17g; alpha %g times %.17Lg (%lld terms, "
                  "sizes %Lg) plus %.17Lg",
                  round, (long long)entry->i, (long long)entry->j, entry->a, rule.alpha,
                  sum->products.value, (long long)sum->products.terms, sum->products.size,
                  sum->old.value);
}

static void compare(random_run *r, const terms *all, const terms *product, int round)
{
    int64_t position = 0, e = 0;
    for (; position < all->count && e < product->count; e++) {
        const term *entry = &product->list[e], *expected = &all->list[position];
        if (!same_position(entry, expected)) {
            run_fault(r, "round %d: C has (%lld,%lld) where (%lld,%lld) is expected", round,
                      (long long)entry->i, (long long)entry->j, (long long)expected->i,
                      (long long)expected->j);
            return;
        }
        exact_sum sum = add_terms(all, &position, r->c, round);
        compare_element(r, entry, &sum, round);
    }
    if (position < all->count || e < product->count)
        run_fault(r, "round %d: C has %lld entries, %s", round, (long long)product->count,
                  position < all->count ? "some are missing" : "too many");
}

void judge_product(random_run *r, const spl_sparse *const operands[3], const spl_sparse *c,
                   int round)
{
    if (!header_is_right(r, operands, c)) {
        run_fault(r, "C is %lld x %lld with %lld entries, type %d, offsets %d: its header is wrong",
                  (long long)c->rows, (long long)c->cols, (long long)c->nnz, c->type,
                  c->offset_type);
        return;
    }
    terms a = entries_of(operands[0], r->c->options.op_a),
          b = entries_of(operands[1], r->c->options.op_b);
    terms d = operands[2] ? entries_of(operands[2], SPL_NONE) : (terms){NULL, 0};
    terms all = all_terms(&a, &b, &d), product;
    if (read_product(r, c, &product))
        compare(r, &all, &product, round);
    terms *const made[] = {&a, &b, &d, &all, &product};
    for (int k = 0; k < 5; k++)
        free(made[k]->list);
}
