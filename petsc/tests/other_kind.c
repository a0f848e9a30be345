/* SPDX-License-Identifier: Apache-2.0 */
/* other_kind.c: loaded before PETSc and Sparloom (LD_PRELOAD), makes one of them look like another
 * kind, which OTHER_KIND names, so that the plug-in must refuse it: "release" of PETSc, its
 * "integers", its "scalars", or "sparloom". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>

static int Is(const char *kind)
{
    const char *wanted = getenv("OTHER_KIND");
    return wanted && strcmp(wanted, kind) == 0;
}

PETSC_EXTERN const char *spl_version(void)
{
    const char *(*own)(void);
    *(void **)&own = dlsym(RTLD_NEXT, "spl_version");
    return Is("sparloom") ? "999.0.0" : own ? (*own)() : "";
}

PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor,
                                     PetscInt *release)
{
    PetscErrorCode (*own)(PetscInt *, PetscInt *, PetscInt *, PetscInt *);
    PetscErrorCode error;
    *(void **)&own = dlsym(RTLD_NEXT, "PetscGetVersionNumber");
    error = (*own)(major, minor, subminor, release);
    if (Is("release"))
        --*minor;
    return error;
}

PetscErrorCode PetscDataTypeGetSize(PetscDataType type, size_t *size)
{
    PetscErrorCode (*own)(PetscDataType, size_t *);
    PetscErrorCode error;
    *(void **)&own = dlsym(RTLD_NEXT, "PetscDataTypeGetSize");
    error = (*own)(type, size);
    if ((Is("integers") && type == PETSC_INT) || (Is("scalars") && type == PETSC_SCALAR))
        *size *= 2;
    return error;
}
