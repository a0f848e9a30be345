/* SPDX-License-Identifier: Apache-2.0 */
/* call_tally.c: who computed what, for -mat_sparloom_view, -log_view and tests. */
#include "plugin.h"

static const struct {
    const char *name, *meaning;
} tally_names[TALLY_COUNT] = {
    [TALLY_TAKEN_OVER] = {"taken_over", "AIJ matrices taken over"},
    [TALLY_MULT] = {"mult", "vector products by Sparloom"},
    [TALLY_MULT_PETSC] = {"mult_petsc", "vector products by PETSc, before a plan was worth it"},
    [TALLY_MULT_PLAN] = {"mult_plan", "plans made for vector products"},
    [TALLY_MULT_IN_PLACE] = {"mult_in_place", "plans that read PETSc's arrays before that"},
    [TALLY_MULT_UPDATE] = {"mult_update", "new values announced to them"},
    [TALLY_DEVICE_PLAN] = {"device_plan", "plans on a device, for all operations"},
    [TALLY_DENSE] = {"dense", "products with dense matrices by Sparloom"},
    [TALLY_DENSE_PETSC] = {"dense_petsc", "the same by PETSc, before a plan was worth it"},
    [TALLY_SYMBOLIC] = {"symbolic", "symbolic phases by Sparloom"},
    [TALLY_TRIPLE] = {"triple", "of these, P'*A*P and R*A*R' in one plan"},
    [TALLY_NUMERIC] = {"numeric", "numeric phases by Sparloom"},
    [TALLY_REPLAN] = {"replan", "of these, plans made anew for another structure"},
    [TALLY_REBIND] = {"rebind", "of these, the same structure in other arrays"},
    [TALLY_UPDATE] = {"update", "operands whose new values were announced"},
    [TALLY_PRODUCT_PETSC] = {"product_petsc", "sparse products left to PETSc"},
    [TALLY_MPI_TRIPLE] = {"mpi_triple", "P'*A*P over MPI by Sparloom"},
    [TALLY_MPI_PAIR] = {"mpi_pair", "A*B over MPI by Sparloom"},
    [TALLY_MESSAGES] = {"messages", "received in the numeric phases of both"},
    [TALLY_VALUES] = {"values", "in these messages"},
    [TALLY_BACKEND] = {"backend", "products over MPI by PETSc's algorithm backend"},
    [TALLY_MPI_PETSC] = {"mpi_petsc", "products over MPI by PETSc's other algorithms"},
};

PetscLogEvent events[EVENT_COUNT];

static long long tally[TALLY_COUNT];
static long long by_type[2][PRODUCT_TYPES]; /* symbolic, numeric */

PetscErrorCode RegisterEvents(void)
{
    PetscFunctionBegin;
    PetscCall(PetscLogEventRegister("SplMultPlan", MAT_CLASSID, &events[EVENT_MULT_PLAN]));
    PetscCall(PetscLogEventRegister("SplSymbolic", MAT_CLASSID, &events[EVENT_SYMBOLIC]));
    PetscCall(PetscLogEventRegister("SplNumeric", MAT_CLASSID, &events[EVENT_NUMERIC]));
    PetscCall(PetscLogEventRegister("SplPlan", MAT_CLASSID, &events[EVENT_PLAN]));
    PetscFunctionReturn(PETSC_SUCCESS);
}

void Count(TallyKind kind)
{
    tally[kind]++;
}

void CountMany(TallyKind kind, PetscInt count)
{
    tally[kind] += count;
}

void CountProduct(TallyKind kind, MatProductType type)
{
    tally[kind]++;
    if (type > 0 && type < PRODUCT_TYPES)
        by_type[kind == TALLY_NUMERIC][type]++;
}

