/* SPDX-License-Identifier: Apache-2.0 */
/* base_names.c: products of our types with others, and conversions to others, found under the base
 * types' names. Without them PETSc 3.18 converts element by element, and crashes for some types. */
#include "plugin.h"

static const char *const seq_others[] = {"seqaij",   "seqdense", "seqbaij",
                                         "seqsbaij", "is",       "hypre"};
static const char *const mpi_others[] = {"mpiaij",   "mpidense", "mpibaij",
                                         "mpisbaij", "is",       "hypre"};
enum { OTHERS = 6 };

static PetscErrorCode BaseName(Mat matrix, const char **name)
{
    PetscBool ours;
    PetscFunctionBegin;
    *name = ((PetscObject)matrix)->type_name;
    PetscCall(PetscStrcmp(*name, TYPE_SEQ, &ours));
    if (ours)
        *name = MATSEQAIJ;
    PetscCall(PetscStrcmp(*name, TYPE_MPI, &ours));
    if (ours)
        *name = MATMPIAIJ;
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AskUnderBaseNames(Mat result)
{
    Mat a = result->product->A, b = result->product->B;
    const char *a_name, *b_name;
    char name[256];
    PetscErrorCode (*function)(Mat) = NULL;
    PetscFunctionBegin;
    PetscCall(BaseName(a, &a_name));
    PetscCall(BaseName(b, &b_name));
    PetscCall(PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", a_name, b_name));
    PetscCall(PetscObjectQueryFunction((PetscObject)a, name, &function));
    if (!function)
        PetscCall(PetscObjectQueryFunction((PetscObject)b, name, &function));
    if (function)
        PetscCall((*function)(result));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own conversions of the base type serve ours, which has the same arrays. */
static PetscErrorCode ComposeConversions(Mat matrix, PetscBool seq, PetscBool on)
{
    static const char *const targets[2][6] = {
        {"mpidense", "mpibaij", "mpisbaij", "mpisell", "is", "hypre"},
        {"seqdense", "seqbaij", "seqsbaij", "seqsell", "is", "hypre"}};
    PetscObject object = (PetscObject)matrix;
    PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);
    char name[256];
    PetscFunctionBegin;
    for (int k = 0; k < 6; k++) {
        PetscCall(PetscSNPrintf(name, sizeof name, "MatConvert_%s_%s_C",
                                seq ? MATSEQAIJ : MATMPIAIJ, targets[seq][k]));
        PetscCall(PetscObjectQueryFunction(object, name, &convert));
        PetscCall(PetscSNPrintf(name, sizeof name, "MatConvert_%s_%s_C", seq ? TYPE_SEQ : TYPE_MPI,
                                targets[seq][k]));
        PetscCall(PetscObjectComposeFunction(object, name, on ? convert : NULL));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComposeBaseNames(Mat matrix, PetscBool on)
{
    PetscErrorCode (*function)(Mat) = on ? AskUnderBaseNames : NULL;
    const char *const *others, *ours;
    char name[256];
    PetscBool seq;
    PetscFunctionBegin;
    PetscCall(PetscStrbeginswith(((PetscObject)matrix)->type_name, MATSEQAIJ, &seq));
    others = seq ? seq_others : mpi_others;
    ours = seq ? TYPE_SEQ : TYPE_MPI;
    PetscCall(ComposeConversions(matrix, seq, on));
    for (int k = 0; k < OTHERS; k++) {
        PetscCall(
            PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", ours, others[k]));
        PetscCall(PetscObjectComposeFunction((PetscObject)matrix, name, function));
        PetscCall(
            PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", others[k], ours));
        PetscCall(PetscObjectComposeFunction((PetscObject)matrix, name, function));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}
