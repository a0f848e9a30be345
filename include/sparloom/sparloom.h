/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom.h: sparse matrix products, planned, explained and kept.
 *
 *   SpMV    y = alpha*op(A)*x + beta*y          x, y dense vectors
 *   SpMM    C = alpha*op(A)*B + beta*C          B, C dense matrices
 *   SpGEMM  C = alpha*op(A)*op(B) + beta*D      all sparse
 *
 * Read in this order: status, context, views, matrices, files, options, plans, one-shot calls, explanation, checking.
 *
 * Conventions, valid for every function unless its comment says otherwise:
 *   - It returns a spl_status and, after a failure, leaves a sentence with numbers in spl_error_detail().
 *   - A failure that can be seen before the first write leaves all outputs untouched, and nothing leaks.
 *   - It blocks until done on the host. It may be called from any thread; one object must not be used by two calls at once, except
 *     contexts and inputs, which may be shared.
 *   - A child of fork() may use what its parent had, but for plans that were being executed, which
 *     stay SPL_BUSY, and devices of CUDA and HIP, whose runtimes do not come along. If the parent had
 *     other threads, the child's CPU computes with one, for good, and plans give the same bits.
 *     fork() waits for what other threads do on emulated devices.
 *   - Arrays and scalars are aligned to their elements, on devices too: SPL_INVALID_ARGUMENT, naming the array, if they are not.
 *   - Rows, columns, entries are int64_t counts; bytes are size_t; indices count from 0.
 *   - Public structs start with `size`, set by their *_INIT macro; bytes beyond what the library knows must be zero.
 */
#ifndef SPARLOOM_H
#define SPARLOOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SPL_API __attribute__((visibility("default")))
#else
#define SPL_API
#endif

