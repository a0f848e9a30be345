/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers that were built against another version. */
#include "core/sized.h"
#include "lib/testing.h"

#include <stdio.h>
#include <string.h>

typedef struct known {
    uint32_t size;
    int32_t a, b, c;
} known;

static void reading(void **state)
{
    (void)state;
    known to;
    struct {
        known k;
        int32_t more[4];
    } from = {{sizeof(known), 1, 2, 3}, {0, 0, 0, 0}};
    EXPECT_OK(spl__sized_read(&to, sizeof to, &from, "it"));
    EXPECT(to.size == sizeof to && to.a == 1 && to.b == 2 && to.c == 3);
    from.k.size = 8; /* an older caller: b and c do not exist there */
    EXPECT_OK(spl__sized_read(&to, sizeof to, &from, "it"));
    EXPECT(to.size == sizeof to && to.a == 1 && to.b == 0 && to.c == 0);
    from.k.size = sizeof from; /* a newer one */
    EXPECT_OK(spl__sized_read(&to, sizeof to, &from, "it"));
    EXPECT(to.c == 3);
    from.more[3] = 1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl__sized_read(&to, sizeof to, &from, "it"));
    from.k.size = 0;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl__sized_read(&to, sizeof to, &from, "it"));
    EXPECT_OK(spl__sized_read(&to, sizeof to, NULL, "it"));
    EXPECT(to.size == sizeof to && to.a == 0 && to.b == 0 && to.c == 0);
}

static void writing(void **state)
{
    (void)state;
    const known from = {sizeof from, 1, 2, 3};
    struct {
        known k;
        int32_t more[2], guard;
    } to;
    memset(&to, 0x55, sizeof to);
    to.k.size = 8;
    EXPECT_OK(spl__sized_write(&to, &from, sizeof from, "it"));
    EXPECT(to.k.size == 8 && to.k.a == 1 && to.k.b == 0x55555555);
    to.k.size = sizeof(known) + 8;
    EXPECT_OK(spl__sized_write(&to, &from, sizeof from, "it"));
    EXPECT(to.k.size == sizeof(known) + 8 && to.k.c == 3 && to.more[0] == 0 && to.more[1] == 0);
    EXPECT(to.guard == 0x55555555);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl__sized_write(NULL, &from, sizeof from, "it"));
    to.k.size = 3;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl__sized_write(&to, &from, sizeof from, "it"));
}

/* Drawn sizes that no struct has: the message has the name, the size that came and the one that is
 * known. */
static void wrong_sizes_are_told(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 200; i++) {
        seed = seed * 1103515245U + 12345U;
        known it = {.size = i % 4 ? 4097 + seed / 2 : seed % 4}, other = {.size = sizeof other};
        char size[24];
        snprintf(size, sizeof size, "it.size is %u,", it.size);
        testing_case("%s", size);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                      i % 2 ? spl__sized_read(&other, sizeof other, &it, "it")
                            : spl__sized_write(&it, &other, sizeof other, "it"));
        EXPECT(strstr(spl_error_detail(), size) && strstr(spl_error_detail(), "16 bytes"));
    }
    spl_context_options wrong = {.size = 3};
    spl_context *context;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_context_create(&wrong, &context));
    EXPECT(strstr(spl_error_detail(), "spl_context_options.size is 3,") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
        cmocka_unit_test(wrong_sizes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
