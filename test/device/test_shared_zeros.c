/* SPDX-License-Identifier: Apache-2.0 */
/* Small arrays of zeros on a device that share one fill. */
#include "lib/counted_driver.h"
#include "lib/device_queue.h"

static void expect_zeros(const on_device *s, const spl__device_array *array)
{
    unsigned char bytes[SPL__ZERO_PAGE_BYTES * 2];
    EXPECT(array->bytes <= sizeof bytes);
    on_device_get(s, bytes, array->data, array->bytes);
    for (size_t k = 0; k < array->bytes; k++)
        EXPECT(bytes[k] == 0);
}

/* Arrays that are freed are not lent again: they are no longer zero. */
static void zeros_are_shared(void **state)
{
    on_device s = on_device_start(*state);
    static const int64_t counts[] = {1, 40, 33, 100, 1024, 1}; /* the fifth is too long */
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
        EXPECT(counters.allocations == (shares ? 1 : COUNT)); /* the long one */
        for (int n = 1; n < COUNT; n += 2)
            spl__queue_free(&queue, &arrays[n]);
        spl__queue_release(&queue);
        EXPECT_OK(spl__queue_wait(&queue));
    }
    on_device_stop(&s);
}

/* Takes zeros, looks at them and overwrites them. */
static void use_zeros(const on_device *s, spl__queue *queue, spl__device_array *array)
{
    *queue = device_queue(s, 1);
    EXPECT_OK(spl__queue_share_zeros(queue));
    EXPECT_OK(spl__queue_alloc_zeros(queue, SPL__ZERO_PAGE_BYTES, 1, array));
    EXPECT_OK(spl__queue_wait(queue));
    expect_zeros(s, array);
    EXPECT_OK(spl__queue_fill(queue, array->data, 1, array->bytes));
}

static void give_back(spl__queue *queue, spl__device_array *array)
{
    spl__queue_free(queue, array);
    spl__queue_release(queue);
}

/* Pages that plans have used are filled again, all at once, but not while one is lent: then plans
 * fill arrays of their own. */
static void pages_are_filled_again(void **state)
{
    on_device s = on_device_start(*state);
    enum { TIMES = 2 * SPL__ZERO_PAGES + 1 };
    spl__queue queue, holder;
    spl__device_array array, held;
    counted_driver_begin(&s);
    for (int n = 0; n < TIMES; n++) {
        testing_case("%s, use %d", (const char *)*state, n);
        use_zeros(&s, &queue, &array);
        give_back(&queue, &array);
        const int own = 1; /* of use_zeros */
        EXPECT(counted_driver_take().fills == own + (n % SPL__ZERO_PAGES == 0));
    }
    use_zeros(&s, &holder, &held);
    for (int n = 2; n < SPL__ZERO_PAGES; n++) {
        use_zeros(&s, &queue, &array);
        give_back(&queue, &array);
    }
    testing_case("%s, one page is lent", (const char *)*state);
    use_zeros(&s, &queue, &array);
    EXPECT(on_device_memory(&s).live == SPL__ZERO_PAGE_BYTES);
    unsigned char still;
    on_device_get(&s, &still, held.data, 1);
    EXPECT(still == 1);
    give_back(&queue, &array);
    give_back(&holder, &held);
    testing_case("%s, after a trim", (const char *)*state);
    EXPECT_OK(spl_trim(s.context));
    use_zeros(&s, &queue, &array);
    give_back(&queue, &array);
    counted_driver_end(&s);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(zeros_are_shared),
                                       ON_BOTH_WIDTHS(pages_are_filled_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