PetscErrorCode GetTally(Mat matrix, const char *name, PetscInt *count)
{
    PetscBool found = PETSC_FALSE;
    PetscFunctionBegin;
    (void)matrix;
    for (int k = 0; k < TALLY_COUNT && !found; k++) {
        PetscCall(PetscStrcmp(name, tally_names[k].name, &found));
        if (found)
            *count = (PetscInt)tally[k];
    }
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Nothing is counted as %s", name);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShowPlan(const spl_plan *plan, uint64_t processors, const char *what)
{
    char *text;
    size_t length;
    PetscFunctionBegin;
    if (!IsOnCPU(processors))
        Count(TALLY_DEVICE_PLAN);
    if (!settings.detail)
        PetscFunctionReturn(PETSC_SUCCESS);
    SparloomCall(spl_plan_explain(plan, NULL, 0, &length), "explanation");
    PetscCall(PetscMalloc1(length + 1, &text));
    SparloomCall(spl_plan_explain(plan, text, length + 1, NULL), "explanation");
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "[%d] Sparloom, %s\n%s\n", PetscGlobalRank, what, text));
    PetscCall(PetscFree(text));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* What each rank has opened, in their order; nothing where none has. */
static PetscErrorCode PrintDevices(FILE *file, const char *devices, PetscMPIInt ranks)
{
    PetscBool some = PETSC_FALSE;
    PetscFunctionBegin;
    for (PetscMPIInt r = 0; r < ranks; r++)
        some = (PetscBool)(some || devices[r * DEVICE_NAME]);
    if (!some)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "  devices       "));
    for (PetscMPIInt r = 0; r < ranks; r++) {
        const char *device = devices + r * DEVICE_NAME;
        PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, " %s", device[0] ? device : "none"));
    }
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lines of the first rank, from sums over all. */
static PetscErrorCode PrintTally(const long long *sum, const long long *types, const char *devices,
                                 PetscMPIInt ranks)
{
    FILE *file = PETSC_STDOUT;
    PetscFunctionBegin;
    if (settings.file[0])
        PetscCall(PetscFOpen(PETSC_COMM_SELF, settings.file, "w", &file));
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "Sparloom %s, sums over %d rank%s\n",
                           spl_version(), ranks, ranks == 1 ? "" : "s"));
    for (int k = 0; k < TALLY_COUNT; k++)
        PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "  %-14s %10lld  %s\n", tally_names[k].name,
                               sum[k], tally_names[k].meaning));
    for (int t = 1; t < PRODUCT_TYPES; t++)
        if (types[t] + types[PRODUCT_TYPES + t])
            PetscCall(PetscFPrintf(PETSC_COMM_SELF, file,
                                   "  %-14s %10lld  symbolic phases, %lld numeric\n",
                                   MatProductTypes[t], types[t], types[PRODUCT_TYPES + t]));
    PetscCall(PrintDevices(file, devices, ranks));
    if (settings.file[0])
        PetscCall(PetscFClose(PETSC_COMM_SELF, file));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShowTally(void)
{
    long long sum[TALLY_COUNT], types[2 * PRODUCT_TYPES];
    PetscMPIInt rank, ranks;
    char *devices;
    PetscFunctionBegin;
    if (!settings.summary)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCallMPI(MPI_Reduce(tally, sum, TALLY_COUNT, MPI_LONG_LONG, MPI_SUM, 0, PETSC_COMM_WORLD));
    PetscCallMPI(
        MPI_Reduce(by_type, types, 2 * PRODUCT_TYPES, MPI_LONG_LONG, MPI_SUM, 0, PETSC_COMM_WORLD));
    PetscCall(PetscMalloc1(ranks * DEVICE_NAME, &devices));
    PetscCallMPI(MPI_Gather(settings.device, DEVICE_NAME, MPI_CHAR, devices, DEVICE_NAME, MPI_CHAR,
                            0, PETSC_COMM_WORLD));
    if (rank == 0)
        PetscCall(PrintTally(sum, types, devices, ranks));
    PetscCall(PetscFree(devices));
    PetscFunctionReturn(PETSC_SUCCESS);
}
