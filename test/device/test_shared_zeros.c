/* SPDX-License-Identifier: Apache-2.0 */
/* Small arrays of zeros on a device that share one fill. */
#include "lib/device_queue.h"

static void expect_zeros(const on_device *s, const spl__device_array *array)
{
    unsigned char bytes[4096 * 2];
    EXPECT(array->bytes <= sizeof bytes);
    on_device_get(s, bytes, array->data, array->bytes);
    for (size_t k = 0; k < array->bytes; k++)
        EXPECT(bytes[k] == 0);
}

/* Arrays that are freed are not lent again: they are no longer zero. */
static void zeros_are_shared(void **state)
{
    on_device s = on_device_start(*state);
    static const int64_t counts[] = {1, 40, 33, 100, 512, 1}; /* the fifth is too long */
    enum { COUNT = sizeof counts / sizeof *counts };
    for (int shares = 0; shares < 2; shares++) {
        spl__queue queue = device_queue(&s, 1);
        spl__device_array arrays[COUNT];
        spl_counters counters = SPL_COUNTERS_INIT;
        if (shares)
            EXPECT_OK(spl__queue_share_zeros(&queue));
        for (int n = 0; n < COUNT; n++) {
            testing_case("%s, array %d, shared %d", (const char *)*state, n, shares);
            EXPECT_OK(spl__queue_alloc_zeros(&queue, counts[n], sizeof(int64_t), &arrays[n]));
            EXPECT(arrays[n].bytes == (size_t)counts[n] * sizeof(int64_t));
            EXPECT_OK(spl__queue_wait(&queue));
            expect_zeros(&s, &arrays[n]);
            EXPECT_OK(spl__queue_fill(&queue, arrays[n].data, 1, arrays[n].bytes));
            if (n % 2 == 0)
                spl__queue_free(&queue, &arrays[n]);
        }
        spl__queue_count(&queue, &counters);
        EXPECT(counters.allocations ==
               (shares ? 2 : COUNT)); /* the shared ones, and the long one */
        for (int n = 1; n < COUNT; n += 2)
            spl__queue_free(&queue, &arrays[n]);
        spl__queue_release(&queue);
        EXPECT_OK(spl__queue_wait(&queue));
    }
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(zeros_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
