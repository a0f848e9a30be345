/* SPDX-License-Identifier: Apache-2.0 */
#include "io/npz/npz_array.h"

#include "core/checked.h"

#include <string.h>

enum { CHUNK = 1 << 15 };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "npz_array.c copies little-endian arrays as they are"
#endif

static bool is_index(const spl__npy_header *h)
{
    return h->kind == 'i' && (h->width == 4 || h->width == 8);
}

spl_status spl__npz_look(spl__zip *zip, const char *member, spl__npy_header *header)
{
    SPL__TRY(spl__npy_enter(zip, member, header));
    spl__zip_leave(zip);
    return SPL_OK;
}

typedef spl_status header_check(const spl__zip *zip, const spl__npy_header *h);

static spl_status check_indices(const spl__zip *zip, const spl__npy_header *h)
{
    if (h->dimensions != 1)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "has %d dimensions, not 1", h->dimensions);
    if (!is_index(h))
        return spl__zip_fail(zip, SPL_FILE_INVALID, "elements are %c%lld, indices are i4 or i8",
                             h->kind, (long long)h->width);
    return SPL_OK;
}

static spl_status check_coordinates(const spl__zip *zip, const spl__npy_header *h)
{
    if (h->dimensions != 2 || h->shape[0] != 2)
        return spl__zip_fail(zip, SPL_FILE_INVALID,
                             "%d dimensions, the first of %s, are not two rows of coordinates",
                             h->dimensions, spl__thousands(h->dimensions ? h->shape[0] : 1));
    if (h->fortran)
        return spl__zip_fail(zip, SPL_UNSUPPORTED,
                             "coordinates in Fortran's order are not supported");
    spl__npy_header line = *h;
    line.dimensions = 1;
    return check_indices(zip, &line);
}

/* The header of a member that must pass the check. */
static spl_status look_checked(spl__zip *zip, const char *member, header_check *check,
                               spl__npy_header *h)
{
    SPL__TRY(spl__npy_enter(zip, member, h));
    spl_status status = check(zip, h);
    spl__zip_leave(zip);
    return status;
}

spl_status spl__npz_look_indices(spl__zip *zip, const char *member, int64_t *count)
{
    spl__npy_header h;
    SPL__TRY(look_checked(zip, member, check_indices, &h));
    *count = h.count;
    return SPL_OK;
}

spl_status spl__npz_look_coordinates(spl__zip *zip, const char *member, int64_t *count)
{
    spl__npy_header h;
    SPL__TRY(look_checked(zip, member, check_coordinates, &h));
    *count = h.shape[1];
    return SPL_OK;
}

/* One after another in chunks: what `take` does with elements first..first+count of the member. */
typedef struct chunked {
    spl__zip *zip;
    spl__npy_header header;
    spl_status (*take)(struct chunked *c, const void *chunk, int64_t first, int64_t count);
    void *to, *cols; /* cols: the second row of coordinates */
    spl_index index_type;
    spl_type type;
    int64_t limit, cols_below, last;
} chunked;

static spl_status read_chunks(chunked *c, int64_t count)
{
    _Alignas(8) unsigned char chunk[CHUNK];
    const spl__npy_header *h = &c->header;
    const int64_t most = CHUNK / h->width;
    if (h->count != count)
        return spl__zip_fail(c->zip, SPL_FILE_INVALID, "has %s elements, not %s",
                             spl__thousands(h->count), spl__thousands(count));
    for (int64_t first = 0; first < count; first += most) {
        int64_t n = spl__min_i64(most, count - first);
        SPL__TRY(spl__zip_read(c->zip, chunk, (size_t)(n * h->width)));
        SPL__TRY(c->take(c, chunk, first, n));
    }
    return spl__zip_finish(c->zip);
}

/* Reads the whole member, and leaves it in case of a failure. */
static spl_status read_member(chunked *c, const char *member, header_check *check, int64_t count)
{
    SPL__TRY(spl__npy_enter(c->zip, member, &c->header));
    spl_status status = check ? check(c->zip, &c->header) : SPL_OK;
    if (status == SPL_OK)
        status = read_chunks(c, count);
    if (status != SPL_OK)
        spl__zip_leave(c->zip);
    return status;
}

