/* SPDX-License-Identifier: Apache-2.0 */
/* Every field of the options: what is refused with which status, what is reserved,
 * what is ignored. */
#include "lib/run_products.h"

#include <string.h>

typedef struct long_options {
    spl_options known;
    unsigned char tail[32];
} long_options;

typedef struct option_case {
    const char *name;
    spl_status expected;
    void (*apply)(long_options *options, int64_t number);
    int64_t number;
} option_case;

static void set_size(long_options *o, int64_t n)
{
    o->known.size = (uint32_t)n;
}
static void set_tail(long_options *o, int64_t n)
{
    o->known.size = (uint32_t)sizeof *o;
    o->tail[n] = 1;
}
static void set_policy(long_options *o, int64_t n)
{
    o->known.policy = (spl_policy)n;
}
static void set_op_a(long_options *o, int64_t n)
{
    o->known.op_a = (spl_operator)n;
}
static void set_op_b(long_options *o, int64_t n)
{
    o->known.op_b = (spl_operator)n;
}
static void set_threads(long_options *o, int64_t n)
{
    o->known.threads = (int32_t)n;
}
static void set_deterministic(long_options *o, int64_t n)
{
    o->known.deterministic = (int32_t)n;
}
static void set_unsorted(long_options *o, int64_t n)
{
    o->known.unsorted = (int32_t)n;
}
static void set_accuracy(long_options *o, int64_t n)
{
    o->known.accuracy = (spl_accuracy)n;
}
static void set_result_offset_type(long_options *o, int64_t n)
{
    o->known.result_offset_type = (spl_index)n;
}
static void set_scalar_place(long_options *o, int64_t n)
{
    o->known.scalar_place.kind = (int32_t)n;
}
static void set_processors(long_options *o, int64_t n)
{
    o->known.processors = (uint64_t)n;
}
static void set_mask_complement(long_options *o, int64_t n)
{
    o->known.mask_complement = (int32_t)n;
}
static void set_mask_pattern(long_options *o, int64_t n)
{
    o->known.mask_pattern = (int32_t)n;
}
static void set_semiring(long_options *o, int64_t n)
{
    o->known.semiring = (int32_t)n;
}
static void set_method(long_options *o, int64_t n)
{
    static const char *const ids[] = {"nonsense",
                                      "spgemm/numeric/cpu/nonsense",
                                      "spgemm/numeric/cpu/hash,nonsense",
                                      "spgemm/numeric/gpu/never_built",
                                      "spgemm/numeric/cpu/hash extra",
                                      ",",
                                      "%s%n"};
    o->known.method = ids[n];
}

static const option_case cases[] = {
    {"size 0", SPL_INVALID_ARGUMENT, set_size, 0},
    {"size 2^32-1", SPL_INVALID_ARGUMENT, set_size, UINT32_MAX},
    {"unknown tail", SPL_INVALID_ARGUMENT, set_tail, 31},
    {"policy 9", SPL_INVALID_ARGUMENT, set_policy, 9},
    {"policy -1", SPL_INVALID_ARGUMENT, set_policy, -1},
    {"op_a 3", SPL_INVALID_ARGUMENT, set_op_a, 3},
    {"op_b 3", SPL_INVALID_ARGUMENT, set_op_b, 3},
    {"op_b -1", SPL_INVALID_ARGUMENT, set_op_b, -1},
    {"threads -1", SPL_INVALID_ARGUMENT, set_threads, -1},
    {"deterministic 2", SPL_INVALID_ARGUMENT, set_deterministic, 2},
    {"unsorted -1", SPL_INVALID_ARGUMENT, set_unsorted, -1},
    {"accuracy 2", SPL_INVALID_ARGUMENT, set_accuracy, 2},
    {"result offsets 7", SPL_INVALID_ARGUMENT, set_result_offset_type, 7},
    {"scalars on CUDA", SPL_UNSUPPORTED, set_scalar_place, SPL_CUDA},
    {"scalars nowhere", SPL_INVALID_ARGUMENT, set_scalar_place, 44},
    {"processor 5", SPL_INVALID_ARGUMENT, set_processors, 32},
    {"mask_complement 2", SPL_INVALID_ARGUMENT, set_mask_complement, 2},
    {"mask_pattern -1", SPL_INVALID_ARGUMENT, set_mask_pattern, -1},
    {"semiring 11", SPL_INVALID_ARGUMENT, set_semiring, 11},
    {"method nonsense", SPL_INVALID_ARGUMENT, set_method, 0},
    {"method of nonsense name", SPL_INVALID_ARGUMENT, set_method, 1},
    {"second method nonsense", SPL_INVALID_ARGUMENT, set_method, 2},
    {"method that is not built", SPL_INVALID_ARGUMENT, set_method, 3},
    {"method with more behind", SPL_INVALID_ARGUMENT, set_method, 4},
    {"empty method names", SPL_INVALID_ARGUMENT, set_method, 5},
    {"format directives", SPL_INVALID_ARGUMENT, set_method, 6},
};
enum { CASES = sizeof cases / sizeof *cases };

