/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be wrong with an .npz archive: a status that names the member, nothing
 * leaked, little memory taken. */
#include "io_files.h"

#ifndef SPARLOOM_LIBZIP
int main(void)
{
    return 77; /* test_npz.c tests a build without libzip */
}
#else
#include "npz_files.h"

static void expect_fault(const npz_archive *a, spl_status status, const char *message)
{
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 2, 0);
    EXPECT_STATUS(status, npz_read(c.context, a, NULL, &matrix));
    testing_case("detail \"%s\" must have \"%s\"", spl_error_detail(), message);
    EXPECT(strncmp(spl_error_detail(), "a.npz: ", 7) == 0 &&
           strstr(spl_error_detail(), message) != NULL);
    EXPECT(matrix == NULL && c.hook.peak < 1 << 20);
    io_end(&c);
}

static const int32_t five[] = {0, 2, 3, 3, 5}, down[] = {0, 3, 2, 3, 5}, beyond[] = {0, 2, 3, 3, 6};
static const int32_t short_end[] = {0, 2, 3, 3, 4}, starts_at_one[] = {1, 2, 3, 3, 5},
                     negative[] = {1, 5, -1, 3, 2};
static const int32_t large[] = {1, 6, 0, 3, 2};
static const int64_t minus[] = {-4, 6}, three[] = {3, 6, 1}, other[] = {5, 6},
                     huge[] = {INT64_MAX, 6};
static const double zeros[5];
static const struct {
    const char *member, *type, *shape;
    const void *elements;
    size_t bytes;
    spl_status status;
    const char *message;
} array_faults[] = {
    {"indptr.npy", "<i4", "(5,)", down, 20, SPL_FILE_INVALID, "indptr.npy: offset 2 is 2, after 3"},
    {"indptr.npy", "<i4", "(5,)", beyond, 20, SPL_FILE_INVALID, "indptr.npy: offset 4 is 6"},
    {"indptr.npy", "<i4", "(5,)", short_end, 20, SPL_FILE_INVALID,
     "the last offset is 4, there are 5"},
    {"indptr.npy", "<i4", "(5,)", starts_at_one, 20, SPL_FILE_INVALID, "the first offset is 1"},
    {"indptr.npy", "<i4", "(4,)", five, 16, SPL_FILE_INVALID, "indptr has 4 elements"},
    {"indptr.npy", "<i4", "(5,)", five, 16, SPL_FILE_INVALID, "do not fit in the member"},
    {"indptr.npy", "<i4", "(5,)", zeros, 24, SPL_FILE_INVALID, "do not fit in the member"},
    {"indptr.npy", "<i4", "(1152921504606846976,)", five, 20, SPL_FILE_INVALID,
     "do not fit in the member"},
    {"indptr.npy", "<i4", "(9223372036854775808,)", five, 20, SPL_FILE_INVALID, "shape"},
    {"indptr.npy", "<i4", "(4294967296, 4294967296)", five, 20, SPL_FILE_INVALID,
     "2^63-1 elements"},
    {"indptr.npy", "<i4", "(1, 1, 1, 5)", five, 20, SPL_FILE_INVALID, "three dimensions"},
    {"indptr.npy", "<i4", "(5, 1)", five, 20, SPL_FILE_INVALID, "has 2 dimensions"},
    {"indptr.npy", "<f4", "(5,)", five, 20, SPL_FILE_INVALID, "indices are i4 or i8"},
    {"indptr.npy", "<u4", "(5,)", five, 20, SPL_FILE_INVALID, "indices are i4 or i8"},
    {"indptr.npy", ">i4", "(5,)", five, 20, SPL_UNSUPPORTED, "big-endian"},
    {"indptr.npy", "=i4", "(5,)", five, 20, SPL_FILE_INVALID, "order of bytes"},
    {"indptr.npy", "|O", "(5,)", five, 20, SPL_UNSUPPORTED, "pickled"},
    {"indptr.npy", "<i", "(5,)", five, 20, SPL_FILE_INVALID, "no type of elements"},
    {"indptr.npy", "", "(5,)", five, 20, SPL_FILE_INVALID, "no type of elements"},
    {"indptr.npy", "<i4", "5", five, 20, SPL_FILE_INVALID, "no tuple"},
    {"indptr.npy", "<i4", "(5)", five, 20, SPL_FILE_INVALID, "comma is missing in shape"},
    {"indptr.npy", "<i4", "(5,", five, 20, SPL_FILE_INVALID, "shape"},
    {"indptr.npy", "<i4", "(-5,)", five, 20, SPL_FILE_INVALID, "shape"},
    {"indices.npy", "<i4", "(5,)", negative, 20, SPL_FILE_INVALID,
     "element 2 is -1, which is not in 0..5"},
    {"indices.npy", "<i4", "(5,)", large, 20, SPL_FILE_INVALID, "element 1 is 6"},
    {"indices.npy", "<i4", "(4,)", large, 16, SPL_FILE_INVALID, "indices 4, data 5"},
    {"data.npy", "<f8", "(5,)", zeros, 39, SPL_FILE_INVALID, "do not fit"},
    {"data.npy", "<c16", "(5,)", zeros, 40, SPL_UNSUPPORTED, "complex"},
    {"data.npy", "|O", "(5,)", zeros, 40, SPL_UNSUPPORTED, "pickled"},
    {"data.npy", ">f8", "(5,)", zeros, 40, SPL_UNSUPPORTED, "big-endian"},
    {"data.npy", "<f1", "(5,)", zeros, 5, SPL_UNSUPPORTED, "\"<f1\""},
    {"data.npy", "<f16", "(5,)", zeros, 40, SPL_UNSUPPORTED, "\"<f16\""},
    {"data.npy", "<f8", "(5, 1)", zeros, 40, SPL_FILE_INVALID, "2 dimensions"},
    {"shape.npy", "<i8", "(2,)", minus, 16, SPL_FILE_INVALID, "shape is -4 x 6"},
    {"shape.npy", "<i8", "(3,)", three, 24, SPL_UNSUPPORTED, "array of 3 dimensions"},
    {"shape.npy", "<i8", "(1,)", three, 8, SPL_UNSUPPORTED, "array of 1 dimension:"},
    {"shape.npy", "<i8", "(0,)", three, 0, SPL_FILE_INVALID, "has 0 elements, not 2"},
    {"shape.npy", "<i8", "(3, 1)", three, 24, SPL_FILE_INVALID, "has 3 elements, not 2"},
    {"shape.npy", "<i8", "(2,)", other, 16, SPL_FILE_INVALID, "shape says 5 lines"},
    {"shape.npy", "<i8", "(2,)", huge, 16, SPL_FILE_INVALID, "shape is"},
    {"shape.npy", "<f8", "(2,)", minus, 16, SPL_FILE_INVALID, "not i4 or i8"},
    {"format.npy", "|S3", "()", "dia", 3, SPL_UNSUPPORTED, "\"dia\""},
    {"format.npy", "|S3", "()", "xyz", 3, SPL_FILE_INVALID, "\"xyz\""},
    {"format.npy", "|S20", "()", "csrcsrcsrcsrcsrcsrcs", 20, SPL_FILE_INVALID, "20 characters"},
    {"format.npy", "<i8", "()", minus, 8, SPL_FILE_INVALID, "no text"},
    {"format.npy", "|S3", "(2,)", "csrcsr", 6, SPL_FILE_INVALID, "has 2 elements"},
};

