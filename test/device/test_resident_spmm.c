/* SPDX-License-Identifier: Apache-2.0 */
/* SpMM on a device with operands anywhere in its memory: any number of columns, leading dimension,
 * order and alignment, by every method, on rows that are joined, cut and ordered. */
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

/* A grid of side args[0], each node and its eight neighbours, numbered in jumps of args[1]:
 * neighbours in the matrix are none in the grid. */
static void scattered_grid(zoo_triples *t, const int64_t *args, uint64_t seed)
{
    const int64_t side = args[0], nodes = side * side;
    zoo_triples_start(t, nodes, nodes);
    for (int64_t n = 0; n < nodes; n++)
        for (int64_t k = 0; k < 9; k++) {
            const int64_t x = n % side + k % 3 - 1, y = n / side + k / 3 - 1;
            if (x >= 0 && x < side && y >= 0 && y < side)
                zoo_triples_add(t, n * args[1] % nodes, (y * side + x) * args[1] % nodes, 1);
        }
    zoo_triples_fill(t, ZOO_REAL, seed);
}

/* As many entries in each row, anywhere. */
static void scattered_rows(zoo_triples *t, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(t, args[0], args[0]);
    for (int64_t i = 0; i < args[0]; i++)
        for (int64_t k = 0; k < args[1]; k++)
            zoo_triples_add(t, i, (i * i + (k + 1) * (i * 7919 + k * k * 104729)) % args[0], 1);
    zoo_triples_fill(t, ZOO_REAL, seed);
}

/* Blocks of four rows with the same columns; rows of all lengths; one row that is cut by every
 * method that cuts; one that is so much of a small matrix that several blocks compute it. */
static const zoo_maker makers[] = {
    {"runs of rows", zoo_box, {5, 3, 2, 4}, false}, /* four rows each, joined in threes */
    {"graph", zoo_rmat, {6, 400}, false},
    {"long row", zoo_dense_row, {9, 1200, 4, 2}, false},
    {"row in parts", zoo_dense_row, {9, 900, 4, 2}, false},
    {"scattered grid", scattered_grid, {40, 611}, false},
    {"grid", scattered_grid, {40, 1}, false},
    {"no grid", scattered_rows, {1601, 8}, false},
    {"uneven rows", zoo_uniform, {600, 600, 10}, false},
    {"every other row", zoo_half_empty, {40, 60, 20}, false},
};
enum {
    SCATTERED = 4,
    UNEVEN = 7,
    EVERY_OTHER = 8,
    MAKERS = 4 /* for every method */,
    MAX_METHODS = 16,
    STEP = 23,
    FORMS = 6
};

static resident put(const on_device *s, const zoo_maker *maker, zoo_form form)
{
    resident a;
    zoo_matrix_make(&a.host, maker, form, testing_seed());
    resident_upload(s, &a);
    return a;
}

/* Rows and columns that arrays have beyond the part that is used. */
enum { MORE = 4 };

/* A part of a larger array: `host` and `device_view` begin `shift` elements after its begin. */
typedef struct part {
    test_dense array, before;
    spl_dense all_elements, host, device_view;
    int64_t shift;
} part;

static part make_part(const on_device *s, int64_t rows, int64_t cols, spl_type type,
                      spl_order order, int number)
{
    part p = {.array = test_dense_new(rows + MORE, cols + MORE, type, order, number / 5 % 2),
              .shift = number % 5};
    test_dense_fill(&p.array, ZOO_REAL, testing_seed() + (uint64_t)number);
    p.before = test_dense_copy(&p.array);
    p.all_elements = resident_dense(s, &p.array);
    p.host = p.array.view;
    p.host.rows = rows;
    p.host.cols = cols;
    p.device_view = p.host;
    p.device_view.place = s->place;
    p.host.values = (char *)p.array.memory.data + (size_t)p.shift * zoo_type_bytes(type);
    p.device_view.values = (char *)p.all_elements.values + (size_t)p.shift * zoo_type_bytes(type);
    return p;
}

static bool inside(const part *p, int64_t element)
{
    const spl_dense *v = &p->host;
    const bool by_rows = v->order == SPL_ROW_MAJOR;
    const int64_t position = element - p->shift;
    return position >= 0 && position / v->ld < (by_rows ? v->rows : v->cols) &&
           position % v->ld < (by_rows ? v->cols : v->rows);
}

/* The elements between the lines, before and after them are unchanged. */
static void expect_rest_untouched(const part *p)
{
    const size_t bytes = zoo_type_bytes(p->host.type);
    for (size_t e = 0; e < p->array.memory.bytes / bytes; e++)
        if (!inside(p, (int64_t)e))
            EXPECT(memcmp((const char *)p->array.memory.data + e * bytes,
                          (const char *)p->before.memory.data + e * bytes, bytes) == 0);
}