static spl_status check_index(const chunked *c, int64_t position, int64_t index, int64_t limit)
{
    if (index >= 0 && index < limit)
        return SPL_OK;
    return spl__zip_fail(c->zip, SPL_FILE_INVALID, "element %s is %lld, which is not in 0..%lld",
                         spl__thousands(position), (long long)index, (long long)limit - 1);
}

static spl_status take_indices(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    spl_index from = c->header.width == 4 ? SPL_I32 : SPL_I64;
    for (int64_t k = 0; k < count; k++) {
        int64_t index = spl__index_at(chunk, from, k);
        SPL__TRY(check_index(c, first + k, index, c->limit));
        spl__index_set(c->to, c->index_type, first + k, index);
    }
    return SPL_OK;
}

/* The rows of all entries, then their columns. */
static spl_status take_coordinates(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    spl_index from = c->header.width == 4 ? SPL_I32 : SPL_I64;
    const int64_t half = c->header.shape[1];
    for (int64_t k = 0; k < count; k++) {
        int64_t index = spl__index_at(chunk, from, k), position = first + k;
        bool col = position >= half;
        SPL__TRY(check_index(c, position, index, col ? c->cols_below : c->limit));
        spl__index_set(col ? c->cols : c->to, c->index_type, col ? position - half : position,
                       index);
    }
    return SPL_OK;
}

static spl_status take_offsets(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    spl_index from = c->header.width == 4 ? SPL_I32 : SPL_I64;
    for (int64_t k = 0; k < count; k++) {
        int64_t offset = spl__index_at(chunk, from, k);
        if (first + k == 0 && offset != 0)
            return spl__zip_fail(c->zip, SPL_FILE_INVALID, "the first offset is %lld, not 0",
                                 (long long)offset);
        if (offset < c->last || offset > c->limit)
            return spl__zip_fail(c->zip, SPL_FILE_INVALID,
                                 "offset %s is %lld, after %lld; there are %lld entries",
                                 spl__thousands(first + k), (long long)offset, (long long)c->last,
                                 (long long)c->limit);
        c->last = offset;
        spl__index_set(c->to, c->index_type, first + k, offset);
    }
    return SPL_OK;
}

spl_status spl__npz_indices(spl__zip *zip, const char *member, void *to, spl_index type,
                            int64_t count, int64_t limit)
{
    chunked c = {.zip = zip, .take = take_indices, .to = to, .index_type = type, .limit = limit};
    return read_member(&c, member, check_indices, count);
}

spl_status spl__npz_coordinates(spl__zip *zip, const char *member, const spl__npz_target *rows,
                                const spl__npz_target *cols, spl_index type, int64_t count)
{
    chunked c = {.zip = zip,
                 .take = take_coordinates,
                 .to = rows->to,
                 .limit = rows->limit,
                 .cols = cols->to,
                 .cols_below = cols->limit,
                 .index_type = type};
    return read_member(&c, member, check_coordinates, 2 * count);
}

spl_status spl__npz_offsets(spl__zip *zip, const char *member, void *to, spl_index type,
                            int64_t count, int64_t end)
{
    chunked c = {.zip = zip, .take = take_offsets, .to = to, .index_type = type, .limit = end};
    SPL__TRY(read_member(&c, member, check_indices, count));
    if (c.last == end)
        return SPL_OK;
    return spl__zip_fail(zip, SPL_FILE_INVALID,
                         "%s: the last offset is %lld, there are %lld entries", member,
                         (long long)c.last, (long long)end);
}

static double whole_number(const void *chunk, const spl__npy_header *h, int64_t k)
{
    bool is_signed = h->kind == 'i';
    switch (h->width) {
    case 1:
        return is_signed ? (double)((const int8_t *)chunk)[k] : (double)((const uint8_t *)chunk)[k];
    case 2:
        return is_signed ? (double)((const int16_t *)chunk)[k]
                         : (double)((const uint16_t *)chunk)[k];
    case 4:
        return is_signed ? (double)((const int32_t *)chunk)[k]
                         : (double)((const uint32_t *)chunk)[k];
    default:
        return is_signed ? (double)((const int64_t *)chunk)[k]
                         : (double)((const uint64_t *)chunk)[k];
    }
}