static void faults_of_arrays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof array_faults / sizeof *array_faults; i++) {
        npz_archive a;
        npz_example(&a);
        a.stored = i % 2;
        npz_set(&a, array_faults[i].member, array_faults[i].type, array_faults[i].shape,
                array_faults[i].elements, array_faults[i].bytes);
        expect_fault(&a, array_faults[i].status, array_faults[i].message);
    }
}

static void faults_of_headers(void **state)
{
    (void)state;
    static const double v[5];
    static const struct {
        int version;
        const char *text, *message;
        spl_status status;
    } faults[] = {
        {1, "", "no dictionary", SPL_FILE_INVALID},
        {1, "{}", "is missing", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, }", "is missing", SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "twice",
         SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (5,)}", "neither True nor False",
         SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), 'more': 1}", "none of",
         SPL_FILE_INVALID},
        {1, "{'descr': '<f8' 'fortran_order': False, 'shape': (5,)}", "comma", SPL_FILE_INVALID},
        {1, "{'descr' '<f8', 'fortran_order': False, 'shape': (5,)}", "colon", SPL_FILE_INVALID},
        {1, "{'descr': '<f8, 'fortran_order': False, 'shape': (5,)}", "npy header",
         SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)} x", "something follows",
         SPL_FILE_INVALID},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)", "npy header",
         SPL_FILE_INVALID},
        {1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (5,)}", "structured",
         SPL_UNSUPPORTED},
        {1, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (5,)}", "npy header",
         SPL_FILE_INVALID},
        {4, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "version 4.0",
         SPL_UNSUPPORTED},
        {0, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}", "version 0.0",
         SPL_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        npz_archive a;
        npz_example(&a);
        npz_raw(&a, "data.npy", faults[i].version, faults[i].text, v, sizeof v);
        expect_fault(&a, faults[i].status, faults[i].message);
    }
}