/* clang-format off */
#ifdef __cplusplus
#define SPL_SIZED(type) {sizeof(type)}
extern "C" {
#else
#define SPL_SIZED(type) {.size = sizeof(type)}
#endif
/* clang-format on */

#define SPL_VERSION_MAJOR 0
#define SPL_VERSION_MINOR 1
#define SPL_VERSION_PATCH 0

/* The library's version as "major.minor.patch"; static, never NULL. */
SPL_API const char *spl_version(void);

/* ------------------------------------------------------------------------------------------------------------------ status */

/* What went wrong. The numbers are fixed for ever. */
typedef enum spl_status {
    SPL_OK = 0,
    SPL_INVALID_ARGUMENT = 1, /* a NULL, an option out of range, an unknown method, overlapping or misaligned arrays */
    SPL_INVALID_MATRIX = 2,   /* offsets that decrease, an index out of range: the detail names row and entry */
    SPL_SHAPE_MISMATCH = 3,   /* operands that do not fit together */
    SPL_UNSUPPORTED = 4,      /* valid, but not built: complex values, BSR operands, a reserved option */
    SPL_OUT_OF_MEMORY = 5,    /* the allocator returned NULL */
    SPL_OVER_BUDGET = 6,      /* the memory budget does not suffice; the detail says how many bytes would */
    SPL_INDEX_OVERFLOW = 7,   /* a count does not fit the index type asked for */
    SPL_DEVICE_FAILURE = 8,   /* a GPU reported an error */
    SPL_CANCELLED = 9,        /* the progress function returned non-zero */
    SPL_FILE_ERROR = 10,      /* a file cannot be opened, read or written */
    SPL_FILE_INVALID = 11,    /* the text of a file is wrong: detail is "file:line: what" */
    SPL_BUSY = 12,            /* a plan is being executed by another thread */
    SPL_STALE = 13,           /* check_inputs found structure or unannounced values changed since the plan */
    SPL_INTERNAL = 14         /* a fault of the library itself; please report it */
} spl_status;

/* The enumerator's name, "SPL_OK" ...; "SPL_UNKNOWN" for a number that is none. Static. */
SPL_API const char *spl_status_name(spl_status status);
/* One general sentence about the status. Static, never NULL. */
SPL_API const char *spl_status_message(spl_status status);
/* What exactly failed in this thread's last call that failed, at most 511 bytes (of more the middle is left out), "" if none. Valid
 * until the thread's next call. */
SPL_API const char *spl_error_detail(void);

/* ------------------------------------------------------------------------------------------------------- places and streams */

/* Where an array lives. A device's place must be one of the context's processors; functions that work on the host only
 * (files, conversion, description, checks) answer device places with SPL_UNSUPPORTED. */
typedef enum spl_place_kind { SPL_HOST = 0, SPL_CUDA = 1, SPL_HIP = 2, SPL_EMULATOR = 3 } spl_place_kind;
typedef struct spl_place {
    int32_t kind;    /* spl_place_kind */
    int32_t ordinal; /* which device of that kind; 0 on the host. Emulated devices with 64 lanes count from 64 */
} spl_place;

/* A queue of a device, e.g. a cudaStream_t in `handle`. Functions take a pointer; NULL is the default stream. On the host
 * streams have no effect: calls block. */
typedef struct spl_stream {
    int32_t kind; /* spl_place_kind of the device it belongs to */
    void *handle;
} spl_stream;

/* -------------------------------------------------------------------------------------------------------------------- context */

/* Memory hook. `alloc` returns `bytes` (> 0) bytes at `place`, aligned to `align` (a power of two), or NULL; `free` gets the same
 * numbers back. Both may be called from several threads at once. Neither may call the library. */
typedef struct spl_allocator {
    void *user;
    void *(*alloc)(void *user, size_t bytes, size_t align, spl_place place, const spl_stream *stream);
    void (*free)(void *user, void *memory, size_t bytes, spl_place place, const spl_stream *stream);
} spl_allocator;

typedef enum spl_log_level { SPL_LOG_ERROR = 1, SPL_LOG_INFO = 2, SPL_LOG_DEBUG = 3 } spl_log_level;
/* Receives one message without a newline. May be called from any thread that is inside the library. */
typedef void (*spl_log_fn)(void *user, spl_log_level level, const char *message);
/* Told that `done` of `total` units of `stage` are finished (total 0: unknown). Non-zero cancels the call,
 * which returns SPL_CANCELLED. It is called by the thread that called the library: when the work begins,
 * then every 10 ms where work is cut into pieces. It must not call the library with objects of the running call.
 *   - Planning, products on the CPU, spl_spgemm_take, reading, writing, conversion and description
 *     report. Nothing is left of a matrix or a plan that was to be made. y, and C or its values, are
 *     unspecified then; the plan can be executed again.
 *   - Other functions do not report, nor does work of a device, which calls only begin.
 *   - A cancel waits for what is not cut into pieces: an allocation, a row of a product, some passes of
 *     conversion and planning (0.5 s at most with 20 million entries, as measured). */
typedef int (*spl_progress_fn)(void *user, const char *stage, int64_t done, int64_t total);

typedef struct spl_context_options {
    uint32_t size;
    /* CPU threads, at most 4096, else SPL_INVALID_ARGUMENT; 0: OMP_NUM_THREADS or all. More than eight
     * for each processor that is online are not started, whoever asked for them, and the log says so:
     * spl_processor_info tells how many there are. */
    int32_t threads;
    spl_allocator allocator; /* all zero: the library's own */
    size_t memory_budget;    /* bytes that may be live at once per place; 0: no limit. Plans may set their own */
    spl_log_fn log;
    void *log_user;
    spl_progress_fn progress;
    void *progress_user;
    /* Devices to open, comma separated: "cuda", "hip" (AMD, Hygon DCU), "emu" and "emu64" (emulated, for tests: 32 and 64 lanes), each with
     * ":ordinal" if not the first; "gpu": the first of cuda and hip; "auto": the same if there is one. NULL: none. Operands on the host are
     * computed on the first device, unless "cpu" is in the list too or plans' options name processors */
    const char *devices;
} spl_context_options;
#define SPL_CONTEXT_OPTIONS_INIT SPL_SIZED(spl_context_options)

/* A context holds processors, memory, threads, log and progress. Contexts are independent of each other. */
typedef struct spl_context spl_context;

/* Creates a context; options may be NULL. Free it with spl_context_destroy after everything made from it.
 * SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_UNSUPPORTED (a device that is asked for is not there: the detail says what is missing),
 * SPL_DEVICE_FAILURE. */
SPL_API spl_status spl_context_create(const spl_context_options *options, spl_context **context);
/* NULL is allowed. */
SPL_API void spl_context_destroy(spl_context *context);
/* Gives pooled memory of the context's devices back to the system. The host keeps no pool. */
SPL_API spl_status spl_trim(spl_context *context);
/* Waits for the stream's work (NULL: that of all devices' default streams) and reports late device errors. */
SPL_API spl_status spl_sync(spl_context *context, const spl_stream *stream);

typedef struct spl_memory_info {
    uint32_t size;
    size_t live;         /* bytes now allocated through the context at the place */
    size_t peak;         /* most bytes ever live at once; never what was refused */
    int64_t allocations; /* number of allocations so far */
} spl_memory_info;
#define SPL_MEMORY_INFO_INIT SPL_SIZED(spl_memory_info)
/* Memory accounting of the context: its plans and matrices included, its own handle not. */
SPL_API spl_status spl_memory(spl_context *context, spl_place place, spl_memory_info *info);

typedef struct spl_processor_info {
    uint32_t size;
    spl_place place;  /* host: the CPU's threads */
    int32_t threads;  /* CPU only: those that calls use */
    const char *name; /* valid as long as the context */
} spl_processor_info;
#define SPL_PROCESSOR_INFO_INIT SPL_SIZED(spl_processor_info)
/* Number of processors of the context: the CPU is number 0, devices follow in the order in which they were opened. */
SPL_API int32_t spl_processor_count(const spl_context *context);
SPL_API spl_status spl_processor(const spl_context *context, int32_t number, spl_processor_info *info);

/* How many devices a driver ("cuda", "hip", "emu", "emu64") finds: *count, 0 with SPL_UNSUPPORTED, whose detail says what is missing. */
SPL_API spl_status spl_driver_devices(const char *driver, int32_t *count);

/* Memory of a place of the context, for callers without a toolkit of their own: `bytes` > 0 bytes, not initialised, counted like the
 * library's own. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_INVALID_ARGUMENT. */
SPL_API spl_status spl_array_alloc(spl_context *context, spl_place place, size_t bytes, void **array);
/* NULL is allowed; `place` and `bytes` as at allocation. Work that uses the array must have ended. */
SPL_API void spl_array_free(spl_context *context, spl_place place, void *array, size_t bytes);
/* Copies bytes between the host and a device, or within one of both. Blocks if one side is on the host, else ordered in the stream. */
SPL_API spl_status spl_array_copy(spl_context *context, spl_place to_place, void *to, spl_place from_place,
                                  const void *from, size_t bytes, const spl_stream *stream);

/* ---------------------------------------------------------------------------------------------------------------------- views */

/* Types of values. f16 (IEEE binary16) and bf16 (the upper half of f32) are types of storage, for SpMV and SpMM, where A and the dense operands have
 * the same one: values are widened to f32, which is exact; products, sums, alpha and beta are f32; the result is rounded once, to nearest even, beyond
 * the largest number to infinity. SpGEMM answers them with SPL_UNSUPPORTED. */
typedef enum spl_type {
    SPL_F32 = 1,
    SPL_F64 = 2,
    SPL_F16 = 3,
    SPL_BF16 = 4,
    SPL_C32 = 5, /* from here on reserved: SPL_UNSUPPORTED */
    SPL_C64 = 6
} spl_type;
typedef enum spl_index { SPL_I32 = 1, SPL_I64 = 2 } spl_index; /* signed */
typedef enum spl_format { SPL_CSR = 1, SPL_CSC = 2, SPL_COO = 3, SPL_BSR = 4 /* reserved */ } spl_format;

/* A sparse matrix in arrays of the caller, never written and never freed by the library.
 *   CSR: offsets[rows+1], indices[nnz] are columns.   CSC: offsets[cols+1], indices[nnz] are rows.
 *   COO: offsets[nnz] are rows (of index_type), indices[nnz] are columns.
 * Entries may come in any order and more than once per position; equal positions are summed by every operation.
 * offset/index widths: 32/32, 64/32, 64/64; an operation with other or with different mixes widens them in the plan (explain says so).
 * Devices compute with 32-bit indices: wider ones are narrowed in a copy, a dimension beyond 2^31-1 is SPL_UNSUPPORTED there.
 * Arrays may be NULL if they have no elements. */
typedef struct spl_sparse {
    uint32_t size;
    spl_format format;
    spl_type type;         /* of values */
    spl_index offset_type; /* of offsets (CSR, CSC) */
    spl_index index_type;  /* of indices, and of both arrays of COO */
    int32_t block_size;    /* BSR only, else 0 */
    spl_place place;
    int64_t rows, cols, nnz;
    const void *offsets, *indices, *values;
} spl_sparse;
#define SPL_SPARSE_INIT SPL_SIZED(spl_sparse)

typedef enum spl_order { SPL_ROW_MAJOR = 1, SPL_COLUMN_MAJOR = 2 } spl_order;

/* A dense matrix in an array of the caller: element (i,j) at values[i*ld + j] (row major, ld >= cols) or values[i + j*ld]
 * (column major, ld >= rows). Written only where a function says so. */
typedef struct spl_dense {
    uint32_t size;
    spl_type type;
    spl_order order;
    spl_place place;
    int64_t rows, cols, ld;
    void *values;
} spl_dense;
#define SPL_DENSE_INIT SPL_SIZED(spl_dense)

/* Checks everything about a view that can be wrong: header, offsets (start 0, never decrease, end nnz), indices (in range).
 * O(rows + nnz). Detail names the first fault: "row 17, entry 204: column 900 is not below 900".
 * SPL_INVALID_ARGUMENT, SPL_INVALID_MATRIX, SPL_INDEX_OVERFLOW, SPL_UNSUPPORTED. Plans do this check on their operands themselves. */
SPL_API spl_status spl_validate(const spl_sparse *matrix);

/* ------------------------------------------------------------------------------------------------------------- owned matrices */

/* A sparse matrix whose arrays the library allocated: on the host, or where the operands of the product live that made it. It is ready when
 * the call that made it returns, for any stream and as an operand of the next plan, which may read it in place as long as it exists.
 * It must be destroyed before its context, and after the plans that borrow it. */
typedef struct spl_matrix spl_matrix;

/* Fills `view` with the matrix' arrays, valid until spl_matrix_destroy. Never fails for non-NULL arguments. */
SPL_API spl_status spl_matrix_view(const spl_matrix *matrix, spl_sparse *view);
/* Writable arrays of the matrix, same meaning and place as in its view; each pointer may be NULL. Changing structure is the caller's risk. */
SPL_API spl_status spl_matrix_arrays(spl_matrix *matrix, void **offsets, void **indices, void **values);
/* NULL is allowed. Memory on a device goes back to where the context allocates it; work that uses the arrays must have ended. */
SPL_API void spl_matrix_destroy(spl_matrix *matrix);

typedef struct spl_convert_options {
    uint32_t size;
    spl_format format; /* 0: as the source */
    spl_type type;     /* 0: as the source; narrower types: rounded once to nearest even, to infinity if too large */
    spl_index offset_type;  /* 0: as the source */
    spl_index index_type;   /* 0: as the source */
    int32_t transpose;      /* 1: the transpose of the source */
    int32_t sort;           /* 1: entries of a row (CSC: column; COO: row, then column) in ascending order; stable */
    int32_t sum_duplicates; /* 1: sort and sum entries of equal position, in the order they are stored */
} spl_convert_options;
#define SPL_CONVERT_OPTIONS_INIT SPL_SIZED(spl_convert_options)

/* A copy of `source` in another shape. Options may be NULL (plain copy). Duplicates are kept unless summed. O(nnz log) if sorting,
 * else O(rows + cols + nnz). Free the result with spl_matrix_destroy.
 * SPL_INVALID_*, SPL_UNSUPPORTED, SPL_INDEX_OVERFLOW (narrower indices do not fit), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
SPL_API spl_status spl_convert(spl_context *context, const spl_sparse *source, const spl_convert_options *options,
                               spl_matrix **result);

/* to[i] = from[i], i < count, in another type of values, rounded as by spl_convert, for arrays on the host, which must not overlap: also for those
 * who have no f16 or bf16 of their own. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
SPL_API spl_status spl_convert_values(spl_type to_type, void *to, spl_type from_type, const void *from, int64_t count);

/* What a matrix looks like. "row" figures are over stored entries, duplicates included. */
typedef struct spl_description {
    uint32_t size;
    int64_t rows, cols, nnz;
    int64_t empty_rows, longest_row;
    double mean_row, row_deviation; /* entries per row: mean and standard deviation */
    double density;                 /* nnz / (rows*cols), 0 if there is no element */
    int64_t duplicates;             /* entries beyond the first at their position */
    int64_t unsorted_rows;          /* rows whose columns do not ascend (equal neighbours are in order) */
    int32_t pattern_symmetric;      /* 1: square and (i,j) stored whenever (j,i) is */
    int32_t value_symmetric;        /* 1: also with equal values (duplicates summed) */
    int64_t bandwidth;              /* largest |i-j| of an entry, -1 without entries */
    int64_t products;               /* intermediate products of A*A (of A*A^T if not square) */
    int64_t
        block_size; /* unknowns per node: the largest d up to 6 for which it is made of full d x d blocks at multiples of d; else 1 */
    int64_t distinct_values; /* bit by bit; -1: more than 256 */
    /* The fewest bytes that each value can be stored in, exactly: 0 if all are the same, 1 if at most 256 are distinct, 2 for whole numbers of 16 bits
     * times a power of two, 4 where f32 holds them, else those of the type. What plans make of it: spl_plan_explain. 0 without entries */
    double value_bytes;
    /* As block_size, of blocks that may have holes if 60 % of their places or more are entries: the size by which products of blocks would take the fewest
     * steps; block_size where that is more than 1. block_fill: entries (duplicates once) per place of blocks of that size that have any; 1 for size 1 */
    int64_t holed_block_size;
    double block_fill;
} spl_description;
#define SPL_DESCRIPTION_INIT SPL_SIZED(spl_description)
/* Fills `description`; needs about one copy of the matrix as workspace; where a dimension is far larger than the matrix, up to 256 bytes an entry, and nothing
 * of the dimension's length. */
SPL_API spl_status spl_describe(spl_context *context, const spl_sparse *matrix, spl_description *description);

/* The distribution function of the rows: row_counts[b] rows have lengths[b] entries each; lengths ascend, and begin with 0 if there are
 * rows without entries. The row_counts add up to the rows. Writes the first `capacity` pairs and *count, their full number: ask with
 * capacity 0 and NULL arrays first. Workspace: two integers per row or less, and one per possible length. O(rows + nnz).
 * SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. Source: distribution function and row vector sets (RVS), see
 * doc/sources.md [S2]. */
SPL_API spl_status spl_distribution(spl_context *context, const spl_sparse *matrix, int64_t capacity, int64_t *lengths,
                                    int64_t *row_counts, int64_t *count);

/* Bytes a matrix takes in several formats, with its own widths of values and indices; SIZE_MAX: more than can be addressed. Density is
 * the part of the stored entries that is not padding; compute density is multiplications per byte of y = A*x in double precision,
 * nnz / ((2*stored + 2*rows)*8). All 0 without entries. */
typedef struct spl_storage {
    uint32_t size;
    size_t coo;        /* nnz*(value + 2*index) */
    size_t csr;        /* nnz*(value + index) + (rows+1)*offset */
    size_t ell;        /* rows*longest row*(value + index) */
    size_t rvs;        /* rows of equal length together: nnz*(value + index) + rows that have entries * index */
    size_t sliced_ell; /* slices of 16 rows, sorted by length within 1024: the entries with padding, and the slices */
    double ell_density, rvs_density, sliced_ell_density;
    double ell_compute_density, rvs_compute_density;
} spl_storage;
#define SPL_STORAGE_INIT SPL_SIZED(spl_storage)
/* Fills `storage`; converts nothing. Workspace and statuses as spl_distribution. */
SPL_API spl_status spl_measure_storage(spl_context *context, const spl_sparse *matrix, spl_storage *storage);

/* ------------------------------------------------------------------------------------------------------------------ partitions */

/* How rows are shared out among processors. Shares are proportional to capabilities: of rows, of entries in the order of rows, or of entries
 * in the order of row lengths (distribution density: rows of equal length stay together, so that parts are dense as ELL). SPL_PARTITION_COST,
 * in the order of rows, makes the slowest part as fast as can be: bytes of the part in CSR / link + entries / capability. */
typedef enum spl_partition_kind {
    SPL_PARTITION_ROWS = 1,
    SPL_PARTITION_NNZ = 2,
    SPL_PARTITION_DENSITY = 3,
    SPL_PARTITION_COST = 4
} spl_partition_kind;
typedef struct spl_part {
    uint32_t size;
    int64_t begin, rows; /* its rows are order[begin .. begin+rows) */
    int64_t nnz, width;  /* entries; those of its longest row */
    double density;      /* nnz / (rows that have entries * width): of the part as ELL; 0 without entries */
    double seconds;      /* SPL_PARTITION_COST's prediction; without links of the entries alone. 0 without rows */
} spl_part;
#define SPL_PART_INIT SPL_SIZED(spl_part)
/* Shares the rows of `matrix` out among `count` processors. capabilities[count]: multiplications per second, or in any unit for the other kinds;
 * finite, not negative, not all 0; a processor without capability gets no rows. links[count]: bytes per second to each processor, above 0;
 * INFINITY, or links NULL: nothing is to be carried. order[rows] gets every row once, parts[count], each initialised, the parts, one behind the
 * other. Each sum of the first parts' shares is at most one row above its target, never below; there may be more processors than rows.
 * Deterministic. Workspace: two integers per row. O(rows*log(count) + nnz). SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET.
 * Source: partitions over K processors, algorithm 4.3, see doc/sources.md [S2]. */
SPL_API spl_status spl_partition(spl_context *context, const spl_sparse *matrix, spl_partition_kind kind, int32_t count,
                                 const double *capabilities, const double *links, int64_t *order, spl_part *parts);

/* ---------------------------------------------------------------------------------------------------------------------- files */

typedef struct spl_read_options {
    uint32_t size;
    spl_format format;     /* 0: SPL_CSR */
    spl_type type;         /* 0: SPL_F64 */
    spl_index offset_type; /* 0: the narrowest that fits */
    spl_index index_type;  /* 0: the narrowest that fits */
} spl_read_options;
#define SPL_READ_OPTIONS_INIT SPL_SIZED(spl_read_options)

/* Reads a matrix from a file. The contents decide the format, the ending of the name only what they cannot tell; text may be packed
 * with gzip, its lines may end in LF, CR LF or CR. doc/file-formats.md says how each is read.
 *   Matrix Market   coordinate or array; real, integer, unsigned-integer, pattern; symmetric ones are expanded (coordinates: one triangle, either one)
 *   .npz            SciPy's csr, csc, coo and bsr (expanded), if the library was built with libzip
 *   METIS graph     name .graph; edge weights are values, weights and sizes of vertices are skipped
 *   edge list       text that begins with '#', or .txt, .edges, .tsv, .el, .edgelist: "from to [value]", ids from 0; or .csv with
 *                   commas, perhaps names of columns; square, largest id + 1, or N if a first remark "# Nodes: N" says more
 * Duplicates and explicit zeros are kept, zeros of dense arrays are not stored, entries without a value get 1. Within a CSR row the
 * file's order is kept. Reports progress stage "read" in bytes.
 * SPL_FILE_ERROR, SPL_FILE_INVALID ("file:line: what", "file: member: what"), SPL_UNSUPPORTED (complex, big-endian, pickled objects, no
 * libzip), SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996. */
SPL_API spl_status spl_read(spl_context *context, const char *path, const spl_read_options *options,
                            spl_matrix **result);
/* Writes a matrix; the ending of `path` decides the format: .mtx or none (Matrix Market coordinate real general), .npz (in the matrix'
 * own format, compressed), .graph (square, symmetric, no diagonal, values whole numbers from 1; duplicates are summed), .txt .edges .tsv
 * .el .edgelist (edge list; square). Text is packed if ".gz" follows. Other endings are SPL_UNSUPPORTED, and the detail lists the known
 * ones. Values are written so that reading gives the same bits; .npz holds no bf16.
 * Atomic: a temporary file beside `path` replaces it when complete; after a failure `path` is as before. A symbolic link stays one: what
 * it links to is replaced, or made if there is none.
 * Reports progress stage "write" in entries, for .npz in bytes.
 * SPL_FILE_ERROR, SPL_INVALID_*, SPL_UNSUPPORTED (what the format cannot hold: the detail names the entry; no libzip),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
SPL_API spl_status spl_write(spl_context *context, const spl_sparse *matrix, const char *path);
/* Tells, before a matrix is computed, whether spl_write could write one to `path`, as far as that can be seen: its ending is known, .npz has
 * libzip, the folder is there, and both it and a file that would be replaced may be written. Changes nothing; the disk may be full later, and
 * a format may not hold the matrix. SPL_UNSUPPORTED, SPL_FILE_ERROR, SPL_INVALID_ARGUMENT. */
SPL_API spl_status spl_write_check(const char *path);

/* -------------------------------------------------------------------------------------------------------------------- options */

/* How methods are chosen. */
typedef enum spl_policy {
    SPL_POLICY_COST = 0,  /* least predicted time by the cost model and the machine table (default) */
    SPL_POLICY_RULES = 1, /* the published rules of the sources, see doc/sources.md */
    /* Times the methods that the cost model thinks best on scratch operands (B and C row major), and remembers the winner, see wisdom. Plans take
     * longer, by up to six preparations and some executions each. As `cost` in one-shot calls and with options.deterministic */
    SPL_POLICY_MEASURE = 2
} spl_policy;
typedef enum spl_operator { SPL_NONE = 0, SPL_TRANSPOSE = 1, SPL_CONJUGATE_TRANSPOSE = 2 } spl_operator; /* op(A) */

/* The error bound of results, see spl_plan. */
typedef enum spl_accuracy {
    SPL_ACCURACY_DEFAULT = 0,
    SPL_ACCURACY_REDUCED = 1 /* SpMM of f32, f16 and bf16 on devices may use tensor cores, where this is faster */
} spl_accuracy;

typedef struct spl_options {
    uint32_t size;
    spl_policy policy;
    spl_operator op_a, op_b;
    int32_t threads;       /* as the context's; 0: those */
    int32_t deterministic; /* 1: bit-identical results for any number of threads and any run */
    int32_t unsorted;      /* SpGEMM, 1: columns of a row of C may come in any order */
    int32_t keep_result;   /* SpGEMM, 1: the plan keeps the values of C: execute, then export or take */
    int32_t
        check_inputs; /* debugging, 1: execute returns SPL_STALE if inputs changed unannounced; it then waits on devices, too */
    spl_accuracy accuracy;
    spl_index result_offset_type; /* SpGEMM offsets of C; 0: A's, or 64 bits if nnz(C) needs them */
    spl_place scalar_place;       /* where alpha and beta are read */
    size_t memory_budget;         /* bytes this plan may have live at once; 0: the context's */
    const char *method;           /* ids that are forced, comma separated, see spl_method; NULL: none */
    const spl_sparse *mask;       /* reserved, must be NULL */
    /* Bit i: processor i may be used; 0: the one where A lives, for A on the host the context's default. Where a device computes for A on the
     * host, arrays are copied to it and results back inside each call, which blocks. Several bits: the rows of the result are shared out among
     * these processors, which compute side by side; see spl_plan_part. For matrices on a device results are there, whoever computed
     * them; calls block where others than that device have rows */
    uint64_t processors;
    /* Several processors: how rows are shared out (0: SPL_PARTITION_COST; SpGEMM counts products, not entries, and takes rows in order); what each of
     * spl_processor_count processors can do, as for spl_partition, read when planning (NULL: predicted); and 1 if calls of SpMV and SpMM without x (B)
     * or y (C) are to use those that the processors hold: see spl_plan_part */
    spl_partition_kind partition;
    const double *capabilities;
    int32_t distributed;
    /* SpMM: the order that B will mostly have (0: row major). Plans on devices turn column-major B to rows tile by tile, in memory that they have only if
     * they knew; all orders are served at any time. */
    spl_order dense_order;
    /* Executions that the plan is made for, about; what making it costs is shared among them. 0: about a hundred; 1: as a one-shot call would choose. */
    int32_t executions;
} spl_options;
#define SPL_OPTIONS_INIT SPL_SIZED(spl_options)

/* ---------------------------------------------------------------------------------------------------------------------- plans */

/* A plan keeps the chosen methods and everything derived from structure.
 *
 * Contract. The operands' arrays are borrowed until spl_plan_destroy and their structure (offsets, indices) is frozen. Values may
 * change, and arrays move, if announced by spl_plan_update_values. Different plans run concurrently;
 * a second execute of one plan while one is in flight returns SPL_BUSY. Execute allocates nothing.
 *
 * Scalars: alpha and beta point to one number of the operands' type, float or double, float for f16 and bf16; NULL means alpha = 1, beta = 0. alpha = 0 reads
 * no values of A, B or x; beta = 0 reads no values of y, C or D, so NaN there is overwritten. What is not stored contributes nothing,
 * also against NaN and Inf. Rows without entries (SpGEMM: elements without products) still get beta times the old value (D), whatever alpha is. Where alpha
 * is Inf or NaN other elements become Inf or NaN; which of them may depend on the method. Read on a device, such an alpha is nothing where products sum to 0.
 *
 * Outputs (y, C, its values, what export writes) share no byte with each other, with x or B, or with an array of the operands as they were last
 * announced: SPL_INVALID_ARGUMENT. Of dense matrices elements count, not the gaps behind lines: B and C may be disjoint columns of one array.
 *
 * Error bound, per element: |err| <= 2*gamma_(k+3) * (|alpha||op(A)||op(B)| + |beta||D|), k the number of summed products,
 * gamma_k = k*u/(1-k*u), u the unit round-off of the type; plus (k+3)*max(1,|alpha|) times the smallest subnormal number, for underflow. It holds
 * where |op(A)||op(B)| and |alpha||op(A)||op(B)| + |beta||D| are below half the largest number; else sums of some of the terms may overflow though the
 * result would not: the element may then be Inf or NaN instead. SpGEMM may round alpha*op(A) first, which adds the smallest subnormal number times the sum
 * of |op(B)| over the products, unless alpha is 1 or -1, and needs |alpha||op(A)| below that half, too. Where it makes 0 of what
 * meets Inf in op(B), the element may be NaN. For f16 and bf16 all this is of f32, call it e; to it comes the rounding of the sum:
 * h*(|exact result| + e) and half the smallest subnormal number, h = 2^-11 (f16), 2^-8.
 * With SPL_ACCURACY_REDUCED, SpMM: u is 2^-22, as tensor cores cut sums off, where the type has 2^-24 for sums; and factors of type f32 count with 11
 * significant bits, which adds 2^-9 times the same product of sizes. f32 numbers below 2^-126 may count as zero. */
typedef struct spl_plan spl_plan;

/* NULL is allowed. Must not be called during an execute. Work that is enqueued on a device may go on, and so may its stream go; graphs that
 * recorded executions must not be launched any more. */
SPL_API void spl_plan_destroy(spl_plan *plan);

/* Plans y = alpha*op(A)*x + beta*y. Checks A fully. Deterministic. Memory: O(1) for a method that reads CSR in place; one copy of A for a
 * transposition or another format than CSR, one more for a method with a format of its own (never in spl_spmv, unless forced).
 * Operands on a device: all of a problem's arrays live on the same one, SPL_INVALID_ARGUMENT if those of a matrix do not; what was written
 * to them must have arrived before the plan is made, which itself blocks. Executions enqueue to `stream` and return; they allocate nothing,
 * wait for nothing (but for options->check_inputs) and can be captured in a graph (without it).
 * SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPL_API spl_status spl_spmv_plan(spl_context *context, const spl_sparse *a, const spl_options *options,
                                 spl_plan **plan);
/* x has cols(op(A)) and y rows(op(A)) elements of A's type. Each method gives
 * the same bits for any number of threads; which method is chosen may depend on that number unless options->deterministic. */
SPL_API spl_status spl_spmv_execute(spl_plan *plan, const void *alpha, const void *x, const void *beta, void *y,
                                    const spl_stream *stream);

/* Plans C = alpha*op(A)*B + beta*C for B and C with `columns` columns. As spl_spmv_plan otherwise. */
SPL_API spl_status spl_spmm_plan(spl_context *context, const spl_sparse *a, int64_t columns, const spl_options *options,
                                 spl_plan **plan);
/* B is cols(op(A)) x columns, C rows(op(A)) x columns, each in any order and leading dimension, of A's type.
 * Bits as in spl_spmv_execute. */
SPL_API spl_status spl_spmm_execute(spl_plan *plan, const void *alpha, const spl_dense *b, const void *beta,
                                    const spl_dense *c, const spl_stream *stream);

/* Plans C = alpha*op(A)*op(B) + beta*D; d may be NULL. Runs the symbolic phase: afterwards the structure of C is known exactly, or
 * bounded if an upper-bound method was chosen (spl_spgemm_result tells). pattern(C) = pattern(op(A)op(B)) united with pattern(D),
 * whatever scalars and values: entries that cancel and explicit zeros are kept. Rows of C are sorted unless options->unsorted.
 * A, B and D must have the same value type. */
SPL_API spl_status spl_spgemm_plan(spl_context *context, const spl_sparse *a, const spl_sparse *b, const spl_sparse *d,
                                   const spl_options *options, spl_plan **plan);

typedef struct spl_result {
    uint32_t size;
    int64_t rows, cols;
    int64_t nnz;   /* of C, or a bound of it */
    int32_t exact; /* 0: nnz is a bound until the first execute */
    spl_type type;
    spl_index offset_type; /* the widths spl_spgemm_export writes */
    spl_index index_type;
} spl_result;
#define SPL_RESULT_INIT SPL_SIZED(spl_result)
SPL_API spl_status spl_spgemm_result(const spl_plan *plan, spl_result *result);

/* Computes the values of C. `values` has nnz(C) elements and gets them in the order of the structure. NULL keeps them in the plan,
 * which needs options->keep_result or a plan with a bound; such a plan takes only NULL.
 * The scalars' contract is in the comment of spl_plan; beta is ignored without D. */
SPL_API spl_status spl_spgemm_execute(spl_plan *plan, const void *alpha, const void *beta, void *values,
                                      const spl_stream *stream);
/* Writes offsets[rows+1], indices[nnz] and values[nnz] of C, each unless NULL: structure any time after the plan (with a bound: after
 * the first execute, compacted), values only those the plan keeps. SPL_INVALID_ARGUMENT if they are not there yet. Where C goes to a device by way of the
 * host (several processors) this needs memory there, taken before anything is written: SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
SPL_API spl_status spl_spgemm_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                     const spl_stream *stream);
/* A copy of C as a matrix of its own (CSR), which outlives the plan, where the plan's operands live. Needs kept values. Counts against the
 * context's budget. On a device it waits for the values, and nothing comes to the host. */
SPL_API spl_status spl_spgemm_take(spl_plan *plan, spl_matrix **c);

/* Announces new values: operands with the structure they were planned with, in the same format,
 * types, widths and place. Their arrays may be others: from then on the plan borrows and reads these,
 * structure too, and once work that was enqueued before has ended the old ones may go. That offsets
 * and indices hold the numbers they did is the caller's word, unless options.check_inputs is set:
 * SPL_STALE then, and nothing is changed. NULL: that operand is unchanged, also where it shares arrays
 * with another. Allocates nothing; free of cost for operands that are read in place, one pass for
 * those that were copied; one more where a plan of SpMV on a device has found the values to be narrow
 * (all the same, few distinct ones, f64 that f32 holds), and reads them so while they are: results are
 * the same, but values that change without being announced are missed there even by methods that read
 * in place. */
SPL_API spl_status spl_plan_update_values(spl_plan *plan, const spl_sparse *a, const spl_sparse *b, const spl_sparse *d,
                                          const spl_stream *stream);

/* ------------------------------------------------------------------------------------------------------------ several processors */

/* What one processor does in a plan of several (options.processors). Each has its rows of A and a copy of x (B; SpGEMM: B) and computes its rows of
 * y (C). A call of a plan of SpMV or SpMM first brings x to all of them and then y home. With options.distributed x and y may be NULL: x as it is there,
 * y stays there, and the call then returns while devices are at work, like those of a plan on one device; spl_plan_wait waits for them.
 * Rows that do not fit a device together (budget, or its memory) go there in blocks, the next one while the last is computed. SpGEMM finds and
 * computes such blocks one after the other, again in each execution, which then allocates: C need not fit the device. The CPU computes
 * while devices do.
 * SpMV and SpMM with A on a device: x and y (B and C) live there, too. If that device is among the processors, it reads its rows of A, x and y in
 * place. The others' rows of A go by way of the host, which keeps a copy, when planning and by spl_plan_update_values; x and
 * their rows of y take that way in each call. Dense operands with gaps go line by line. Calls begin behind what `stream` has to do, which goes on behind them; they
 * return when y is there, or at once if no other processor has rows. They cannot be recorded into a graph. Rows keep their order: no
 * SPL_PARTITION_DENSITY; alpha and beta are on the host. */
typedef struct spl_part_info {
    uint32_t size;
    int32_t processor;    /* number in the context */
    spl_place place;      /* of x and y */
    int64_t begin, rows;  /* rows order[begin .. begin+rows) of the result */
    const int64_t *order; /* as long as the plan; NULL: the rows as they are */
    int64_t work;         /* entries of A; SpGEMM: products and entries of D */
    int64_t blocks;       /* 1: all its rows of A stay there; 0: it has none */
    void *x,
        *y; /* options.distributed: all of x, these rows of y. B and C: without gaps, in the order of the last ones, at first by rows */
    double predicted_transfer, predicted_execution; /* seconds of a call: T_t, T_e */
    /* Of the last one that was timed, which this waits for; blocks on their way count as execution. Calls that a device which holds A, x and y
     * computes alone are timed ever more rarely. */
    double transfer, execution;
} spl_part_info;
#define SPL_PART_INFO_INIT SPL_SIZED(spl_part_info)
/* Number of parts, one for each processor named; 0: the plan computes on one processor. */
SPL_API int32_t spl_plan_part_count(const spl_plan *plan);
SPL_API spl_status spl_plan_part(spl_plan *plan, int32_t number, spl_part_info *info);
/* Waits for the work of the plan's parts, or of the stream that a plan of one device used last, and reports its errors. */
SPL_API spl_status spl_plan_wait(spl_plan *plan);

/* ------------------------------------------------------------------------------------------------------------- one-shot calls */

/* Plan, execute and forget, for structures that change with every call. Same meaning and statuses as the pairs above; a plan, which is
 * made for many executions, may choose another method, whose last bits differ. */
SPL_API spl_status spl_spmv(spl_context *context, const void *alpha, const spl_sparse *a, const void *x,
                            const void *beta, void *y, const spl_options *options);
SPL_API spl_status spl_spmm(spl_context *context, const void *alpha, const spl_sparse *a, const spl_dense *b,
                            const void *beta, const spl_dense *c, const spl_options *options);
/* The result is the caller's: spl_matrix_destroy. It lives where A and B do; on a device only counts and sizes come to the host. */
SPL_API spl_status spl_spgemm(spl_context *context, const void *alpha, const spl_sparse *a, const spl_sparse *b,
                              const void *beta, const spl_sparse *d, const spl_options *options, spl_matrix **c);

/* ---------------------------------------------------------------------------------------------------------------- explanation */

/* The whole explanation as text for people: features, candidates with predicted time and bytes, the choice, its reason, what would
 * change it. Writes at most `capacity` bytes including the final 0; `length` (may be NULL) gets the full length without it. */
SPL_API spl_status spl_plan_explain(const spl_plan *plan, char *text, size_t capacity, size_t *length);

/* The same as data. Strings live as long as the plan (of spl_method: for ever). Numbers count from 0; one too large gives
 * SPL_INVALID_ARGUMENT. */
typedef struct spl_step { /* one (row set, phase, method) of the plan, in order of execution */
    uint32_t size;
    const char *phase, *method, *reason;
    int64_t row_count; /* rows in the row set */
    const char *rows;  /* the row set in words: "all", "rows with 33 to 1024 products" */
    double seconds;    /* predicted */
    size_t bytes;      /* predicted: workspace and structure, without the caller's arrays */
} spl_step;
#define SPL_STEP_INIT SPL_SIZED(spl_step)
SPL_API int32_t spl_plan_step_count(const spl_plan *plan);
SPL_API spl_status spl_plan_step(const spl_plan *plan, int32_t number, spl_step *step);

typedef struct spl_candidate { /* a method that was considered for a step */
    uint32_t size;
    int32_t step; /* number of the step it stood for */
    const char *method;
    int32_t applicable; /* 0: `reason` says why not */
    int32_t chosen;
    double seconds;
    size_t bytes;
    const char *reason;
    double measured; /* seconds of an execution, in a trial of the policy measure; NaN: it was not tried */
} spl_candidate;
#define SPL_CANDIDATE_INIT SPL_SIZED(spl_candidate)
SPL_API int32_t spl_plan_candidate_count(const spl_plan *plan);
SPL_API spl_status spl_plan_candidate(const spl_plan *plan, int32_t number, spl_candidate *candidate);

typedef struct spl_feature { /* a cheap number describing the problem */
    uint32_t size;
    const char *name, *meaning;
    double value; /* NaN: not known (yet) */
} spl_feature;
#define SPL_FEATURE_INIT SPL_SIZED(spl_feature)
SPL_API int32_t spl_plan_feature_count(const spl_plan *plan);
SPL_API spl_status spl_plan_feature(const spl_plan *plan, int32_t number, spl_feature *feature);

typedef struct spl_counters {
    uint32_t size;
    int64_t executions;
    int64_t allocations;      /* made by the plan so far, on the host and on its device */
    size_t live, peak;        /* bytes of the plan on the host; spl_memory tells those on devices */
    int64_t launches;         /* device kernels */
    int64_t synchronisations; /* host waits for a device */
    int64_t fetched;          /* bytes copied from a device to the host */
} spl_counters;
#define SPL_COUNTERS_INIT SPL_SIZED(spl_counters)
SPL_API spl_status spl_plan_counters(const spl_plan *plan, spl_counters *counters);

typedef struct spl_method_info {
    uint32_t size;
    const char *id;        /* "spgemm/numeric/cpu/hash" */
    const char *summary;   /* one line */
    const char *source;    /* authors, venue, year */
    int32_t revision;      /* grows when results or speed of the method change */
    int32_t deterministic; /* 1: bit-identical for any number of threads */
    int32_t in_place;      /* 1: reads the caller's values where they are */
    const char *processor; /* "cpu" or "gpu": what it runs on */
} spl_method_info;
#define SPL_METHOD_INFO_INIT SPL_SIZED(spl_method_info)
SPL_API int32_t spl_method_count(void);
SPL_API spl_status spl_method(int32_t number, spl_method_info *info);

/* --------------------------------------------------------------------------------------------------------------------- wisdom */

/* What the policy measure found out, a method for each kind of problem and processor. A context remembers it and uses it with that policy only;
 * nothing is read or written unless asked for here. May be called from any thread, while others plan. */
typedef struct spl_wisdom {
    uint32_t size;
    int32_t own;                     /* 1: measured by this context, 0: imported */
    char machine[160], problem[256]; /* signatures: doc/file-formats.md */
    const char *method;
    double seconds; /* of an execution, when it was measured */
} spl_wisdom;
#define SPL_WISDOM_INIT SPL_SIZED(spl_wisdom)
SPL_API int64_t spl_wisdom_count(spl_context *context);
SPL_API spl_status spl_wisdom_get(spl_context *context, int64_t number, spl_wisdom *wisdom);
SPL_API spl_status spl_wisdom_forget(spl_context *context);

/* Writes all of it as a text; the file appears complete or stays as it was. SPL_FILE_ERROR. */
SPL_API spl_status spl_wisdom_export(spl_context *context, const char *path);

typedef struct spl_import {
    uint32_t size;
    int64_t taken;
    int64_t foreign; /* about processors that the context has not: kept for the next export only */
    int64_t unknown; /* left out: about methods that are not here, or in another revision */
} spl_import;
#define SPL_IMPORT_INIT SPL_SIZED(spl_import)
/* Adds what a file says, replacing what was imported before, but nothing that this context has measured. All or nothing: SPL_FILE_ERROR, or
 * SPL_FILE_INVALID for a file that is cut off, changed, of another version or no such file; SPL_UNSUPPORTED for one that is packed or of another known
 * kind. report may be NULL. */
SPL_API spl_status spl_wisdom_import(spl_context *context, const char *path, spl_import *report);

/* Values of the cost model measured on this machine, in place of its defaults, for plans that are made afterwards; options.deterministic keeps the
 * defaults. `name`: a coefficient, "cpu/bandwidth" (src/plan/machine), or a method, whose predicted seconds are multiplied by `value` > 0; of a device: for
 * all devices of the context. Measuring and importing tell kinds of devices apart. */
SPL_API spl_status spl_machine_set(spl_context *context, const char *name, double value);
/* The value that plans are made with now, measured or default; of a device: on the first one. */
SPL_API spl_status spl_machine_get(spl_context *context, const char *name, double *value);
/* Measures and sets, in about `seconds` (one is enough): what starting the context's threads takes ("cpu/parallel_start"), the host's memory for one thread and
 * for all of them ("cpu/bandwidth", "cpu/memory_bandwidth"); of each kind of the context's devices its memory ("gpu/bandwidth", per multiprocessor), a launch ("gpu/launch", "gpu/launch_host"), and
 * the links to it ("gpu/link_latency"; "gpu/link_to", "gpu/link_from", each also with "_pageable"). Needs up to 1.5 GB; what fails leaves the rest as it was.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
SPL_API spl_status spl_machine_measure(spl_context *context, double seconds);
/* All that differs from the defaults as a text, and back, under the same terms as wisdom; other machines' values are left out. */
SPL_API spl_status spl_machine_export(spl_context *context, const char *path);
SPL_API spl_status spl_machine_import(spl_context *context, const char *path, spl_import *report);

/* ------------------------------------------------------------------------------------------------------------------- checking */

/* A result compared with the executable specification, element by element against the error bound stated at spl_plan. Its sums are f64 in units of a power
 * of two that follows the terms: they neither overflow nor underflow. */
typedef struct spl_check {
    uint32_t size;
    int32_t ok;                   /* 1: structure right and no element beyond its bound */
    int64_t compared, failed;     /* elements */
    int64_t worst_row, worst_col; /* where |err|/bound is largest; -1: nothing was decided */
    double worst_ratio;           /* |err|/bound there; 0 if all exact, Inf for a structural fault */
    /* Elements of those compared about which the contract says nothing, see spl_plan: they are Inf or NaN and partial sums may have overflowed or alpha is
     * not finite; or their bound is above all numbers. They neither fail nor count for the worst */
    int64_t undecided;
} spl_check;
#define SPL_CHECK_INIT SPL_SIZED(spl_check)

/* y_before is y as it was before the product (may be NULL if beta is NULL or 0). Only op_a, op_b, accuracy, unsorted and scalar_place (where
 * the product read its scalars; the check reads them on the host) of the options are used.
 * Workspace comes from malloc, not from a context. */
SPL_API spl_status spl_check_spmv(const void *alpha, const spl_sparse *a, const void *x, const void *beta,
                                  const void *y_before, const void *y, const spl_options *options, spl_check *check);
SPL_API spl_status spl_check_spmm(const void *alpha, const spl_sparse *a, const spl_dense *b, const void *beta,
                                  const spl_dense *c_before, const spl_dense *c, const spl_options *options,
                                  spl_check *check);
/* c is CSR; its pattern must be exactly that of spl_spgemm_plan's comment, each position once, sorted unless options->unsorted. */
SPL_API spl_status spl_check_spgemm(const void *alpha, const spl_sparse *a, const spl_sparse *b, const void *beta,
                                    const spl_sparse *d, const spl_sparse *c, const spl_options *options,
                                    spl_check *check);

#ifdef __cplusplus
}
#endif
#endif
