/* SPDX-License-Identifier: Apache-2.0 */
/* Values of 16 bits in files: what is written comes back bit by bit; .npz knows f16 only. */
#include "io_files.h"

enum { SIZE = 4, NNZ = 8 };

static const int32_t offsets[SIZE + 1] = {0, 3, 3, 6, 8}, columns[NNZ] = {0, 2, 3, 1, 0, 3, 2, 1};
/* f16: 1, the largest and the smallest number, 1/3, a subnormal one, -2, an odd last bit, 1/10.
 * bf16: the same bits are other numbers. */
static const uint16_t values[NNZ] = {0x3c00, 0x7bff, 0x0001, 0x3555,
                                     0x83ff, 0xc000, 0x4001, 0x2e66};

static spl_sparse example(spl_type type)
{
    return zoo_csr(type, SIZE, SIZE, offsets, columns, values);
}

static void expect_back(const char *name, spl_type type)
{
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    spl_sparse view = example(type);
    const char *path = io_path(name);
    testing_case("%s, type %d", name, (int)type);
    options.type = type;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_write(c.context, &view, path));
    EXPECT_OK(spl_read(c.context, path, &options, &matrix));
    view = io_view(matrix);
    EXPECT(view.type == type && view.nnz == NNZ);
    EXPECT(memcmp(view.indices, columns, sizeof columns) == 0);
    EXPECT(memcmp(view.values, values, sizeof values) == 0);
    spl_matrix_destroy(matrix);
    options.type = SPL_F64;
    EXPECT_OK(spl_read(c.context, path, &options, &matrix));
    view = io_view(matrix);
    for (int p = 0; p < NNZ; p++) /* decimal numbers have as many digits as f32 asks for */
        EXPECT((float)((const double *)view.values)[p] == (float)zoo_half_value(values[p], type));
    spl_matrix_destroy(matrix);
    io_end(&c);
}

static void text(void **state)
{
    (void)state;
    for (spl_type type = SPL_F16; type <= SPL_BF16; type++) {
        expect_back("half.mtx", type);
        expect_back("half.mtx.gz", type);
        expect_back("half.txt", type);
    }
}

static void npz(void **state)
{
    (void)state;
#ifdef SPARLOOM_LIBZIP
    expect_back("half.npz", SPL_F16);
    io_context c;
    spl_sparse view = example(SPL_BF16);
    const int files = io_each_file(NULL);
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_write(c.context, &view, io_path("bhalf.npz")));
    EXPECT(strstr(spl_error_detail(), "no type for bf16") && io_each_file(NULL) == files);
    io_end(&c);
#endif
}

/* Numbers that are read are rounded once: 1 + 2^-11 + 2^-40 is not half way between two numbers of
 * f16, though it is in f32. */
static void rounded_once(void **state)
{
    (void)state;
    io_context c;
    spl_matrix *matrix;
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    const char *path =
        io_write_text("round.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n"
                                   "2 1 1.00048828125090949\n");
    options.type = SPL_F16;
    io_begin(&c, 1, 0);
    EXPECT_OK(spl_read(c.context, path, &options, &matrix));
    const uint16_t *read = io_view(matrix).values;
    EXPECT(read[0] == 0xbc01 && read[1] == 0x3c01);
    spl_matrix_destroy(matrix);
    io_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text), cmocka_unit_test(npz),
                                       cmocka_unit_test(rounded_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
