/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom.h: sparse matrix products, planned, explained and kept.
 *
 *   SpMV    y = alpha*op(A)*x + beta*y          x, y dense vectors
 *   SpMM    C = alpha*op(A)*B + beta*C          B, C dense matrices
 *   SpGEMM  C = alpha*op(A)*op(B) + beta*D      all sparse
 *
 * A first product, y = A*x for A in CSR with 32-bit offsets and columns:
 *
 *   spl_sparse a = SPL_SPARSE_INIT;
 *   a.format = SPL_CSR, a.type = SPL_F64, a.offset_type = a.index_type = SPL_I32;
 *   a.rows = rows, a.cols = cols, a.nnz = nnz;
 *   a.offsets = offsets, a.indices = columns, a.values = values;
 *   spl_context_create(NULL, &context);
 *   if (spl_spmv(context, NULL, &a, x, NULL, y, NULL) != SPL_OK)
 *       fprintf(stderr, "%s\n", spl_error_detail());
 *
 * Order of this file: status, context, views, one-shot products, plans, options, results, matrices,
 * files; then several processors, explanation, checks. Beside it: sparloom/algebra.h (masks,
 * semirings, frontiers), graph.h, structure.h (C's structure without copies), triple.h (P'*A*P),
 * measured.h (wisdom, and coefficients of machines).
 *
 * Conventions, valid for every function unless its comment says otherwise:
 *   - It returns a spl_status. After a failure spl_error_detail() holds a sentence with numbers.
 *   - A failure that can be seen before the first write leaves all outputs untouched. Nothing
 *     leaks.
 *   - It blocks until done on the host. It may be called from any thread. One object must not be
 *     used by two calls at once, except contexts and inputs, which may be shared.
 *   - A child of fork() may use what its parent had. Exceptions: plans that were being executed
 *     stay SPL_BUSY, and devices of CUDA and HIP are lost, as their runtimes do not survive fork().
 *     If the parent had other threads, the child's CPU computes with one thread from then on; plans
 *     give the same bits. fork() waits for what other threads do on emulated devices.
 *   - Arrays and scalars are aligned to their elements, on devices too. If not:
 *     SPL_INVALID_ARGUMENT, naming the array.
 *   - Rows, columns, entries are int64_t counts; bytes are size_t; indices count from 0.
 *   - Public structs start with `size`, set by their *_INIT macro. Bytes beyond what the library
 *     knows must be zero.
 *   - Functions that destroy or free accept NULL.
 */
#ifndef SPARLOOM_H
#define SPARLOOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SPARLOOM_API __attribute__((visibility("default")))
#else
#define SPARLOOM_API
#endif

