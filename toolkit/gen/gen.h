/* SPDX-License-Identifier: Apache-2.0 */
/* gen.h: made matrices: stand-ins for well-known ones, general families, adversarial shapes.
 *
 * A matrix is named by a text "NAME[:VALUE,VALUE,...]", a value being "30" (in the order of the
 * family's parameters) or "drop=0.02". Every name takes "seed=N", "values=N" (values are whole
 * numbers from 1 to N: 1 makes them all the same), and every square matrix "nodes=D", which numbers
 * nodes of D unknowns at random, "fixed=SHARE", which leaves that share of the unknowns nothing but
 * the diagonal, in rows and columns, as boundary conditions do, and "holes=SHARE", which leaves
 * that share of the entries out, on both sides of the diagonal. Patterns and values depend on that
 * text, the seed and the type only: not on threads, not on the platform. Rows are sorted, no
 * position is stored twice, values are uniform in [-1, 1) unless values=N. */
#ifndef TOOL_GEN_H
#define TOOL_GEN_H

#include <sparloom/sparloom.h>
#include <stddef.h>

/* A matrix in arrays of its own: CSR, 32-bit columns, offsets as narrow as they may be. */
typedef struct gen_matrix {
    int64_t rows, cols, nnz;
    spl_type type;
    spl_index offset_type;
    void *offsets, *values;
    int32_t *indices;
} gen_matrix;

typedef enum gen_status {
    GEN_OK,
    GEN_WRONG, /* the text names nothing, or parameters are impossible */
    GEN_MEMORY /* no memory */
} gen_status;

typedef struct gen_message {
    char text[256]; /* what is wrong, one sentence without the final stop */
} gen_message;

/* Makes the matrix named by `name`. On failure nothing is left to free and `message` says why. */
gen_status gen_make(const char *name, uint64_t seed, spl_type type, gen_matrix *matrix,
                    gen_message *message);
void gen_free(gen_matrix *matrix);
/* The matrix for the library, as long as it lives. */
spl_sparse gen_view(const gen_matrix *matrix);

enum { GEN_MOST_PARAMETERS = 8 };

typedef struct gen_parameter {
    const char *name; /* NULL ends the list */
    double least, most;
    double value; /* if not given; NaN: must be given */
    int integral; /* must be a whole number */
} gen_parameter;

struct gen_job;

typedef struct gen_family {
    const char *name;
    const char *summary;
    gen_parameter parameters[GEN_MOST_PARAMETERS + 1];
    gen_status (*make)(struct gen_job *job, gen_matrix *matrix);
} gen_family;

/* Ends with a row whose name is NULL. */
extern const gen_family gen_families[];

/* A stand-in: a family with values, and what is known about the matrix (0: not known). */
typedef struct gen_stand_in {
    const char *name, *set; /* sets: "s3", "s4", "stencils", "graphs" */
    const char *spec;
    int64_t rows;
    double nnz, products; /* products of A*A */
    int exact;            /* those are not estimates */
} gen_stand_in;

/* Ends with a row whose name is NULL. */
extern const gen_stand_in gen_stand_ins[];

/* Names of the set "unseen": no stand-ins, and nothing is known about them. Ends with NULL. */
extern const char *const gen_unseen[];

/* The sets "fresh" and "small": matrices of every family, of 300 to 400,000 entries or a few times
 * that, drawn by a seed. Writes the name of matrix `number`, from 0 on; returns 0 after the last.
 */
enum { GEN_FRESH_SIZES = 2, GEN_FRESH_NAME = 128 };
int gen_fresh(uint64_t seed, int number, char *text, size_t capacity);
/* Whether an operand is "SET" or "SET:SEED"; without SEED the seed is `now`. */
int gen_fresh_seed(const char *operand, const char *set, uint64_t now, uint64_t *seed);

/* An estimate of nnz for deciding whether the matrix fits; 0 if not known. */
double gen_expected_nnz(const char *name);

#endif
