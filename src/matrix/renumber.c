/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/renumber.h"

#include "core/checked.h"

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

typedef struct numbered {
    int64_t number, position; /* in the first list, then in the second */
} numbered;

static void append(spl__watch *watch, spl__numbers list, int64_t first, numbered *all)
{
    for (int64_t k = 0; k < list.count && spl__watch_goes_on_at(watch, k); k++)
        all[first + k] = (numbered){spl__index_at(list.array, list.type, k), first + k};
}

/* Distributes by one digit, stable. */
static void distribute(spl__watch *watch, const numbered *from, int64_t count, int shift,
                       numbered *to)
{
    int64_t begins[DIGITS + 1] = {0};
    for (int64_t k = 0; k < count && spl__watch_goes_on_at(watch, k); k++)
        begins[((from[k].number >> shift) & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++)
        begins[d + 1] += begins[d];
    for (int64_t k = 0; k < count && spl__watch_goes_on_at(watch, k); k++)
        to[begins[(from[k].number >> shift) & (DIGITS - 1)]++] = from[k];
}

/* Sorts by number; `spare` has the same length. *sorted is one of both. */
static spl_status sort(spl__watch *watch, numbered *all, numbered *spare, int64_t count,
                       numbered **sorted)
{
    int64_t bits = 0;
    for (int64_t k = 0; k < count && spl__watch_goes_on_at(watch, k); k++)
        bits |= all[k].number;
    SPL__TRY(spl__watch_check(watch));
    for (int shift = 0; shift < 63 && bits >> shift > 0; shift += DIGIT) {
        distribute(watch, all, count, shift, spare);
        SPL__TRY(spl__watch_check(watch));
        numbered *other = all;
        all = spare;
        spare = other;
    }
    *sorted = all;
    return SPL_OK;
}

/* Returns the number of distinct ones. */
static int64_t write_ranks(spl__watch *watch, const numbered *sorted, spl__numbers one,
                           spl__numbers other)
{
    int64_t rank = -1;
    for (int64_t k = 0; k < one.count + other.count && spl__watch_goes_on_at(watch, k); k++) {
        int64_t position = sorted[k].position;
        rank += k == 0 || sorted[k].number != sorted[k - 1].number;
        if (position < one.count)
            spl__index_set(one.array, one.type, position, rank);
        else
            spl__index_set(other.array, other.type, position - one.count, rank);
    }
    return rank + 1;
}

double spl__renumber_bytes(double count)
{
    return spl__counted_bytes(2 * count, sizeof(numbered));
}

spl_status spl__renumber(spl__account *account, spl__numbers one, spl__numbers other,
                         int64_t *distinct)
{
    int64_t count = one.count + other.count;
    spl__watch *watch = spl__account_watch(account);
    numbered *all, *sorted;
    SPL__TRY(SPL__NEW(account, &all, 2 * count));
    append(watch, one, 0, all);
    append(watch, other, one.count, all);
    spl_status status = spl__watch_check(watch);
    if (status == SPL_OK)
        status = sort(watch, all, all + count, count, &sorted);
    if (status == SPL_OK) {
        *distinct = write_ranks(watch, sorted, one, other);
        status = spl__watch_check(watch);
    }
    spl__free(all);
    return status;
}