/* clang-format off */
#ifdef __cplusplus
#define SPL_SIZED(type) []{ type sized = {}; sized.size = sizeof sized; return sized; }()
extern "C" {
#else
#define SPL_SIZED(type) {.size = sizeof(type)}
#endif
/* clang-format on */

#define SPL_VERSION_MAJOR 0
#define SPL_VERSION_MINOR 1
#define SPL_VERSION_PATCH 0

/* The library's version as "major.minor.patch". Static, never NULL. */
SPARLOOM_API const char *spl_version(void);

/* --------------------------------------------------------------------------------------- status */

/* What went wrong. The numbers are fixed. */
typedef enum spl_status {
    SPL_OK = 0,
    SPL_INVALID_ARGUMENT = 1, /* NULL, option out of range, unknown method, overlapping arrays */
    SPL_INVALID_MATRIX = 2,   /* decreasing offsets, an index out of range: the detail says where */
    SPL_SHAPE_MISMATCH = 3,   /* operands that do not fit together */
    /* valid, but not built: complex values, BSR operands, a reserved option */
    SPL_UNSUPPORTED = 4,
    SPL_OUT_OF_MEMORY = 5,  /* the allocator returned NULL */
    SPL_OVER_BUDGET = 6,    /* the memory budget does not suffice: see spl_error_bytes */
    SPL_INDEX_OVERFLOW = 7, /* a count does not fit the requested index type */
    SPL_DEVICE_FAILURE = 8, /* a device reported an error */
    SPL_CANCELLED = 9,      /* the progress function returned non-zero */
    SPL_FILE_ERROR = 10,    /* a file cannot be opened, read or written */
    SPL_FILE_INVALID = 11,  /* the text of a file is wrong: detail is "file:line: what" */
    SPL_BUSY = 12,          /* a plan is being executed by another thread */
    SPL_STALE = 13,         /* options.check_inputs found inputs changed unannounced */
    SPL_INTERNAL = 14       /* a fault of the library itself; please report it */
} spl_status;

/* The enumerator's name, "SPL_OK" ...; "SPL_UNKNOWN" for a number that is none. Static. */
SPARLOOM_API const char *spl_status_name(spl_status status);
/* One general sentence about the status. Static, never NULL. */
SPARLOOM_API const char *spl_status_message(spl_status status);
/* What exactly failed in this thread's last call that failed; "" if none did. At most 511 bytes;
 * the middle of a longer text is left out. Valid until the thread's next call. */
SPARLOOM_API const char *spl_error_detail(void);
/* A memory budget with which the call of spl_error_detail would be expected to succeed, if that
 * failed with SPL_OVER_BUDGET: the number in the detail. After SPL_OUT_OF_MEMORY what the context
 * would hold, 0 if that is not known; after others 0. An estimate, seldom above four times what is
 * needed, which shows only while a call works: calls that are retried with it each time succeed as
 * a rule at the second retry, sparse products at the third; with forced methods, several processors
 * or the policy `measure` it may take more. */
SPARLOOM_API size_t spl_error_bytes(void);

/* --------------------------------------------------------------------------- places and streams */

/* Where an array lives. The place of a device must be one of the context's processors. Functions
 * that work on the host only (files, conversion, description, checks) answer others with
 * SPL_UNSUPPORTED. */
typedef enum spl_place_kind {
    SPL_HOST = 0,
    SPL_CUDA = 1,
    SPL_HIP = 2,
    SPL_EMULATOR = 3
} spl_place_kind;
typedef struct spl_place {
    int32_t kind;    /* spl_place_kind */
    int32_t ordinal; /* number of the device of that kind; 0 on the host. Emulated devices with 64
                      * lanes count from 64 */
} spl_place;

/* A queue of a device, e.g. a cudaStream_t in `handle`. Functions take a pointer; NULL is the
 * default stream. On the host streams have no effect: calls block. */
typedef struct spl_stream {
    int32_t kind; /* spl_place_kind of the device it belongs to */
    void *handle;
} spl_stream;

/* -------------------------------------------------------------------------------------- context */

/* Memory hook. `alloc` returns `bytes` (> 0) bytes at `place`, aligned to `align` (a power of two),
 * or NULL; `free` gets the same numbers back. Several threads may call both at once. Neither may
 * call the library. */
typedef struct spl_allocator {
    void *user;
    void *(*alloc)(void *user, size_t bytes, size_t align, spl_place place,
                   const spl_stream *stream);
    void (*free)(void *user, void *memory, size_t bytes, spl_place place, const spl_stream *stream);
} spl_allocator;

typedef enum spl_log_level { SPL_LOG_ERROR = 1, SPL_LOG_INFO = 2, SPL_LOG_DEBUG = 3 } spl_log_level;
/* Receives one message without a newline, from any thread that is inside the library. */
typedef void (*spl_log_fn)(void *user, spl_log_level level, const char *message);
/* Told that `done` of `total` units of `stage` are finished (total 0: unknown). Non-zero cancels
 * the call, which returns SPL_CANCELLED. It is called by the thread that called the library: when
 * the work begins, then every 10 ms where work is cut into pieces. It must not call the library
 * with objects of the running call.
 *   - Planning, products on the CPU, new values, export and take of C, reading, writing, conversion
 *     and description report. After a cancel nothing is left of a matrix or a plan that was to be
 *     made; outputs are unspecified, and the plan can be executed again. A plan whose update was
 *     cancelled borrows the new arrays; announce them again before executing.
 *   - Other functions do not report, nor does work of a device, which calls only begin.
 *   - A cancel waits for what is not cut into pieces: an allocation, a row of a product, the
 *     disk at the end of writing; else 0.04 s at most with 20 million entries on two threads of a
 *     quiet machine, as measured. */
typedef int (*spl_progress_fn)(void *user, const char *stage, int64_t done, int64_t total);

typedef struct spl_context_options {
    uint32_t size;
    /* CPU threads, at most 4096, else SPL_INVALID_ARGUMENT. 0: OMP_NUM_THREADS, or all. At most
     * eight per online processor are used, and the log says so: see spl_processor_info. Where the
     * system refuses threads calls do with fewer, and the log says that once. */
    int32_t threads;
    spl_allocator allocator; /* all zero: the library's own */
    /* bytes live at once per place; 0: no limit. Plans may set their own */
    size_t memory_budget;
    spl_log_fn log;
    void *log_user;
    spl_progress_fn progress;
    void *progress_user;
    /* Devices to open, comma separated, each with ":ordinal" if not the first. NULL: none.
     *   cuda          NVIDIA
     *   hip           AMD, Hygon DCU
     *   emu, emu64    emulated, for tests: 32 and 64 lanes
     *   gpu           the first of cuda and hip
     *   auto          as gpu, or none
     * The first device computes for operands on the host, unless "cpu" is in the list too or a
     * plan's options name processors. */
    const char *devices;
    /* The most bytes of freed host memory that the library's own allocator keeps for later calls
     * (spl_memory_info.kept). 0: a quarter of the machine's memory; 1: none. */
    size_t kept_memory;
} spl_context_options;
#define SPL_CONTEXT_OPTIONS_INIT SPL_SIZED(spl_context_options)

/* A context holds processors, memory, threads, log and progress. Contexts are independent. */
typedef struct spl_context spl_context;

/* Creates a context; options may be NULL. SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_UNSUPPORTED
 * (a device is not there: the detail says what is missing), SPL_DEVICE_FAILURE. */
SPARLOOM_API spl_status spl_context_create(const spl_context_options *options,
                                           spl_context **context);
/* To be called after everything made from the context was destroyed. */
SPARLOOM_API void spl_context_destroy(spl_context *context);

/* ---------------------------------------------------------------------------------------- views */

/* Types of values. f16 (IEEE binary16) and bf16 (the upper half of f32) are types of storage, for
 * SpMV and SpMM. A and the dense operands have the same one. Values are widened to f32, which is
 * exact; products, sums, alpha and beta are f32; the result is rounded once, to nearest even,
 * beyond the largest number to infinity. SpGEMM answers them with SPL_UNSUPPORTED. Integers have
 * scalars of their type, are exact and wrap: see sparloom/algebra.h. */
typedef enum spl_type {
    SPL_F32 = 1,
    SPL_F64 = 2,
    SPL_F16 = 3,
    SPL_BF16 = 4,
    SPL_C32 = 5, /* reserved: SPL_UNSUPPORTED */
    SPL_C64 = 6, /* reserved: SPL_UNSUPPORTED */
    SPL_INT32 = 7,
    SPL_INT64 = 8
} spl_type;
typedef enum spl_index { SPL_I32 = 1, SPL_I64 = 2 } spl_index; /* signed */
/* BSR is reserved: SPL_UNSUPPORTED */
typedef enum spl_format { SPL_CSR = 1, SPL_CSC = 2, SPL_COO = 3, SPL_BSR = 4 } spl_format;
typedef enum spl_operator {
    SPL_NONE = 0,
    SPL_TRANSPOSE = 1,
    SPL_CONJUGATE_TRANSPOSE = 2
} spl_operator; /* op(A) */

/* A sparse matrix in arrays of the caller. The library never writes or frees them.
 *   CSR: offsets[rows+1], indices[nnz] are columns.
 *   CSC: offsets[cols+1], indices[nnz] are rows.
 *   COO: offsets[nnz] are rows (of index_type), indices[nnz] are columns.
 * Entries may come in any order and more than once per position; every operation adds up those
 * of one position. Widths of offsets/indices: 32/32, 64/32, 64/64; others, and mixes, are widened
 * in the plan. Devices compute with 32-bit indices: wider ones are narrowed in a copy; a dimension
 * beyond 2^31-1 is SPL_UNSUPPORTED there. Arrays may be NULL if they have no elements. */
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

/* A dense matrix in an array of the caller. Element (i,j) is values[i*ld + j] (row major, ld >=
 * cols) or values[i + j*ld] (column major, ld >= rows). Written only where a function says so. */
typedef struct spl_dense {
    uint32_t size;
    spl_type type;
    spl_order order;
    spl_place place;
    int64_t rows, cols, ld;
    void *values;
} spl_dense;
#define SPL_DENSE_INIT SPL_SIZED(spl_dense)

/* Checks everything about a view that can be wrong: header, offsets (start at 0, never decrease,
 * end at nnz), indices (in range). O(rows + nnz). The detail names the first fault: "row 17, entry
 * 204: column 900 is not below 900". Plans check their operands themselves.
 * SPL_INVALID_ARGUMENT, SPL_INVALID_MATRIX, SPL_INDEX_OVERFLOW, SPL_UNSUPPORTED. */
SPARLOOM_API spl_status spl_validate(const spl_sparse *matrix);

/* ---------------------------------------------------------------------------- one-shot products */

typedef struct spl_options spl_options; /* below; NULL: the defaults */
typedef struct spl_matrix spl_matrix;   /* a sparse matrix of the library's, below */

/* Plan, execute and forget: for structures that change with every call. Meaning, scalars, error
 * bound and statuses are those of plans, see spl_plan. A plan is made for many executions: it may
 * choose another method, whose last bits differ. */

/* y = alpha*op(A)*x + beta*y. x has cols(op(A)) elements, y rows(op(A)). */
SPARLOOM_API spl_status spl_spmv(spl_context *context, const void *alpha, const spl_sparse *a,
                                 const void *x, const void *beta, void *y,
                                 const spl_options *options);
/* C = alpha*op(A)*B + beta*C. B is cols(op(A)) x columns, C rows(op(A)) x columns. */
SPARLOOM_API spl_status spl_spmm(spl_context *context, const void *alpha, const spl_sparse *a,
                                 const spl_dense *b, const void *beta, const spl_dense *c,
                                 const spl_options *options);
/* C = alpha*op(A)*op(B) + beta*D; d may be NULL. *c is the caller's: spl_matrix_destroy. It lives
 * where A and B do; from a device only counts and sizes come to the host. */
SPARLOOM_API spl_status spl_spgemm(spl_context *context, const void *alpha, const spl_sparse *a,
                                   const spl_sparse *b, const void *beta, const spl_sparse *d,
                                   const spl_options *options, spl_matrix **c);

/* ---------------------------------------------------------------------------------------- plans */

/* A plan keeps the chosen methods and everything derived from structure.
 *
 * Operands. Their arrays are borrowed until spl_plan_destroy, their structure (offsets, indices) is
 * frozen. Values may change and arrays may move, if announced by spl_plan_update_values.
 *
 * Execution. Different plans run concurrently. A second execute of one plan while one is in flight
 * returns SPL_BUSY. Execute allocates nothing.
 *
 * Scalars. alpha and beta point to one number of the operands' type; a float for f16 and bf16. NULL
 * means alpha = 1, beta = 0. alpha = 0 reads no values of A, B or x. beta = 0 reads
 * no values of y, C or D, so NaN there is overwritten. What is not stored contributes nothing, also
 * against NaN and Inf. Rows without entries (SpGEMM: elements without products) get beta times the
 * old value (D), whatever alpha is. Where alpha is Inf or NaN other elements become Inf or NaN;
 * which ones may depend on the method. Read on a device, such an alpha is nothing where products
 * sum to 0.
 *
 * Aliasing. Outputs (y, C, its values, what export writes) share no byte with each other, with x or
 * B, or with an array of the operands: SPL_INVALID_ARGUMENT. Of dense matrices elements count, not
 * the gaps that ld leaves: B and C may be disjoint columns of one array.
 *
 * Error bound, per element:
 *
 *   |err| <= 2*gamma_(k+3) * (|alpha||op(A)||op(B)| + |beta||D|) + (k+3)*max(1,|alpha|)*s
 *
 * k is the number of summed products, gamma_k = k*u/(1-k*u), u the unit round-off of the type and s
 * its smallest subnormal number, for underflow. It holds where |op(A)||op(B)| and the sum in
 * parentheses are below half the largest number. Elsewhere sums of some of the terms may overflow
 * though the result would not: the element may be Inf or NaN then.
 *   - SpGEMM may round alpha*op(A) first, unless alpha is 1 or -1. This adds s times the sum of
 *     |op(B)| over the products, and |alpha||op(A)| must be below that half, too. Where it makes 0
 *     of what meets Inf in op(B), the element may be NaN.
 *   - f16 and bf16: all this is of f32; call it e. The rounding of the sum adds h*(|exact result| +
 *     e) and half the smallest subnormal number, with h = 2^-11 (f16), 2^-8 (bf16).
 *   - SpMM with SPL_ACCURACY_REDUCED: u is 2^-22 where the type sums with 2^-24, as tensor cores
 *     cut sums off. Factors of type f32 count with 11 significant bits, which adds 2^-9 times the
 *     same product of sizes. f32 numbers below 2^-126 may count as zero.
 *
 * Devices. All arrays of a problem live on the same device, else SPL_INVALID_ARGUMENT. What was
 * written to them must have arrived before the plan is made, which itself blocks. Executions
 * enqueue to `stream` and return. They wait for nothing and can be captured in a graph, unless
 * options.check_inputs is set. */
typedef struct spl_plan spl_plan;

/* Must not be called during an execute. Work that is enqueued on a device may go on, and its stream
 * may be destroyed. Graphs that recorded executions must not be launched any more. */
SPARLOOM_API void spl_plan_destroy(spl_plan *plan);

/* Plans y = alpha*op(A)*x + beta*y. Checks A fully. Memory: O(1) for a method that reads CSR in
 * place; one copy of A for a transposition or another format than CSR; one more for a method with a
 * format of its own (never in spl_spmv, unless forced). Deterministic: each method gives the same
 * bits for any number of threads. The choice of the method may depend on that number unless
 * options.deterministic. SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_spmv_plan(spl_context *context, const spl_sparse *a,
                                      const spl_options *options, spl_plan **plan);
/* x has cols(op(A)) and y rows(op(A)) elements of A's type. SPL_BUSY, SPL_STALE,
 * SPL_INVALID_ARGUMENT, SPL_DEVICE_FAILURE, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_spmv_execute(spl_plan *plan, const void *alpha, const void *x,
                                         const void *beta, void *y, const spl_stream *stream);

/* Plans C = alpha*op(A)*B + beta*C; B and C have `columns` columns. Else as spl_spmv_plan. */
SPARLOOM_API spl_status spl_spmm_plan(spl_context *context, const spl_sparse *a, int64_t columns,
                                      const spl_options *options, spl_plan **plan);
/* B is cols(op(A)) x columns, C rows(op(A)) x columns, each in any order and leading dimension, of
 * A's type. Bits and statuses as in spl_spmv_execute. */
SPARLOOM_API spl_status spl_spmm_execute(spl_plan *plan, const void *alpha, const spl_dense *b,
                                         const void *beta, const spl_dense *c,
                                         const spl_stream *stream);

/* Plans C = alpha*op(A)*op(B) + beta*D; d may be NULL. A, B and D have the same value type. Runs
 * the symbolic phase: afterwards the structure of C is known exactly, or bounded if an upper-bound
 * method was chosen (never with options.exact), see spl_spgemm_result. pattern(C) =
 * pattern(op(A)op(B)) united with pattern(D), whatever scalars and values: entries that cancel and
 * explicit zeros are kept. Rows of C are sorted unless options.unsorted. Memory: the structure of
 * C, and workspace. Statuses as spl_spmv_plan. */
SPARLOOM_API spl_status spl_spgemm_plan(spl_context *context, const spl_sparse *a,
                                        const spl_sparse *b, const spl_sparse *d,
                                        const spl_options *options, spl_plan **plan);
/* Computes the values of C. `values` has nnz(C) elements and gets them in the order of the
 * structure. NULL keeps them in the plan: with options.keep_result, and always where the
 * plan has only a bound of nnz(C). beta is ignored without D. Statuses as spl_spmv_execute. */
SPARLOOM_API spl_status spl_spgemm_execute(spl_plan *plan, const void *alpha, const void *beta,
                                           void *values, const spl_stream *stream);

/* Announces new values: operands with the structure they were planned with, in the same format,
 * types, widths and place. NULL: that operand is unchanged, also where it shares arrays with
 * another.
 *   - Arrays may be others: the plan borrows and reads these from now on, structure too. The old
 *     ones may be freed once work that was enqueued before has ended.
 *   - That offsets and indices hold the same numbers is the caller's word, unless
 *     options.check_inputs is set: SPL_STALE then, and nothing is changed.
 *   - It allocates nothing. It costs nothing for operands that are read in place, one pass for
 *     those that were copied, and one more where SpMV on a device has found the values to be narrow
 *     (all the same, few distinct ones, f64 that f32 holds).
 *   - Narrow values are read narrow while they are so; results are the same. Values that change
 *     without being announced are missed there even by methods that read in place. */
SPARLOOM_API spl_status spl_plan_update_values(spl_plan *plan, const spl_sparse *a,
                                               const spl_sparse *b, const spl_sparse *d,
                                               const spl_stream *stream);
/* Waits for the work of the plan's parts, or of the stream that a plan of one device used last, and
 * reports its errors. */
SPARLOOM_API spl_status spl_plan_wait(spl_plan *plan);

/* -------------------------------------------------------------------------------------- options */

/* How methods are chosen. */
typedef enum spl_policy {
    /* least predicted time by the cost model and the machine table (default) */
    SPL_POLICY_COST = 0,
    SPL_POLICY_RULES = 1, /* the published rules of the sources, see doc/sources.md */
    /* Times the methods that the cost model thinks best on scratch operands (B and C row major),
     * and remembers the winner, see wisdom. Planning takes up to six preparations and some
     * executions longer. As `cost` in one-shot calls and with options.deterministic. */
    SPL_POLICY_MEASURE = 2
} spl_policy;

/* The error bound of results, see spl_plan. */
typedef enum spl_accuracy {
    SPL_ACCURACY_DEFAULT = 0,
    SPL_ACCURACY_REDUCED = 1 /* SpMM of f32, f16, bf16 may use tensor cores, where this is faster */
} spl_accuracy;

/* How rows are shared among processors. Shares are proportional to the processors' capabilities. */
typedef enum spl_partition_kind {
    SPL_PARTITION_ROWS = 1, /* shares of rows */
    SPL_PARTITION_NNZ = 2,  /* shares of entries, rows in order */
    /* Shares of entries, rows in the order of their lengths: rows of equal length stay together, so
     * that parts are dense as ELL. */
    SPL_PARTITION_DENSITY = 3,
    /* Rows in order; the slowest part is as fast as can be: bytes of the part in CSR / link +
     * entries / capability. */
    SPL_PARTITION_COST = 4
} spl_partition_kind;

struct spl_options {
    uint32_t size;

    /* ---- all operations ---- */
    spl_policy policy;
    spl_operator op_a;
    int32_t threads;        /* CPU threads; 0: the context's */
    int32_t deterministic;  /* 1: bit-identical results for any number of threads and any run */
    size_t memory_budget;   /* bytes this plan may have live at once; 0: the context's */
    spl_place scalar_place; /* where alpha and beta are read */
    const char *method;     /* ids of forced methods, comma separated, see spl_method; NULL: none */
    /* About how many executions the plan is made for: they share the cost of making it. 0: about a
     * hundred. 1: as a one-shot call would choose. */
    int32_t executions;
    /* About how often new values will be announced meanwhile: each time methods that copy values
     * copy them again. 0: never. */
    int32_t updates;
    /* Bit i: processor i may be used. 0: the one where A lives; for A on the host the context's
     * default. Where a device computes for A on the host, each call copies arrays to it and results
     * back, and blocks. Several bits: see "several processors". */
    uint64_t processors;

    /* ---- SpGEMM ---- */
    spl_operator op_b;
    int32_t unsorted; /* 1: columns of a row of C may come in any order */
    int32_t exact;    /* 1: the structure of C is known after the plan; no bounds */
    /* 1: the plan keeps the values of C: execute, then export or take */
    int32_t keep_result;
    spl_index result_offset_type; /* offsets of C; 0: A's, or 64 bits if nnz(C) needs them */
    const spl_sparse *mask;       /* positions of C that count, NULL: all; see sparloom/algebra.h */
    int32_t mask_complement, mask_pattern, semiring; /* the same; 0: as without */

    /* ---- SpMM ---- */
    spl_accuracy accuracy;
    /* The order that B will mostly have; 0: row major. Told of column-major B, plans on devices
     * reserve memory in which they transpose it tile by tile. Every order is always served. */
    spl_order dense_order;

    /* ---- several processors ---- */
    /* 0: SPL_PARTITION_COST. SpGEMM: shares of products, rows in order */
    spl_partition_kind partition;
    /* What each of spl_processor_count processors can do, as for spl_partition; read when planning.
     * NULL: predicted. */
    const double *capabilities;
    /* 1: x and y (B and C) may be NULL: the parts' own arrays, see spl_part_info */
    int32_t distributed;

    /* ---- debugging ---- */
    int32_t check_inputs; /* 1: execute returns SPL_STALE if inputs changed unannounced; it then
                           * waits, on devices too */
};
#define SPL_OPTIONS_INIT SPL_SIZED(spl_options)

/* ---------------------------------------------------------------------------- results of SpGEMM */

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
/* Shape, size and types of C. O(rows) if rows of C have gaps, else O(1). SPL_INVALID_ARGUMENT. */
SPARLOOM_API spl_status spl_spgemm_result(const spl_plan *plan, spl_result *result);

/* Writes offsets[rows+1], indices[nnz] and values[nnz] of C, each unless NULL: structure any time
 * after the plan (with a bound: after the first execute), values only those the plan keeps.
 * SPL_INVALID_ARGUMENT if they are not there yet. Where C goes to a device by way of the host
 * (several processors) this takes memory there before anything is written: SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. SPL_CANCELLED. */
SPARLOOM_API spl_status spl_spgemm_export(spl_plan *plan, void *offsets, void *indices,
                                          void *values, const spl_stream *stream);
/* A copy of C as a matrix of its own (CSR), which outlives the plan, where the plan's operands
 * live. Needs kept values. Counts against the context's budget. On a device it waits for the
 * values, and nothing comes to the host. SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_spgemm_take(spl_plan *plan, spl_matrix **c);

/* ---------------------------------------------------------------------- matrices of the library */

/* spl_matrix: a sparse matrix whose arrays the library allocated: on the host, or where the
 * operands of the product live that made it. It is ready when the call that made it returns, for
 * any stream and as an operand of the next plan, which may read it in place as long as it exists.
 * Destroy it before its context, and after the plans that borrow it. */

/* Fills `view` with the matrix' arrays, valid until spl_matrix_destroy. Fails only for NULL. */
SPARLOOM_API spl_status spl_matrix_view(const spl_matrix *matrix, spl_sparse *view);
/* Writable arrays of the matrix, same meaning and place as in its view; each pointer may be NULL.
 * Changing structure is the caller's risk. */
SPARLOOM_API spl_status spl_matrix_arrays(spl_matrix *matrix, void **offsets, void **indices,
                                          void **values);
/* Memory on a device goes back to the context's pool. Work that uses the arrays must have ended. */
SPARLOOM_API void spl_matrix_destroy(spl_matrix *matrix);

typedef struct spl_convert_options {
    uint32_t size;
    spl_format format; /* 0: as the source */
    /* 0: as the source; narrower: rounded once to nearest even, or to infinity */
    spl_type type;
    spl_index offset_type; /* 0: as the source */
    spl_index index_type;  /* 0: as the source */
    int32_t transpose;     /* 1: the transpose of the source */
    int32_t sort;          /* 1: entries of a row (CSC: column; COO: row, column) ascend; stable */
    /* 1: sort and sum entries of equal position, in the order they are stored */
    int32_t sum_duplicates;
    /* 1: entries whose value is 0 or -0, in the new type and summed if so, are left out */
    int32_t drop_zeros;
} spl_convert_options;
#define SPL_CONVERT_OPTIONS_INIT SPL_SIZED(spl_convert_options)

/* A copy of `source` in another form. Options may be NULL (plain copy). Duplicates are kept unless
 * summed. O(nnz log) if sorting, else O(rows + cols + nnz). Free with spl_matrix_destroy.
 * SPL_INVALID_*, SPL_UNSUPPORTED, SPL_INDEX_OVERFLOW (narrower indices do not fit),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_convert(spl_context *context, const spl_sparse *source,
                                    const spl_convert_options *options, spl_matrix **result);

/* to[i] = from[i], i < count, in another type of values, rounded as by spl_convert, for arrays on
 * the host, which must not overlap. Also for callers who have no f16 or bf16 of their own.
 * SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
SPARLOOM_API spl_status spl_convert_values(spl_type to_type, void *to, spl_type from_type,
                                           const void *from, int64_t count);

/* What a matrix looks like. Figures of rows are over stored entries, duplicates included. */
typedef struct spl_description {
    uint32_t size;
    int64_t rows, cols, nnz;
    int64_t empty_rows, longest_row;
    double mean_row, row_deviation; /* entries per row: mean and standard deviation */
    double density;                 /* nnz / (rows*cols), 0 if there is no element */
    int64_t duplicates;             /* entries beyond the first at their position */
    int64_t unsorted_rows;          /* rows whose columns descend somewhere */
    int32_t pattern_symmetric;      /* 1: square and (i,j) stored whenever (j,i) is */
    int32_t value_symmetric;        /* 1: also with equal values (duplicates summed) */
    int64_t bandwidth;              /* largest |i-j| of an entry, -1 without entries */
    int64_t products;               /* intermediate products of A*A (of A*A^T if not square) */
    /* Unknowns per node: the largest d up to 6 for which the matrix is made of full d x d blocks at
     * multiples of d; else 1. */
    int64_t block_size;
    int64_t distinct_values; /* bit by bit; -1: more than 256 */
    /* Fewest bytes that hold each value exactly: 0 all are the same, 1 at most 256 are distinct, 2
     * whole numbers of 16 bits times a power of two, 4 f32 holds them; else those of the type. 0
     * without entries. What plans make of it: spl_plan_explain. */
    double value_bytes;
    /* As block_size, for blocks that are 60 % full or more: the size by which products of blocks
     * would take the fewest steps; block_size where that is more than 1. */
    int64_t holed_block_size;
    /* entries (duplicates once) per position of the blocks of that size; 1 for size 1 */
    double block_fill;
} spl_description;
#define SPL_DESCRIPTION_INIT SPL_SIZED(spl_description)
/* Fills `description`. Workspace: about a copy of the matrix. Where a dimension is far larger than
 * the matrix: up to 256 bytes an entry, and nothing of the dimension's length.
 * SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_describe(spl_context *context, const spl_sparse *matrix,
                                     spl_description *description);

/* The distribution function of the rows: row_counts[b] rows have lengths[b] entries each. Lengths
 * ascend and begin with 0 if there are rows without entries; the row_counts add up to the rows.
 * Writes the first `capacity` pairs and *count, their full number: ask with capacity 0 and NULL
 * arrays first. Workspace: two integers per row or less, and one per possible length. O(rows +
 * nnz). SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET.
 * Source: distribution function and row vector sets (RVS), see doc/sources.md [S2]. */
SPARLOOM_API spl_status spl_distribution(spl_context *context, const spl_sparse *matrix,
                                         int64_t capacity, int64_t *lengths, int64_t *row_counts,
                                         int64_t *count);

/* Bytes a matrix takes in several formats, with its own widths; SIZE_MAX: more than can be
 * addressed. Density: part of the stored entries that is not padding. Compute density:
 * multiplications per byte of y = A*x in f64, nnz / ((2*stored + 2*rows)*8). 0 without entries. */
typedef struct spl_storage {
    uint32_t size;
    size_t coo; /* nnz*(value + 2*index) */
    size_t csr; /* nnz*(value + index) + (rows+1)*offset */
    size_t ell; /* rows*longest row*(value + index) */
    /* rows of equal length together: nnz*(value + index) + non-empty rows*index */
    size_t rvs;
    /* slices of 16 rows, sorted by length within 1024: entries with padding, slices */
    size_t sliced_ell;
    double ell_density, rvs_density, sliced_ell_density;
    double ell_compute_density, rvs_compute_density;
} spl_storage;
#define SPL_STORAGE_INIT SPL_SIZED(spl_storage)
/* Fills `storage`; converts nothing. Workspace and statuses as spl_distribution. */
SPARLOOM_API spl_status spl_measure_storage(spl_context *context, const spl_sparse *matrix,
                                            spl_storage *storage);

/* ---------------------------------------------------------------------------------------- files */

typedef struct spl_read_options {
    uint32_t size;
    spl_format format;     /* 0: SPL_CSR */
    spl_type type;         /* 0: SPL_F64 */
    spl_index offset_type; /* 0: the narrowest that fits */
    spl_index index_type;  /* 0: the narrowest that fits */
} spl_read_options;
#define SPL_READ_OPTIONS_INIT SPL_SIZED(spl_read_options)

/* Reads a matrix from a file. The contents decide the format, the ending of the name only what they
 * cannot tell. Text may be packed with gzip; its lines may end in LF, CR LF or CR.
 * doc/file-formats.md says how each is read.
 *   Matrix Market   coordinate or array; real, integer, unsigned-integer, pattern; symmetric ones
 *                   are expanded (coordinates: one triangle, either one)
 *   .npz            SciPy's csr, csc, coo and bsr (expanded), if the library was built with libzip
 *   METIS graph     name .graph; edge weights are values; weights and sizes of vertices are skipped
 *   edge list       text that begins with '#', or .txt, .edges, .tsv, .el, .edgelist: "from to
 *                   [value]", ids from 0; or .csv with commas, perhaps names of columns. Square,
 *                   largest id + 1, or N if a first remark "# Nodes: N" says more
 * Duplicates and explicit zeros are kept; zeros of dense arrays are not stored; entries without a
 * value get 1. Within a CSR row the file's order is kept. Reports progress stage "read" in bytes.
 * SPL_FILE_ERROR, SPL_FILE_INVALID ("file:line: what", "file: member: what"), SPL_UNSUPPORTED
 * (complex, big-endian, pickled objects, no libzip), SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996. */
SPARLOOM_API spl_status spl_read(spl_context *context, const char *path,
                                 const spl_read_options *options, spl_matrix **result);
/* Writes a matrix. The ending of `path` decides the format:
 *   .mtx or none                      Matrix Market coordinate real general
 *   .npz                              the matrix' own format, compressed; no bf16
 *   .graph                            METIS: square, symmetric, no diagonal, values whole numbers
 *                                     from 1; duplicates are summed
 *   .txt .edges .tsv .el .edgelist    edge list; square
 * Text is packed if ".gz" follows. Other endings are SPL_UNSUPPORTED; the detail lists the known
 * ones. Reading gives the same bits.
 * Atomic: a temporary file beside `path` replaces it when complete; after a failure `path` is as
 * before. A symbolic link stays one: what it links to is replaced, or made if there is none.
 * Reports progress stage "write" in entries, for .npz in bytes.
 * SPL_FILE_ERROR, SPL_INVALID_*, SPL_UNSUPPORTED (what the format cannot hold: the detail names the
 * entry; no libzip), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_write(spl_context *context, const spl_sparse *matrix, const char *path);
/* Tells beforehand whether spl_write could write a matrix to `path`, as far as that can be seen:
 * its ending is known, .npz has libzip, the folder exists, and it and a file to be replaced are
 * writable. Changes nothing. The disk may be full later, and a format may not hold the matrix.
 * SPL_UNSUPPORTED, SPL_FILE_ERROR, SPL_INVALID_ARGUMENT. */
SPARLOOM_API spl_status spl_write_check(const char *path);

/* -------------------------------------------------------------- memory and devices of a context */

typedef struct spl_memory_info {
    uint32_t size;
    size_t live;         /* bytes now allocated through the context at the place */
    size_t peak;         /* most bytes ever live at once; never what was refused */
    int64_t allocations; /* number of allocations so far */
    size_t kept;         /* on the host: bytes not live, kept for later calls; 0 on devices */
} spl_memory_info;
#define SPL_MEMORY_INFO_INIT SPL_SIZED(spl_memory_info)
/* Memory accounting of the context: its plans and matrices included, its own handle not. */
SPARLOOM_API spl_status spl_memory(spl_context *context, spl_place place, spl_memory_info *info);
/* Gives memory that is kept for later calls, on the host and on devices, back to the system. On the
 * host live and kept bytes never exceed the budget, nor 5/4 of what was live at once in the last 20
 * seconds (plus 1 MiB), as of the last allocation or free of 32 KiB and more. */
SPARLOOM_API spl_status spl_trim(spl_context *context);
/* Waits for the stream's work (NULL: that of all devices' default streams); reports late errors. */
SPARLOOM_API spl_status spl_sync(spl_context *context, const spl_stream *stream);

typedef struct spl_processor_info {
    uint32_t size;
    spl_place place;  /* host: the CPU's threads */
    int32_t threads;  /* CPU only: those that calls use */
    const char *name; /* valid as long as the context */
} spl_processor_info;
#define SPL_PROCESSOR_INFO_INIT SPL_SIZED(spl_processor_info)
/* Number of processors of the context: 0 is the CPU; devices follow in the order of opening. */
SPARLOOM_API int32_t spl_processor_count(const spl_context *context);
/* Describes processor `number`. SPL_INVALID_ARGUMENT if there is none. */
SPARLOOM_API spl_status spl_processor(const spl_context *context, int32_t number,
                                      spl_processor_info *info);
/* How many devices a driver ("cuda", "hip", "emu", "emu64") finds: *count. It is 0 with
 * SPL_UNSUPPORTED, whose detail says what is missing. */
SPARLOOM_API spl_status spl_driver_devices(const char *driver, int32_t *count);

/* Memory of a place of the context, for callers without a toolkit of their own: `bytes` > 0 bytes,
 * not initialised, counted like the library's own.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_INVALID_ARGUMENT. */
SPARLOOM_API spl_status spl_array_alloc(spl_context *context, spl_place place, size_t bytes,
                                        void **array);
/* `place` and `bytes` as at allocation. Work that uses the array must have ended. */
SPARLOOM_API void spl_array_free(spl_context *context, spl_place place, void *array, size_t bytes);
/* Copies bytes between the host and a device, or within one of both. Blocks if one side is on the
 * host, else ordered in the stream. */
SPARLOOM_API spl_status spl_array_copy(spl_context *context, spl_place to_place, void *to,
                                       spl_place from_place, const void *from, size_t bytes,
                                       const spl_stream *stream);

/* --------------------------------------------------------------------------- several processors */

typedef struct spl_part {
    uint32_t size;
    int64_t begin, rows; /* its rows are order[begin .. begin+rows) */
    int64_t nnz, width;  /* entries; those of its longest row */
    double density;      /* nnz / (non-empty rows * width): of the part as ELL; 0 without entries */
    double seconds;      /* predicted by SPL_PARTITION_COST; without links: of the entries alone */
} spl_part;
#define SPL_PART_INIT SPL_SIZED(spl_part)
/* Shares the rows of `matrix` out among `count` processors.
 *   capabilities[count]   multiplications per second (other kinds than SPL_PARTITION_COST: any
 *                         unit); finite, not negative, not all 0. A processor with 0 gets no rows
 *   links[count]          bytes per second to each processor, above 0. INFINITY, or links NULL:
 *                         nothing is to be carried
 *   order[rows]           gets every row once
 *   parts[count]          initialised by the caller; gets consecutive parts
 * For each k, the first k parts have at least their share together, and at most one row more. There
 * may be more processors than rows. Deterministic. Workspace: two integers per row.
 * O(rows*log(count) + nnz). SPL_INVALID_*, SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET.
 * Source: partitions over K processors, algorithm 4.3, see doc/sources.md [S2]. */
SPARLOOM_API spl_status spl_partition(spl_context *context, const spl_sparse *matrix,
                                      spl_partition_kind kind, int32_t count,
                                      const double *capabilities, const double *links,
                                      int64_t *order, spl_part *parts);

/* Plans of several processors (options.processors). Each has some rows of A and a copy of x (B),
 * and computes the same rows of y (C), concurrently with the others.
 *
 * Vectors and dense matrices. A call of SpMV or SpMM broadcasts x and gathers y. With
 * options.distributed x and y may be NULL: each processor reads the x that it holds, and y stays
 * there. Such a call returns while devices are at work; spl_plan_wait waits for them.
 *
 * Memory. Rows that do not fit a device together (its memory, or the budget) pass through it in
 * blocks; the next one is copied while one is computed. SpGEMM finds and computes its blocks one
 * after the other, in each execution anew, which then allocates. C need not fit the device.
 *
 * SpMV and SpMM with A on a device. x and y (B and C) live there, too. If that device is one of
 * the processors, it reads its rows of A, x and y in place. What the others need passes through
 * the host: their rows of A in the plan and in spl_plan_update_values, x and their rows of y in
 * each call. The host keeps a copy of those rows of A. Calls are ordered in `stream`. They return
 * when y is complete, or at once if no other processor has rows, and cannot be recorded into a
 * graph. alpha and beta are on the host, and SPL_PARTITION_DENSITY is not built. */

/* What one processor does in such a plan. */
typedef struct spl_part_info {
    uint32_t size;
    int32_t processor;    /* number in the context */
    spl_place place;      /* of x and y */
    int64_t begin, rows;  /* rows order[begin .. begin+rows) of the result */
    const int64_t *order; /* as long as the plan; NULL: the rows as they are */
    int64_t work;         /* entries of A; SpGEMM: products and entries of D */
    int64_t blocks;       /* 1: all its rows of A stay there; 0: it has none */
    /* options.distributed: all of x (B). B without gaps, in the order of the last call's B; before
     * the first call row major. */
    void *x;
    void *y; /* options.distributed: these rows of y (C), as x */
    double predicted_transfer, predicted_execution; /* seconds of a call: T_t, T_e */
    /* Seconds of the last call that was timed, for which this waits; blocks on their way count as
     * execution. Calls that a device which holds A, x and y computes alone are timed ever more
     * rarely. */
    double transfer, execution;
} spl_part_info;
#define SPL_PART_INFO_INIT SPL_SIZED(spl_part_info)
/* Number of parts, one for each processor named; 0: the plan computes on one processor. */
SPARLOOM_API int32_t spl_plan_part_count(const spl_plan *plan);
/* Describes part `number`. SPL_INVALID_ARGUMENT if there is none, SPL_DEVICE_FAILURE. */
SPARLOOM_API spl_status spl_plan_part(spl_plan *plan, int32_t number, spl_part_info *info);

#ifdef __cplusplus
}
#endif

#include <sparloom/explain.h>

#endif
