/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers that were built against another version. */
#include "core/sized.h"
#include "lib/testing.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