static void bytes_in_front_of_the_header(void **state)
{
    (void)state;
    npz_archive a;
    npz_example(&a);
    npz_find(&a, "data.npy")->bytes[0] = 'x';
    expect_fault(&a, SPL_FILE_INVALID, "is no .npy array");
    npz_example(&a);
    npz_find(&a, "data.npy")->bytes[9] = 0xff;
    expect_fault(&a, SPL_FILE_INVALID, "npy header of");
    npz_example(&a);
    npz_find(&a, "data.npy")->count = 7;
    expect_fault(&a, SPL_FILE_INVALID, "ends early");
}

static void missing_members(void **state)
{
    (void)state;
    static const char *const names[] = {"indices.npy", "indptr.npy", "format.npy", "shape.npy",
                                        "data.npy"};
    for (int i = 0; i < 5; i++) {
        npz_archive a;
        npz_example(&a);
        npz_remove(&a, names[i]);
        expect_fault(&a, SPL_FILE_INVALID, i == 2 ? "without format.npy" : "no such member");
    }
}

static void faults_of_other_formats(void **state)
{
    (void)state;
    npz_archive a;
    static const int32_t rows[] = {0, 4}, far_column[] = {0, 3, 5, 6}, far_row[] = {0, 4, 0, 0};
    static const double v[24];
    npz_example(&a);
    npz_set(&a, "format.npy", "|S3", "()", "coo", 3);
    expect_fault(&a, SPL_FILE_INVALID, "row.npy: the archive has no such member");
    npz_set(&a, "row.npy", "<i4", "(2,)", rows, sizeof rows);
    npz_set(&a, "col.npy", "<i4", "(2,)", rows, sizeof rows);
    expect_fault(&a, SPL_FILE_INVALID, "data has 5 elements in 1 dimensions, coordinates are 2");
    npz_set(&a, "col.npy", "<i4", "(1,)", rows, 4);
    expect_fault(&a, SPL_FILE_INVALID, "row has 2 elements, col 1");
    npz_set(&a, "col.npy", "<i4", "(2,)", rows, sizeof rows);
    npz_set(&a, "data.npy", "<f8", "(2,)", v, 16);
    expect_fault(&a, SPL_FILE_INVALID, "row.npy: element 1 is 4");
    npz_set(&a, "coords.npy", "<i4", "(2,)", rows, sizeof rows);
    expect_fault(&a, SPL_FILE_INVALID, "coords.npy: 1 dimensions");
    npz_set(&a, "coords.npy", "<i4", "(1, 2)", rows, sizeof rows);
    expect_fault(&a, SPL_FILE_INVALID, "the first of 1");
    npz_set(&a, "coords.npy", "<i4", "(2, 1)", rows, sizeof rows);
    expect_fault(&a, SPL_FILE_INVALID, "coordinates are 1");
    npz_set(&a, "coords.npy", "<i4", "(2, 2)", far_column, sizeof far_column);
    expect_fault(&a, SPL_FILE_INVALID, "coords.npy: element 3 is 6, which is not in 0..5");
    npz_set(&a, "coords.npy", "<i4", "(2, 2)", far_row, sizeof far_row);
    expect_fault(&a, SPL_FILE_INVALID, "coords.npy: element 1 is 4, which is not in 0..3");
    npz_set(&a, "coords.npy", "<f4", "(2, 2)", far_row, sizeof far_row);
    expect_fault(&a, SPL_FILE_INVALID, "indices are i4 or i8");
    npz_raw(&a, "coords.npy", 1, "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 2)}",
            far_row, sizeof far_row);
    expect_fault(&a, SPL_UNSUPPORTED, "Fortran");

    npz_example(&a);
    npz_set(&a, "format.npy", "|S3", "()", "bsr", 3);
    expect_fault(&a, SPL_FILE_INVALID, "data of 1 dimensions");
    npz_set(&a, "data.npy", "<f8", "(5, 0, 1)", v, 0);
    expect_fault(&a, SPL_FILE_INVALID, "is not a block");
    npz_set(&a, "data.npy", "<f8", "(4, 1, 6)", v, 192);
    expect_fault(&a, SPL_FILE_INVALID, "is not a block");
    npz_set(&a, "data.npy", "<f8", "(5, 3, 1)", v, 120);
    expect_fault(&a, SPL_FILE_INVALID, "not cut by 3 x 1 blocks");
    npz_set(&a, "data.npy", "<f8", "(5, 1, 4)", v, 160);
    expect_fault(&a, SPL_FILE_INVALID, "not cut by 1 x 4 blocks");
    npz_set(&a, "data.npy", "<f8", "(5, 1, 2)", v, 80);
    expect_fault(&a, SPL_FILE_INVALID, "indices.npy: element 1 is 5");
    npz_raw(&a, "data.npy", 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 1, 2)}", v,
            80);
    expect_fault(&a, SPL_UNSUPPORTED, "Fortran");
}

