/* SPDX-License-Identifier: Apache-2.0 */
/* row_buckets.c: a counting sort in two passes. The first copies entries to the bucket of their
 * row, with as many write streams as caches hold; the second sorts each bucket, whose part of the
 * result fits in cache. A plain counting sort misses the cache three times an entry. Each thread
 * takes a contiguous chunk in the first pass, and chunks follow each other within a bucket, so the
 * order is that of the source for any number of threads. */
#include "matrix/row_sort.h"

#include "core/checked.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"

enum { MOST_BUCKETS = 512, BUCKET_BYTES = 1 << 18 };
enum { PIECE = 1 << 16 }; /* entries between polls of the watch */

typedef struct narrow {
    int32_t row, column;
    uint64_t along;
} narrow;
typedef struct wide {
    int64_t row, column;
    uint64_t along;
} wide;

typedef struct buckets {
    const spl__row_sort *sort;
    spl_index type; /* of the records */
    int threads;    /* and chunks */
    int shift;      /* row i is in bucket i >> shift */
    int64_t count;
    /* [threads][count]: where the chunk's next entry of the bucket goes; in the end,
     * where they end */
    int64_t *next;
    void *records; /* [sort->count] */
} buckets;

static int64_t chunk_begin(const buckets *b, int chunk)
{
    int64_t each = b->sort->count / b->threads, rest = b->sort->count % b->threads;
    return each * chunk + spl__min_i64(chunk, rest);
}

SPL__SPECIALISED void put(const buckets *b, int64_t *next, int64_t p, int64_t column,
                          spl_index source, spl_index type)
{
    int64_t row = spl__index_at(b->sort->key, source, p);
    int64_t slot = next[row >> b->shift]++;
    uint64_t along = spl__row_sort_load(b->sort, p);
    if (type == SPL_I32)
        ((narrow *)b->records)[slot] = (narrow){(int32_t)row, (int32_t)column, along};
    else
        ((wide *)b->records)[slot] = (wide){row, column, along};
}

/* Entries p..end of the chunk. */
SPL__SPECIALISED void distribute(const buckets *b, int chunk, int64_t p, int64_t end,
                                 spl_index source, spl_index type)
{
    const spl__row_sort *s = b->sort;
    int64_t *next = b->next + chunk * b->count;
    if (s->other) {
        for (; p < end; p++)
            put(b, next, p, spl__index_at(s->other, source, p), source, type);
        return;
    }
    for (int64_t line = p < end ? spl__row_sort_line(s, p) : 0; p < end; line++) {
        int64_t stop = spl__min_i64(end, spl__index_at(s->line_offsets, s->line_type, line + 1));
        for (; p < stop; p++)
            put(b, next, p, line, source, type);
    }
}

static void distribute_typed(const buckets *b, int chunk, int64_t begin, int64_t end)
{
    if (b->sort->type == SPL_I32 && b->type == SPL_I32)
        distribute(b, chunk, begin, end, SPL_I32, SPL_I32);
    else if (b->sort->type == SPL_I32)
        distribute(b, chunk, begin, end, SPL_I32, SPL_I64);
    else if (b->type == SPL_I32)
        distribute(b, chunk, begin, end, SPL_I64, SPL_I32);
    else
        distribute(b, chunk, begin, end, SPL_I64, SPL_I64);
}

static void distribute_chunk(const buckets *b, int chunk)
{
    int64_t end = chunk_begin(b, chunk + 1);
    for (int64_t p = chunk_begin(b, chunk); p < end && spl__watch_goes_on(b->sort->watch);
         p += PIECE)
        distribute_typed(b, chunk, p, spl__min_i64(p + PIECE, end));
}

static void count_piece(const buckets *b, int64_t *next, int64_t begin, int64_t end)
{
    const spl__row_sort *s = b->sort;
    if (s->type == SPL_I32)
        for (int64_t p = begin; p < end; p++)
            next[((const int32_t *)s->key)[p] >> b->shift]++;
    else
        for (int64_t p = begin; p < end; p++)
            next[((const int64_t *)s->key)[p] >> b->shift]++;
}

static void count_chunk(const buckets *b, int chunk)
{
    int64_t *next = b->next + chunk * b->count, end = chunk_begin(b, chunk + 1);
    for (int64_t k = 0; k < b->count; k++)
        next[k] = 0;
    for (int64_t p = chunk_begin(b, chunk); p < end && spl__watch_goes_on(b->sort->watch);
         p += PIECE)
        count_piece(b, next, p, spl__min_i64(p + PIECE, end));
}

/* Turns counts into begins: bucket by bucket, and within a bucket chunk by chunk. */
static void position_chunks(const buckets *b)
{
    int64_t position = 0;
    for (int64_t k = 0; k < b->count; k++)
        for (int chunk = 0; chunk < b->threads; chunk++) {
            int64_t *next = &b->next[chunk * b->count + k], length = *next;
            *next = position;
            position += length;
        }
}

