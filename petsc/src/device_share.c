/* SPDX-License-Identifier: Apache-2.0 */
/* device_share.c: which device a rank opens, and what is worth sending there.
 *
 * Ranks of one node that ask for devices of a kind are dealt over them in turn. Vectors and values
 * are PETSc's, on the host: every product copies what it reads and writes. Ranks that share a
 * device wait for each other, since it serves one process at a time. So a product goes to the
 * device where the CPU would take longer than all that. */
#include "plugin.h"

#include <stdio.h>
#include <string.h>

/* How many devices a name stands for; 0: it has a number, is a list, or there are none. */
static int32_t CountDevices(const char *name)
{
    static const char *const any[] = {"cuda", "hip"};
    int32_t count = 0;
    if (strcmp(name, "gpu") != 0 && strcmp(name, "auto") != 0)
        return spl_driver_devices(name, &count) == SPL_OK ? count : 0;
    for (int k = 0; k < 2 && count == 0; k++)
        if (spl_driver_devices(any[k], &count) != SPL_OK)
            count = 0;
    return count;
}

/* Ranks with the same device, this one included. */
static PetscErrorCode CountSharing(MPI_Comm node, const char *device, PetscInt *sharing)
{
    char *all;
    PetscMPIInt ranks;
    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(node, &ranks));
    PetscCall(PetscMalloc1(ranks * DEVICE_NAME, &all));
    PetscCallMPI(MPI_Allgather(device, DEVICE_NAME, MPI_CHAR, all, DEVICE_NAME, MPI_CHAR, node));
    *sharing = 0;
    for (PetscMPIInt r = 0; r < ranks; r++)
        *sharing += strcmp(all + r * DEVICE_NAME, device) == 0;
    PetscCall(PetscFree(all));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DealDevices(char *device, PetscInt *sharing)
{
    MPI_Comm node;
    int asks, before;
    int32_t count;
    size_t length;
    PetscFunctionBegin;
    PetscCallMPI(
        MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    count = device[0] ? CountDevices(device) : 0;
    asks = count > 0;
    PetscCallMPI(MPI_Scan(&asks, &before, 1, MPI_INT, MPI_SUM, node));
    before -= asks;
    length = strlen(device);
    if (asks)
        snprintf(device + length, DEVICE_NAME - length, ":%d", before % (int)count);
    PetscCall(CountSharing(node, device, sharing));
    PetscCallMPI(MPI_Comm_free(&node));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds, from one H200 and its host: of the CPU, for an entry and a column of a dense matrix, or
 * for an entry of P'AP; of a call on the device, by each rank that shares it, and of a byte. */
static const double cpu_entry = .6e-9, cpu_product_entry = 6e-9, call = 40e-6,
                    product_call = 200e-6, byte = .2e-9, product_byte = .1e-9;

PetscBool IsOnCPU(uint64_t processors)
{
    return (PetscBool)(processors == ON_CPU || spl_processor_count(context) == 1);
}

/* Of seconds on the CPU and those on a device of one's own. */
static uint64_t Choose(const spl_sparse *a, double cpu, double device)
{
    if (settings.device_entries >= 0)
        return a->nnz < settings.device_entries ? ON_CPU : ON_DEFAULT;
    return cpu < device * (double)settings.sharing ? ON_CPU : ON_DEFAULT;
}

uint64_t MultiplyOn(const spl_sparse *a, PetscInt columns)
{
    const double width = (double)PetscMax(columns, 1),
                 bytes = (double)sizeof(PetscScalar) * (double)(a->rows + a->cols) * width;
    return Choose(a, cpu_entry * width * (double)a->nnz, call + byte * bytes);
}

uint64_t ProductOn(const spl_sparse *a)
{
    const double entries = (double)a->nnz, bytes = (double)sizeof(PetscScalar) * entries;
    return Choose(a, cpu_product_entry * entries, product_call + product_byte * bytes);
}
