/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/formats.h"

#include "lib/testing.h"

spl__account test_formats_account;

int test_formats_start(void **state)
{
    (void)state;
    spl__account_init(&test_formats_account, &spl__malloc_allocator, NULL, 0);
    return 0;
}

size_t test_formats_live(void)
{
    return atomic_load(&test_formats_account.live);
}

spl_sparse test_formats_example(void)
{
    static const int32_t offsets[] = {0, 2, 4, 7, 9}, columns[] = {0, 1, 1, 2, 0, 2, 3, 1, 2};
    static const double values[] = {1, 7, 2, 8, 5, 3, 9, 6, 4};
    return zoo_csr(SPL_F64, 4, 4, offsets, columns, values);
}

static void check_matrix(const zoo_maker *maker, int form, void (*check)(const spl_sparse *a))
{
    zoo_matrix a;
    zoo_matrix_make(&a, maker, zoo_form_number(form), testing_seed());
    testing_case("%s, %s", maker->name, zoo_form_name(zoo_form_number(form)));
    check(&a.view);
    EXPECT(test_formats_live() == 0);
    zoo_matrix_free(&a);
}

void test_formats_of_tiny(void (*check)(const spl_sparse *a))
{
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int form = 0; form < ZOO_FORMS; form++)
            if (zoo_form_number(form).format == SPL_CSR)
                check_matrix(&zoo_tiny[m], form, check);
}

void test_formats_of_large(void (*check)(const spl_sparse *a))
{
    static const char *const names[] = {"rmat_1024", "dense_row_2000", "box3d_d2", "unsorted_900",
                                        "duplicates_300"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        check_matrix(zoo_find(names[n]), 0, check);
}
