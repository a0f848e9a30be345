/* SPDX-License-Identifier: Apache-2.0 */
/* base_names.c: products of our types with others, found under the base types' names. */
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