static void drop_part(const on_device *s, part *p)
{
    on_device_drop(s, p->all_elements.values, p->array.memory.bytes);
    test_dense_free(&p->array);
    test_dense_free(&p->before);
}

/* The four forms that every device method takes, and the 16-bit floats. */
static zoo_form numbered_form(int number)
{
    static const zoo_form halves[] = {{SPL_CSR, SPL_F16, SPL_I32, SPL_I32},
                                      {SPL_CSR, SPL_BF16, SPL_I64, SPL_I32}};
    return number < 4 ? resident_form(number) : halves[number - 4];
}

/* Makes the plan; a method may refuse 16-bit floats as unsupported, tensor cores f64 and
 * columns out of order. */
static bool plan_is_refused(const on_device *s, const resident *a, int64_t columns,
                            const spl_options *options, spl_plan **plan)
{
    const bool half = a->view.type == SPL_F16 || a->view.type == SPL_BF16;
    const bool may_refuse = half || options->accuracy == SPL_ACCURACY_REDUCED;
    spl_status status = spl_spmm_plan(s->context, &a->view, columns, options, plan);
    if (may_refuse && options->method && status == SPL_UNSUPPORTED)
        return true;
    EXPECT_OK(status);
    return false;
}

static void multiply(const on_device *s, const resident *a, const char *method, int64_t columns,
                     int number)
{
    const spl_type type = a->view.type;
    const spl_order order_b = number % 7 == 3 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    const spl_order order_c = number % 5 == 4 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    spl_options options = SPL_OPTIONS_INIT;
    double storage[2];
    const void *alpha = testing_scalar_pointer((test_scalar){2, false}, type, &storage[0]);
    const void *beta =
        testing_scalar_pointer((test_scalar){number % 2 ? -0.5 : 0, false}, type, &storage[1]);
    part b = make_part(s, a->view.cols, columns, type, order_b, number),
         c = make_part(s, a->view.rows, columns, type, order_c, number / 2);
    spl_dense before = c.host;
    spl_check check = SPL_CHECK_INIT;
    spl_plan *plan = NULL;
    options.method = method;
    if (method && strstr(method, "/tensor"))
        options.accuracy = SPL_ACCURACY_REDUCED;
    options.dense_order = number % 2 ? SPL_COLUMN_MAJOR : 0;
    if (plan_is_refused(s, a, columns, &options, &plan)) {
        drop_part(s, &b);
        drop_part(s, &c);
        return;
    }
    if (number == 0) /* beta is 0: the next execution does not depend on this one */
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b.device_view, NULL, &c.device_view, NULL));
    EXPECT_OK(spl_spmm_execute(plan, alpha, &b.device_view, beta, &c.device_view, NULL));
    EXPECT_OK(spl_sync(s->context, NULL));
    spl_plan_destroy(plan);
    on_device_get(s, c.array.memory.data, c.all_elements.values, c.array.memory.bytes);
    before.values = (char *)c.before.memory.data + (size_t)c.shift * zoo_type_bytes(type);
    EXPECT_OK(
        spl_check_spmm(alpha, &a->host.view, &b.host, beta, &before, &c.host, &options, &check));
    if (!check.ok)
        print_error("%lld of %lld failed, worst (%lld,%lld), ratio %g\n", (long long)check.failed,
                    (long long)check.compared, (long long)check.worst_row,
                    (long long)check.worst_col, check.worst_ratio);
    EXPECT(check.ok == 1 && check.compared == a->view.rows * columns);
    expect_rest_untouched(&c);
    drop_part(s, &b);
    drop_part(s, &c);
}

/* NULL (the planner's choice), and all methods. */
static int list_methods(const char **ids)
{
    int count = 0;
    ids[count++] = NULL;
    for (int32_t m = 0; m < spl_method_count() && count < MAX_METHODS; m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        if (strncmp(info.id, "spmm/compute/gpu/", 17) == 0)
            ids[count++] = info.id;
    }
    return count;
}

static void any_part_of_memory(void **state)
{
    static const int64_t widths[] = {1, 2, 7, 8, 9, 16, 32, 33, 64, 100, 260};
    const char *methods[MAX_METHODS];
    on_device s = on_device_start(*state);
    const int count = list_methods(methods);
    int number = 0;
    EXPECT(count > 1);
    for (int k = 0; k < MAKERS; k++)
        for (int form = 0; form < FORMS; form++) {
            resident a = put(&s, &makers[k], numbered_form(form));
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
                for (int m = 0; m < count; m++, number++) {
                    testing_case("%s: %s, form %d, %lld columns, %s, number %d",
                                 (const char *)*state, makers[k].name, form, (long long)widths[w],
                                 methods[m] ? methods[m] : "auto", number);
                    if (number % (STEP * testing_scale()) == 0)
                        multiply(&s, &a, methods[m], widths[w], number / count);
                }
            resident_free(&s, &a);
        }
    on_device_stop(&s);
}