/* Cut anywhere, and with any byte changed: a status, never a crash, and little memory. */
static void damaged_archives(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        npz_archive a;
        size_t size = 0;
        npz_example(&a);
        a.stored = stored;
        uint8_t *bytes = npz_pack(&a, &size), *copy = malloc(size);
        EXPECT(bytes && copy);
        for (size_t i = 0; i < 2 * size; i += (size_t)testing_scale()) {
            io_context c;
            spl_matrix *matrix = NULL;
            bool cut = i < size;
            memcpy(copy, bytes, size);
            if (!cut)
                copy[i - size] ^= 0xff;
            io_begin(&c, 1, 0);
            testing_case("%s, %zu %s", stored ? "stored" : "packed", i % size,
                         cut ? "bytes" : "changed");
            spl_status status =
                spl__read_memory(c.context, copy, cut ? i : size, "a.npz", NULL, &matrix);
            EXPECT(!cut || status != SPL_OK);
            EXPECT((matrix != NULL) == (status == SPL_OK) && c.hook.peak < 8 << 20);
            EXPECT(status == SPL_OK || status == SPL_FILE_INVALID || status == SPL_UNSUPPORTED);
            spl_matrix_destroy(matrix);
            io_end(&c);
        }
        free(copy);
        free(bytes);
    }
}

static void put_u32(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(number >> (8 * i));
}

/* The directory claims gigabytes for a member of a few bytes: refused before any allocation. */
static void bombs(void **state)
{
    (void)state;
    npz_archive a;
    size_t size = 0;
    npz_example(&a);
    npz_raw(&a, "data.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (530000000,), }",
            NULL, 0);
    npz_raw(&a, "indices.npy", 1,
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1060000000,), }", NULL, 0);
    uint8_t *bytes = npz_pack(&a, &size);
    EXPECT(bytes != NULL);
    for (size_t i = 0; i + 46 < size; i++)
        if (memcmp(bytes + i, "PK\1\2", 4) == 0 && (memcmp(bytes + i + 46, "data.npy", 8) == 0 ||
                                                    memcmp(bytes + i + 46, "indices.npy", 11) == 0))
            put_u32(bytes + i + 24, 4240000128U);
    io_context c;
    spl_matrix *matrix = NULL;
    io_begin(&c, 1, 0);
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl__read_memory(c.context, bytes, size, "a.npz", NULL, &matrix));
    testing_case("%s", spl_error_detail());
    EXPECT(strstr(spl_error_detail(), "cannot come out of") != NULL && c.hook.peak < 1 << 16);
    io_end(&c);
    free(bytes);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static const char *const names[] = {"csr", "coo", "bsr"};
    static const int32_t rows[] = {0, 1, 2, 3, 3};
    static const double v[10];
    for (int i = 0; i < 6; i++) {
        npz_archive a;
        spl_status status = SPL_OUT_OF_MEMORY;
        spl_read_options options = SPL_READ_OPTIONS_INIT;
        options.format = i < 3 ? SPL_CSR : SPL_CSC;
        npz_example(&a);
        npz_set(&a, "format.npy", "|S3", "()", names[i % 3], 3);
        npz_set(&a, "row.npy", "<i4", "(5,)", rows, sizeof rows);
        npz_set(&a, "col.npy", "<i4", "(5,)", rows, sizeof rows);
        if (i % 3 == 2)
            npz_set(&a, "data.npy", "<f8", "(5, 1, 1)", v, 40);
        for (int k = 0; status != SPL_OK; k++) {
            io_context c;
            spl_matrix *matrix = NULL;
            io_begin(&c, 2, 0);
            c.hook.fail_at = c.hook.allocations + k;
            status = npz_read(c.context, &a, &options, &matrix);
            testing_case("%s, allocation %d fails", names[i % 3], k);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT((matrix == NULL) == (status != SPL_OK));
            spl_matrix_destroy(matrix);
            io_end(&c);
            EXPECT(k < 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_arrays),
        cmocka_unit_test(faults_of_headers),
        cmocka_unit_test(bytes_in_front_of_the_header),
        cmocka_unit_test(missing_members),
        cmocka_unit_test(faults_of_other_formats),
        cmocka_unit_test(damaged_archives),
        cmocka_unit_test(bombs),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