static char poison[64];

static void try_case(spl_context *context, const zoo_matrix *a, const option_case *c)
{
    long_options options;
    memset(&options, 0, sizeof options);
    options.known = (spl_options)SPL_OPTIONS_INIT;
    c->apply(&options, c->number);
    spl_plan *plan = (void *)poison;
    spl_matrix *product = (void *)poison;
    const double x[40] = {0};
    guarded y = guarded_new(40 * sizeof(double));
    testing_case("%s", c->name);
    EXPECT_STATUS(c->expected,
                  spl_spgemm_plan(context, &a->view, &a->view, NULL, &options.known, &plan));
    EXPECT_STATUS(c->expected, spl_spgemm(context, NULL, &a->view, &a->view, NULL, NULL,
                                          &options.known, &product));
    if (c->apply != set_op_b && c->apply != set_unsorted && c->apply != set_result_offset_type) {
        EXPECT_STATUS(c->expected, spl_spmv_plan(context, &a->view, &options.known, &plan));
        EXPECT_STATUS(c->expected, spl_spmm_plan(context, &a->view, 2, &options.known, &plan));
        EXPECT_STATUS(c->expected,
                      spl_spmv(context, NULL, &a->view, x, NULL, y.data, &options.known));
    }
    EXPECT(plan == (void *)poison && product == (void *)poison && guarded_untouched(&y));
    guarded_free(&y);
}

static void refused(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    for (int c = 0; c < CASES; c++)
        try_case(context, &a, &cases[c]);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Older and newer callers: a shorter struct, a longer one of zeros. */
static void sizes_of_other_versions(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    long_options options;
    const uint32_t sizes[] = {4, 12, sizeof(spl_options), sizeof(spl_options) + 16};
    for (int n = 0; n < 4; n++) {
        memset(&options, 0, sizeof options);
        options.known.size = sizes[n];
        spl_plan *plan = NULL;
        testing_case("size %u", sizes[n]);
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options.known, &plan));
        spl_plan_destroy(plan);
    }
    memset(&options, 0, sizeof options);
    options.known.size = 12;
    options.known.method = "nonsense"; /* lies after the caller's struct */
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options.known, &plan));
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* A method of another operation is refused, and so are two methods for one phase. */
static void methods_that_do_not_belong(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    const char *spmv[16], *spgemm[16];
    bool no_spgemm = testing_processors("spgemm/numeric/") != 0;
    EXPECT(testing_methods("spmv/", spmv, 16) > 0 &&
           (no_spgemm || testing_methods("spgemm/numeric/", spgemm, 16) > 1));
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = (void *)poison;
    options.method = no_spgemm ? "spgemm/numeric/cpu/hash" : spgemm[0];
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(context, &a.view, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm_plan(context, &a.view, 2, &options, &plan));
    options.method = spmv[0];
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT(plan == (void *)poison);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void unused_free(void *user, void *memory, size_t bytes, spl_place place,
                        const spl_stream *stream)
{
    (void)user, (void)memory, (void)bytes, (void)place, (void)stream;
}

static void contexts(void **state)
{
    (void)state;
    spl_context *context = (void *)poison;
    spl_context_options options[3];
    for (int n = 0; n < 3; n++)
        options[n] = (spl_context_options)SPL_CONTEXT_OPTIONS_INIT;
    options[0].size = 1;
    options[1].threads = -3;
    options[2].allocator.free = unused_free; /* half an allocator */
    for (int n = 0; n < 3; n++) {
        testing_case("context options %d", n);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_context_create(&options[n], &context));
        EXPECT(context == (void *)poison);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(sizes_of_other_versions),
        cmocka_unit_test(methods_that_do_not_belong),
        cmocka_unit_test(contexts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