/* An element of a file as an integer; false: it is none, or does not fit. */
static bool integer_of(const spl__npy_header *h, spl_type from, const void *chunk, int64_t k,
                       int64_t *value)
{
    if (h->kind == 'f') {
        const double real = spl__value_at(chunk, from, k);
        if (!(real >= -0x1p63 && real < 0x1p63) || real != (double)(int64_t)real)
            return false;
        *value = (int64_t)real;
    } else if (h->width < 8) {
        *value = (int64_t)whole_number(chunk, h, k);
    } else {
        *value = ((const int64_t *)chunk)[k];
        return h->kind == 'i' || *value >= 0;
    }
    return true;
}

static spl_status take_integers(const chunked *c, const void *chunk, spl_type from, int64_t first,
                                int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t value;
        if (!integer_of(&c->header, from, chunk, k, &value) ||
            value != spl__integer_within(c->type, value))
            return spl__zip_fail(c->zip, SPL_FILE_INVALID, "element %s is not an integer of %s",
                                 spl__thousands(first + k), spl__type_name(c->type));
        spl__integer_set(c->to, c->type, first + k, c->header.kind == 'b' ? value != 0 : value);
    }
    return SPL_OK;
}

static spl_status take_values(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    const spl__npy_header *h = &c->header;
    spl_type from = h->width == 2 ? SPL_F16 : h->width == 4 ? SPL_F32 : SPL_F64;
    if (h->kind == 'f' && from == c->type) {
        memcpy((char *)c->to + first * h->width, chunk, (size_t)(count * h->width));
        return SPL_OK;
    }
    if (spl__type_is_integer(c->type))
        return take_integers(c, chunk, from, first, count);
    for (int64_t k = 0; k < count; k++) {
        double value = h->kind == 'f' ? spl__value_at(chunk, from, k) : whole_number(chunk, h, k);
        if (h->kind == 'b')
            value = value != 0;
        spl__value_set(c->to, c->type, first + k, value);
    }
    return SPL_OK;
}

spl_status spl__npz_values(spl__zip *zip, const char *member, void *to, spl_type type,
                           int64_t count)
{
    chunked c = {.zip = zip, .take = take_values, .to = to, .type = type};
    return read_member(&c, member, NULL, count);
}

static spl_status take_numbers(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    if (!is_index(&c->header))
        return spl__zip_fail(c->zip, SPL_FILE_INVALID, "elements are not i4 or i8");
    for (int64_t k = 0; k < count; k++)
        ((int64_t *)c->to)[first + k] =
            spl__index_at(chunk, c->header.width == 4 ? SPL_I32 : SPL_I64, k);
    return SPL_OK;
}

spl_status spl__npz_numbers(spl__zip *zip, const char *member, int64_t *to, int64_t count)
{
    chunked c = {.zip = zip, .take = take_numbers, .to = to};
    return read_member(&c, member, NULL, count);
}

/* Bytes, or Unicode of four bytes each; padded with zeros. */
static spl_status take_word(chunked *c, const void *chunk, int64_t first, int64_t count)
{
    const unsigned char *p = chunk;
    const int step = c->header.kind == 'U' ? 4 : 1;
    int64_t length = c->header.width / step, capacity = c->limit;
    char *word = c->to;
    (void)first, (void)count;
    if (c->header.kind != 'S' && c->header.kind != 'U')
        return spl__zip_fail(c->zip, SPL_FILE_INVALID, "is no text");
    if (length >= capacity)
        return spl__zip_fail(c->zip, SPL_FILE_INVALID,
                             "text of %lld characters, at most %lld make sense", (long long)length,
                             (long long)capacity - 1);
    for (int64_t k = 0; k < length; k++, p += step) {
        bool ascii = *p < 0x80 && (step == 1 || (p[1] == 0 && p[2] == 0 && p[3] == 0));
        word[k] = ascii ? (char)*p : '?';
    }
    word[length] = 0;
    return SPL_OK;
}

spl_status spl__npz_word(spl__zip *zip, const char *member, char *word, size_t capacity)
{
    chunked c = {.zip = zip, .take = take_word, .to = word, .limit = (int64_t)capacity};
    word[0] = 0;
    return read_member(&c, member, NULL, 1);
}