static void expect_explained(const on_device *s, int maker, int form, int64_t columns,
                             const char *method, const char *words)
{
    resident a = put(s, &makers[maker], resident_form(form));
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    char text[8192] = "";
    options.method = method;
    EXPECT_OK(spl_spmm_plan(s->context, &a.view, columns, &options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    testing_case("%s, %lld columns, %s: %s", makers[maker].name, (long long)columns, method,
                 strstr(text, "  tiles of"));
    EXPECT(strstr(text, words) != NULL);
    spl_plan_destroy(plan);
    resident_free(s, &a);
}

/* The matrices above have the structures that they are made for. */
static void shapes_follow_rows(void **state)
{
    on_device s = on_device_start(*state);
    expect_explained(&s, 0, 0, 100, "spmm/compute/gpu/teams",
                     "60 tasks, up to 3 rows at once, 0 pieces");
    expect_explained(&s, 1, 0, 100, "spmm/compute/gpu/teams",
                     "67 tasks by length, up to 1 rows at once, 5 pieces");
    expect_explained(&s, 2, 0, 100, "spmm/compute/gpu/teams",
                     "tasks by length, up to 1 rows at once, 5 pieces");
    expect_explained(&s, 0, 0, 2, "spmm/compute/gpu/teams",
                     "that load what they multiply; 120 tasks, up to 1 rows at once");
    expect_explained(&s, 1, 0, 2, "spmm/compute/gpu/teams",
                     "that load what they multiply; 64 tasks, up to 1 rows at once");
    expect_explained(&s, 2, 0, 2, "spmm/compute/gpu/teams",
                     "that load what they multiply; 27 tasks by length");
    expect_explained(&s, 2, 0, 100, "spmm/compute/gpu/split",
                     "18 tasks, up to 1 rows at once, 10 pieces");
    expect_explained(&s, 2, 0, 100, "spmm/compute/gpu/coarsened",
                     "9 tasks, up to 1 rows at once, 0 pieces");
    expect_explained(&s, 3, 0, 16, "spmm/compute/gpu/teams",
                     "rows of more than 64 entries in 2 parts with a block each");
    expect_explained(&s, 3, 0, 2, "spmm/compute/gpu/teams",
                     "rows of more than 64 entries in 1 parts with a block each");
    expect_explained(&s, EVERY_OTHER, 0, 16, "spmm/compute/gpu/teams",
                     "rows of more than 64 entries in 0 parts with a block each");
    expect_explained(&s, UNEVEN, 0, 100, "spmm/compute/gpu/teams",
                     "600 tasks, up to 1 rows at once");
    resident a = put(&s, &makers[3], resident_form(0));
    multiply(&s, &a, "spmm/compute/gpu/teams", 16, 0);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* Rows of a mesh in random order are grouped by their columns. Rows in order stay as they are,
 * and so do rows without common columns. */
static void neighbours_meet(void **state)
{
    enum { F32 = 1 }; /* in which grids are not merged */
    on_device s = on_device_start(*state);
    expect_explained(&s, SCATTERED, F32, 100, "spmm/compute/gpu/teams", "1,600 tasks by columns,");
    expect_explained(&s, SCATTERED + 1, F32, 100, "spmm/compute/gpu/teams",
                     "1,600 tasks, up to 1 rows at once");
    expect_explained(&s, SCATTERED + 2, F32, 100, "spmm/compute/gpu/teams",
                     "1,601 tasks, up to 1 rows at once");
    resident a = put(&s, &makers[SCATTERED], resident_form(0));
    multiply(&s, &a, "spmm/compute/gpu/teams", 9, 0);
    resident_free(&s, &a);
    on_device_stop(&s);
}

static void expect_rule(const on_device *s, int maker, int64_t columns, const char *method)
{
    resident a = put(s, &makers[maker], resident_form(0));
    spl_options options = SPL_OPTIONS_INIT;
    spl_step step = SPL_STEP_INIT;
    spl_plan *plan = NULL;
    options.policy = SPL_POLICY_RULES;
    EXPECT_OK(spl_spmm_plan(s->context, &a.view, columns, &options, &plan));
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    testing_case("%s, %lld columns: %s", makers[maker].name, (long long)columns, step.reason);
    EXPECT(strcmp(step.method, method) == 0 && strncmp(step.reason, "rule of S4", 10) == 0);
    spl_plan_destroy(plan);
    resident_free(s, &a);
}

static void rules_are_those_of_s4(void **state)
{
    on_device s = on_device_start(*state);
    expect_rule(&s, 0, 32, "spmm/compute/gpu/row_staged");
    expect_rule(&s, 0, 256, "spmm/compute/gpu/coarsened");
    expect_rule(&s, 2, 32, "spmm/compute/gpu/split");
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(any_part_of_memory), ON_BOTH_WIDTHS(shapes_follow_rows),
        ON_BOTH_WIDTHS(neighbours_meet), ON_BOTH_WIDTHS(rules_are_those_of_s4)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
