/* SPDX-License-Identifier: Apache-2.0 */
/* standalone_main.c: runs a fuzz target without libFuzzer: the given files as they are, then
 * mutations of them, always the same for the same files and arguments. fuzz_x [-runs=N] [-seed=N]
 * [-max_len=N] FILE... Before each run the input is not saved; on a crash, the number of the run is
 * on standard error: repeat with -only=NUMBER. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static uint64_t random_state;
static char run_text[64]; /* printed by the signal handler */

/* splitmix64 of G. Steele, D. Lea, C. Flood, OOPSLA 2014. */
static uint64_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static size_t below(size_t limit)
{
    return limit ? (size_t)(next_random() % limit) : 0;
}

static void crashed(int number)
{
    ssize_t ignored = write(STDERR_FILENO, run_text, strlen(run_text));
    (void)ignored;
    signal(number, SIG_DFL);
    raise(number);
}

static bytes read_whole(const char *path)
{
    bytes b = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    b.size = (size_t)ftell(file);
    rewind(file);
    b.data = malloc(b.size + 1);
    if (!b.data || fread(b.data, 1, b.size, file) != b.size)
        exit(2);
    fclose(file);
    return b;
}

/* Takes the bytes [at, at + count) out, or makes room for them. */
static void cut(bytes *b, size_t offset, size_t count)
{
    memmove(b->data + offset, b->data + offset + count, b->size - offset - count);
    b->size -= count;
}

static void insert(bytes *b, size_t room, size_t offset, const void *inserted, size_t count)
{
    if (b->size + count > room)
        return;
    memmove(b->data + offset + count, b->data + offset, b->size - offset);
    memcpy(b->data + offset, inserted, count);
    b->size += count;
}

/* Tokens that text formats care about. */
static const char *const words[] = {"0",
                                    "1",
                                    "-1",
                                    "2147483648",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "1e308",
                                    "nan",
                                    "inf",
                                    "1e-320",
                                    "0.1",
                                    "\n",
                                    "\r\n",
                                    " ",
                                    "%",
                                    "%%MatrixMarket",
                                    "general",
                                    "symmetric",
                                    "skew-symmetric",
                                    "hermitian",
                                    "array",
                                    "coordinate",
                                    "pattern",
                                    "integer",
                                    "real",
                                    "complex",
                                    "1 1 1\n",
                                    "1 1\n",
                                    "\t"};

static void mutate(bytes *b, size_t room, const bytes *other)
{
    uint8_t byte = (uint8_t)next_random();
    size_t offset = below(b->size + 1), left = b->size - offset,
           count = below(left < 16 ? left + 1 : 16);
    const char *word = words[below(sizeof words / sizeof *words)];
    switch (below(8)) {
    case 0:
        if (left)
            b->data[offset] ^= (uint8_t)(1U << byte % 8);
        break;
    case 1:
        if (left)
            b->data[offset] = byte;
        break;
    case 2:
        cut(b, offset, count);
        break;
    case 3:
        b->size = offset;
        break;
    case 4:
        if (other->size) {
            size_t from = below(other->size);
            insert(b, room, offset, other->data + from,
                   below(other->size - from < 64 ? other->size - from + 1 : 64));
        }
        break;
    case 5: /* another digit: most likely to leave a valid file */
        while (offset < b->size && (b->data[offset] < '0' || b->data[offset] > '9'))
            offset++;
        if (offset < b->size)
            b->data[offset] = (uint8_t)('0' + byte % 10);
        break;
    default:
        insert(b, room, offset, word, strlen(word));
    }
}

/* The input as a gzip file, sometimes damaged. */
static void pack(bytes *b, size_t room)
{
    z_stream stream = {0};
    uint8_t *packed = malloc(room);
    if (!packed || deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        exit(2);
    stream.next_in = b->data;
    stream.avail_in = (uInt)b->size;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) == Z_STREAM_END) {
        b->size = stream.total_out;
        memcpy(b->data, packed, b->size);
        if (below(2))
            mutate(b, room, &(bytes){NULL, 0});
    }
    deflateEnd(&stream);
    free(packed);
}

typedef struct settings {
    unsigned long long runs, seed, only, max_len;
} settings;

/* A run depends on its number only, so that it can be repeated alone. The target gets a block of
 * the exact size. */
static void run(const settings *s, unsigned long long number, const bytes *seeds, size_t count)
{
    random_state = s->seed * 1000003 + number;
    bytes b = {malloc(s->max_len), 0};
    const bytes *seed = &seeds[below(count)], *other = &seeds[below(count)];
    if (!b.data)
        exit(2);
    b.size = seed->size < s->max_len ? seed->size : s->max_len;
    memcpy(b.data, seed->data, b.size);
    for (size_t i = below(4); i > 0; i--)
        mutate(&b, s->max_len, other);
    if (below(8) == 0)
        pack(&b, s->max_len);
    uint8_t *exact = malloc(b.size ? b.size : 1);
    if (!exact)
        exit(2);
    memcpy(exact, b.data, b.size);
    snprintf(run_text, sizeof run_text, "fuzzing: crashed in run %llu\n", number);
    LLVMFuzzerTestOneInput(exact, b.size);
    free(exact);
    free(b.data);
}

static int take_option(const char *argument, const char *name, unsigned long long *value)
{
    size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0)
        return 0;
    *value = strtoull(argument + length, NULL, 10);
    return 1;
}

int main(int argc, char **argv)
{
    settings s = {.runs = 20000, .seed = 1, .only = 0, .max_len = 4096};
    bytes *seeds = calloc((size_t)argc + 1, sizeof *seeds);
    size_t count = 0;
    if (!seeds)
        return 2;
    for (int i = 1; i < argc; i++)
        if (!take_option(argv[i], "-runs=", &s.runs) && !take_option(argv[i], "-seed=", &s.seed) &&
            !take_option(argv[i], "-only=", &s.only) &&
            !take_option(argv[i], "-max_len=", &s.max_len))
            seeds[count++] = read_whole(argv[i]);
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    for (size_t i = 0; i < count; i++) {
        snprintf(run_text, sizeof run_text, "fuzzing: crashed in file %zu\n", i + 1);
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
    }
    if (count == 0)
        count = 1; /* the empty input */
    for (unsigned long long n = 1; n <= s.runs; n++)
        if (!s.only || s.only == n)
            run(&s, n, seeds, count);
    printf("%llu runs done\n", s.runs);
    for (size_t i = 0; i < count; i++)
        free(seeds[i].data);
    free(seeds);
    return 0;
}