SPL__SPECIALISED int64_t row_of(const buckets *b, int64_t p, spl_index type)
{
    return type == SPL_I32 ? ((const narrow *)b->records)[p].row
                           : ((const wide *)b->records)[p].row;
}

/* Sorts bucket k, whose records are begin..end. The trick with the offsets is
 * that of row_sort.c. */
SPL__SPECIALISED void settle(const buckets *b, int64_t k, int64_t begin, int64_t end,
                             spl_index type, spl_index offset_type, spl_index index_type)
{
    const spl__row_sort *s = b->sort;
    int64_t first = k << b->shift, last = spl__min_i64(s->rows, (k + 1) << b->shift), next = begin;
    for (int64_t row = first; row < last; row++)
        spl__index_set(s->offsets, offset_type, row + 1, 0);
    for (int64_t p = begin; p < end; p++) {
        int64_t row = row_of(b, p, type);
        spl__index_set(s->offsets, offset_type, row + 1,
                       spl__index_at(s->offsets, offset_type, row + 1) + 1);
    }
    for (int64_t row = first; row < last; row++) {
        int64_t length = spl__index_at(s->offsets, offset_type, row + 1);
        spl__index_set(s->offsets, offset_type, row + 1, next);
        next += length;
    }
    for (int64_t p = begin; p < end; p++) {
        int64_t row = row_of(b, p, type), slot = spl__index_at(s->offsets, offset_type, row + 1);
        spl__index_set(s->offsets, offset_type, row + 1, slot + 1);
        if (type == SPL_I32) {
            spl__index_set(s->indices, index_type, slot, ((const narrow *)b->records)[p].column);
            spl__row_sort_store(s, slot, ((const narrow *)b->records)[p].along);
        } else {
            spl__index_set(s->indices, index_type, slot, ((const wide *)b->records)[p].column);
            spl__row_sort_store(s, slot, ((const wide *)b->records)[p].along);
        }
    }
}

/* After the first pass the last chunk's positions are where the buckets end. */
static void settle_typed(const buckets *b, int64_t k)
{
    const int64_t *ends = b->next + (b->threads - 1) * b->count;
    const spl__row_sort *s = b->sort;
    int64_t begin = k ? ends[k - 1] : 0, end = ends[k];
    if (b->type == SPL_I32 && s->offset_type == SPL_I32 && s->index_type == SPL_I32)
        settle(b, k, begin, end, SPL_I32, SPL_I32, SPL_I32);
    else if (b->type == SPL_I32 && s->offset_type == SPL_I64 && s->index_type == SPL_I32)
        settle(b, k, begin, end, SPL_I32, SPL_I64, SPL_I32);
    else if (b->type == SPL_I64 && s->offset_type == SPL_I64 && s->index_type == SPL_I64)
        settle(b, k, begin, end, SPL_I64, SPL_I64, SPL_I64);
    else
        settle(b, k, begin, end, b->type, s->offset_type, s->index_type);
}

static spl_status sort(const buckets *b)
{
    spl__watch *watch = b->sort->watch;
    spl__index_set(b->sort->offsets, b->sort->offset_type, 0, 0);
#pragma omp parallel for num_threads(spl__team(b->threads)) schedule(static, 1)
    for (int chunk = 0; chunk < b->threads; chunk++)
        count_chunk(b, chunk);
    SPL__TRY(spl__watch_check(watch));
    position_chunks(b);
#pragma omp parallel for num_threads(spl__team(b->threads)) schedule(static, 1)
    for (int chunk = 0; chunk < b->threads; chunk++)
        distribute_chunk(b, chunk);
    SPL__TRY(spl__watch_check(watch));
#pragma omp parallel for num_threads(spl__team(b->threads)) schedule(dynamic)
    for (int64_t k = 0; k < b->count; k++)
        if (spl__watch_goes_on(watch))
            settle_typed(b, k);
    return spl__watch_check(watch);
}

spl_status spl__row_buckets(spl__account *account, int threads, const spl__row_sort *s)
{
    bool fits = s->rows <= INT32_MAX && s->cols <= INT32_MAX;
    buckets b = {.sort = s, .type = fits ? SPL_I32 : SPL_I64, .threads = threads};
    size_t record = fits ? sizeof(narrow) : sizeof(wide);
    int64_t wanted = s->count / (BUCKET_BYTES / (int64_t)record);
    wanted = spl__min_i64(MOST_BUCKETS, spl__max_i64(wanted, (int64_t)4 * threads));
    while ((s->rows - 1) >> b.shift >= wanted)
        b.shift++;
    b.count = ((s->rows - 1) >> b.shift) + 1;
    SPL__TRY(SPL__NEW(account, &b.next, b.count * threads));
    spl_status status = spl__alloc(account, s->count, record, &b.records);
    /* the first entries are scattered over all pages */
    if (status == SPL_OK) {
        spl__touch_pages(s->watch, threads, b.records, (size_t)s->count * record);
        status = sort(&b);
    }
    spl__free(b.records);
    spl__free(b.next);
    return status;
}
