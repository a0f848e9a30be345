/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c: what PETSc calls when it loads the plug-in, and when it ends. */
#include "plugin.h"

#include <stdio.h>
#include <string.h>

Settings settings;
spl_context *context;
struct _MatOps seq_base, mpi_base;

static PetscErrorCode (*create_seq)(Mat), (*create_mpi)(Mat);

/* The plug-in reads PETSc's private structs, so that it must have been compiled for the PETSc that
 * loads it: same release, same sizes of integers and scalars. */
static PetscErrorCode CheckPetsc(void)
{
    PetscInt major, minor, subminor, release;
    size_t index, scalar;
    PetscDataType type;
    PetscBool found;
    PetscFunctionBegin;
    /* First: PETSc writes its own PetscInt into what follows. */
    PetscCall(PetscDataTypeGetSize(PETSC_INT, &index));
    PetscCheck(index == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_LIB,
               "This Sparloom plug-in was compiled for a PetscInt of %d bytes, PETSc has %d",
               (int)sizeof(PetscInt), (int)index);
    PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, &release));
    PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF,
               PETSC_ERR_LIB, "This Sparloom plug-in was compiled for PETSc %d.%d, not for %d.%d",
               PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, (int)major, (int)minor);
    /* By name: PETSC_SCALAR is what it was when this was compiled. */
    PetscCall(PetscDataTypeFromString("scalar", &type, &found));
    PetscCall(PetscDataTypeGetSize(type, &scalar));
    PetscCheck(scalar == sizeof(double) && sizeof(PetscScalar) == sizeof(double), PETSC_COMM_SELF,
               PETSC_ERR_SUP,
               "Sparloom multiplies matrices of double; this PETSc has %s scalars of %d bytes",
               scalar > sizeof(double) ? "complex or wider" : "narrower", (int)scalar);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSparloom(void)
{
    char wanted[32];
    PetscFunctionBegin;
    snprintf(wanted, sizeof wanted, "%d.%d.", SPL_VERSION_MAJOR, SPL_VERSION_MINOR);
    PetscCheck(strncmp(spl_version(), wanted, strlen(wanted)) == 0, PETSC_COMM_SELF, PETSC_ERR_LIB,
               "This plug-in was compiled for Sparloom %sx, and was loaded with %s", wanted,
               spl_version());
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* What to call where ours does not compute: the functions of an AIJ matrix fresh from PETSc. */
static PetscErrorCode CopyFunctions(MatType type, struct _MatOps *functions)
{
    Mat matrix;
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, &matrix));
    PetscCall(MatSetType(matrix, type));
    *functions = *matrix->ops;
    PetscCall(MatDestroy(&matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSeqTakenOver(Mat matrix)
{
    PetscFunctionBegin;
    PetscCall((*create_seq)(matrix));
    PetscCall(TakeOverSeq(matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMPITakenOver(Mat matrix)
{
    PetscFunctionBegin;
    PetscCall((*create_mpi)(matrix));
    PetscCall(TakeOverMPI(matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* From here on PETSc makes its own AIJ types through us, whoever asks for one. */
static PetscErrorCode TakeOverTypes(void)
{
    PetscFunctionBegin;
    PetscCall(PetscFunctionListFind(MatList, MATSEQAIJ, &create_seq));
    PetscCall(PetscFunctionListFind(MatList, MATMPIAIJ, &create_mpi));
    PetscCall(MatRegister(MATSEQAIJ, CreateSeqTakenOver));
    PetscCall(MatRegister(MATMPIAIJ, CreateMPITakenOver));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Finalize(void)
{
    PetscFunctionBegin;
    PetscCall(ShowTally());
    spl_context_destroy(context);
    context = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc looks for this name after -dll_append libsparloom_petsc.so. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_sparloom_petsc(void)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    PetscFunctionBegin;
    PetscCall(CheckPetsc());
    PetscCall(CheckSparloom());
    PetscCall(ReadSettings(&options));
    SparloomCall(spl_context_create(&options, &context), "start");
    PetscCall(MatInitializePackage());
    PetscCall(RegisterEvents());
    PetscCall(CopyFunctions(MATSEQAIJ, &seq_base));
    PetscCall(CopyFunctions(MATMPIAIJ, &mpi_base));
    PetscCall(RegisterSeqType());
    PetscCall(RegisterMPIType());
    PetscCall(MatRegisterRootName(TYPE_ROOT, TYPE_SEQ, TYPE_MPI));
    if (settings.everywhere)
        PetscCall(TakeOverTypes());
    PetscCall(PetscRegisterFinalize(Finalize));
    PetscFunctionReturn(PETSC_SUCCESS);
}
