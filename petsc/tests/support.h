/* SPDX-License-Identifier: Apache-2.0 */
/* support.h: what the plug-in's tests share. */
#ifndef SPARLOOM_PETSC_TEST_SUPPORT_H
#define SPARLOOM_PETSC_TEST_SUPPORT_H

#include <petscmat.h>

extern PetscRandom numbers;
extern PetscInt failures;

#define EXPECT(condition) Expect((PetscBool) !!(condition), __func__, __LINE__, #condition)
void Expect(PetscBool holds, const char *function, int line, const char *what);

/* Starts PETSc; random numbers differ between ranks. */
PetscErrorCode Start(int *argc, char ***argv);
/* Returns what main is to return. Collective. */
int Finish(void);

/* A count's growth since it was last asked for. */
PetscInt Growth(Mat matrix, const char *name, PetscInt *before);
PetscErrorCode Random(double *number);
PetscErrorCode Close(Mat a, Mat b, PetscBool *close);
/* A product, its structure and values; algorithm: NULL for the default. */
PetscErrorCode Multiply(MatProductType type, Mat a, Mat b, Mat c, Mat *result);
PetscErrorCode MultiplyVia(const char *algorithm, MatProductType type, Mat a, Mat b, Mat *result);

PetscErrorCode Assemble(Mat matrix);
/* A product with a dense matrix, which is filled, repeated until it is by ours. */
PetscErrorCode CheckDense(MatProductType type, Mat a, Mat ours, Mat dense, int repeats);
/* Converts to PETSc's type: the same entries, and nothing of ours is left. */
PetscErrorCode CheckBack(Mat a, Mat ours, MatType type, Mat *back);

/* ---- matrices of one process ---- */

/* PETSc's, at random. */
PetscErrorCode MakeSeqRandom(PetscInt rows, PetscInt cols, Mat *matrix);
/* Ours, of one entry a row: i + 1 in the column first + step*i, modulo n. */
PetscErrorCode MakeSeqSingles(PetscInt n, PetscInt first, PetscInt step, Mat *matrix);
PetscErrorCode ConvertSeq(Mat matrix, Mat *ours);

#endif
