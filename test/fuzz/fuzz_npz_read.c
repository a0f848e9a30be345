/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_npz_read.c: any bytes as a zip archive; and, because few changes to an archive get past its
 * check sums, archives whose members were changed before they were packed. */
#include "read_any.h"

#ifndef SPARLOOM_LIBZIP
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size, "input.npz");
    return 0;
}
#else
#include "io/npz_files.h"

/* The next byte of the input, 0 at its end. */
typedef struct stream {
    const uint8_t *next, *end;
} stream;

static unsigned take(stream *s)
{
    return s->next < s->end ? *s->next++ : 0;
}

/* One of the formats, each valid. */
static void begin(npz_archive *a, unsigned choice)
{
    static const char *const formats[] = {"csr", "csc", "coo", "bsr"};
    static const int32_t rows[] = {0, 0, 1, 3, 3}, csc_offsets[] = {0, 1, 2, 3, 4, 4, 5};
    static const int32_t cols[] = {1, 5, 0, 3, 2}, csc_rows[] = {1, 0, 3, 3, 0};
    static const double blocks[10];
    npz_example(a);
    a->stored = choice & 64;
    npz_set(a, "format.npy", "|S3", "()", formats[choice % 4], 3);
    if (choice % 4 == 1) {
        npz_set(a, "indptr.npy", "<i4", "(7,)", csc_offsets, sizeof csc_offsets);
        npz_set(a, "indices.npy", "<i4", "(5,)", csc_rows, sizeof csc_rows);
    } else if (choice % 4 == 2) {
        npz_set(a, "row.npy", "<i4", "(5,)", rows, sizeof rows);
        npz_set(a, "col.npy", "<i4", "(5,)", cols, sizeof cols);
    } else if (choice % 4 == 3) {
        npz_set(a, "indices.npy", "<i4", "(5,)", rows, sizeof rows);
        npz_set(a, "data.npy", "<f8", choice & 32 ? "(5, 1, 2)" : "(5, 1, 1)", blocks,
                choice & 32 ? 80 : 40);
    }
}

/* Changes a byte of a member, a digit of its header, or its length. */
static void change(npz_archive *a, stream *s)
{
    npz_member *m = &a->members[take(s) % NPZ_MEMBERS];
    unsigned change = take(s), element = take(s), byte = take(s);
    if (m->count == 0)
        return;
    size_t position = element % m->count;
    if (change % 4 == 0)
        m->bytes[position] = (uint8_t)byte;
    else if (change % 4 == 1)
        m->bytes[position] ^= (uint8_t)(1U << byte % 8);
    else if (change % 4 == 2 && m->count + 8 < NPY_ROOM)
        m->count += byte % 8;
    else
        m->count -= position / 4;
    while (change & 128 && position < m->count &&
           (m->bytes[position] < '0' || m->bytes[position] > '9'))
        position++;
    if (change & 128 && position < m->count)
        m->bytes[position] = (uint8_t)('0' + byte % 10);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static npz_archive a;
    stream s = {data, data + size};
    size_t packed_size = 0;
    begin(&a, take(&s));
    for (unsigned changes = take(&s) % 4; changes > 0; changes--)
        change(&a, &s);
    uint8_t *packed = npz_pack(&a, &packed_size);
    fuzz_require(packed != NULL);
    for (unsigned changes = take(&s) % 8 == 0; changes > 0 && packed_size; changes--)
        packed[(take(&s) * 256 + take(&s)) % packed_size] = (uint8_t)take(&s);
    fuzz_read(packed, packed_size, "input.npz");
    free(packed);
    fuzz_read(data, size, "input.npz");
    return 0;
}
#endif
