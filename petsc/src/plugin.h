/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.h: what the files of the PETSc plug-in share.
 *
 * A matrix is *taken over* when its functions for products call ours: it stays PETSc's AIJ matrix,
 * with PETSc's arrays, and keeps PETSc's functions for all else. The types that users name are AIJ
 * matrices taken over under another name; the switch -sparloom takes over every AIJ matrix and
 * changes no name. */
#ifndef SPARLOOM_PETSC_PLUGIN_H
#define SPARLOOM_PETSC_PLUGIN_H

#include <petsc/private/matimpl.h>
#include <sparloom/structure.h>
#include <sparloom/triple.h>

#define TYPE_SEQ  "seqaijsparloom"
#define TYPE_MPI  "mpiaijsparloom"
#define TYPE_ROOT "aijsparloom"

/* Named since PETSc 3.19. */
#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif
/* How destructors of attached data are called: with its address since PETSc 3.23. */
#if PETSC_VERSION_LT(3, 23, 0)
#define ATTACHED(data) (data)
#else
#define ATTACHED(data) (*(void **)(data))
#endif

#define PRODUCT_TYPES 7 /* MatProductType counts from 1 */

/* ------------------------------------------------------------------------------- plugin.c: state
 */

/* What the options said of matrices; a prefix names some of them. */
typedef struct {
    PetscInt policy;      /* spl_policy */
    PetscInt plan_after;  /* MatMults before a plan is made; negative: as many as make up for it */
    PetscBool remember;   /* shapes of matrices, and how often they were multiplied */
    PetscBool transposed; /* MatMultTranspose is planned, too */
    PetscBool copy;       /* plans of MatMult may copy the matrix */
    PetscInt executions;  /* for which plans are made; 0: few of products, else many */
    PetscInt backend;     /* index into auto, always, never */
    PetscInt products;    /* likewise */
    char method[256];     /* forced methods of products */
} Choices;
enum { CHOOSE_AUTO, CHOOSE_ALWAYS, CHOOSE_NEVER };

enum { DEVICE_NAME = 128 };

/* What they said of all. */
typedef struct {
    PetscBool everywhere;          /* -sparloom */
    PetscBool summary, detail;     /* -mat_sparloom_view */
    Choices choices;               /* without a prefix */
    char file[PETSC_MAX_PATH_LEN]; /* of the summary; "": standard output */
    char device[DEVICE_NAME];      /* what the rank opens; "": none */
    PetscInt sharing;              /* ranks that opened the same, this one included */
    PetscInt device_entries;       /* fewer stay on the CPU; negative: what pays */
} Settings;

extern Settings settings;
extern spl_context *context;
/* Functions of plain AIJ matrices. */
extern struct _MatOps seq_base, mpi_base;

/* ---------------------------------------------------------------------------------- settings.c */

PETSC_INTERN PetscErrorCode ReadSettings(spl_context_options *options);
PETSC_INTERN PetscErrorCode ChoicesFor(Mat matrix, Choices *choices);
/* Options of a plan, with what the user chose for the matrix. */
PETSC_INTERN spl_options PlanOptions(const Choices *choices);

/* ----------------------------------------------------------------------------- device_share.c */

/* Collective: a device's name without a number (DEVICE_NAME characters) gets one, by turns among
 * the ranks of a node; how many of these have the same. */
PETSC_INTERN PetscErrorCode DealDevices(char *device, PetscInt *sharing);
/* options.processors: the context's, which are devices if the user named some; or the CPU. */
enum { ON_DEFAULT = 0, ON_CPU = 1 };
/* Where A is multiplied by that many columns (0: a vector), and where sparse products of it are. */
PETSC_INTERN uint64_t MultiplyOn(const spl_sparse *a, PetscInt columns);
PETSC_INTERN uint64_t ProductOn(const spl_sparse *a);
PETSC_INTERN PetscBool IsOnCPU(uint64_t processors);

/* -------------------------------------------------------------------------------------
 * call_tally.c */

/* What was counted, by whom: see tally_names. */
typedef enum {
    TALLY_TAKEN_OVER, /* matrices */
    TALLY_MULT,       /* vector products by plans */
    TALLY_MULT_PETSC,
    TALLY_MULT_PLAN, /* plans made for them */
    TALLY_MULT_IN_PLACE,
    TALLY_MULT_UPDATE,
    TALLY_DEVICE_PLAN, /* plans on a device, of these and of products */
    TALLY_DENSE,
    TALLY_DENSE_PETSC,
    TALLY_SYMBOLIC,
    TALLY_TRIPLE, /* of these, three factors in one plan */
    TALLY_NUMERIC,
    TALLY_REPLAN, /* numeric phases that found another structure */
    TALLY_REBIND, /* numeric phases that found the same structure in other arrays */
    TALLY_UPDATE, /* operands whose new values were announced */
    TALLY_PRODUCT_PETSC,
    TALLY_MPI_TRIPLE, /* P'AP over MPI by ours */
    TALLY_MPI_PAIR,   /* A*B over MPI by ours */
    TALLY_MESSAGES,   /* received for them in numeric phases, ... */
    TALLY_VALUES,     /* ... and values in them */
    TALLY_BACKEND,    /* products over MPI by PETSc's backend algorithm */
    TALLY_MPI_PETSC,
    TALLY_COUNT
} TallyKind;

typedef enum { EVENT_MULT_PLAN, EVENT_SYMBOLIC, EVENT_NUMERIC, EVENT_PLAN, EVENT_COUNT } EventKind;

extern PetscLogEvent events[EVENT_COUNT];

PETSC_INTERN PetscErrorCode RegisterEvents(void);
PETSC_INTERN void Count(TallyKind kind);
PETSC_INTERN void CountMany(TallyKind kind, PetscInt count);
/* Of a matrix product, by its type. */
PETSC_INTERN void CountProduct(TallyKind kind, MatProductType type);
/* Composed with matrices that were taken over as "MatSparloomGetTally_C": a count by its name. */
PETSC_INTERN PetscErrorCode GetTally(Mat matrix, const char *name, PetscInt *count);
/* Counts a plan that is on a device, and prints its explanation, if the user wants it. */
PETSC_INTERN PetscErrorCode ShowPlan(const spl_plan *plan, uint64_t processors, const char *what);
/* Collective: prints the sums over all ranks, if the user wants them. */
PETSC_INTERN PetscErrorCode ShowTally(void);

/* ------------------------------------------------------------------------------------- raise.c */

/* Raises PETSc's error for a status of Sparloom, with Sparloom's sentence. */
PETSC_INTERN PetscErrorCode Raise(spl_status status, const char *what);
/* Collective: an error that one rank has raised becomes the error of all. */
PETSC_INTERN PetscErrorCode RaiseOnAll(MPI_Comm comm, PetscErrorCode here);
/* Collective: calls what only this rank does, before all of them exchange something. */
#define CallOnAll(comm, call)                                                                      \
    do {                                                                                           \
        PetscErrorCode here_ = (call);                                                             \
        PetscCall(RaiseOnAll(comm, here_));                                                        \
    } while (0)
#define SparloomCall(call, what)                                                                   \
    do {                                                                                           \
        spl_status status_ = (call);                                                               \
        if (PetscUnlikely(status_ != SPL_OK))                                                      \
            PetscCall(Raise(status_, what));                                                       \
    } while (0)

/* ---------------------------------------------------------------------------------- seq_view.c */

/* A sequential AIJ matrix as Sparloom sees it: PETSc's own arrays. */
PETSC_INTERN PetscErrorCode ViewMatrix(Mat matrix, spl_sparse *view);

/* What a plan knows of an operand: the matrix, its arrays, and which values the plan has. */
typedef struct {
    Mat matrix; /* referenced by products, so that its arrays live */
    spl_sparse view;
    PetscObjectState structure, values;
} Operand;
/* How an operand differs from what the plan knows. */
typedef enum { OPERAND_SAME, OPERAND_NEW_VALUES, OPERAND_MOVED, OPERAND_OTHER } OperandChange;

PETSC_INTERN PetscErrorCode LookAtOperand(Mat matrix, Operand *operand);
PETSC_INTERN PetscErrorCode CompareOperand(const Operand *known, const Operand *now,
                                           OperandChange *change);
/* A matrix that is new to a plan is held in place of the one before. */
PETSC_INTERN PetscErrorCode HoldOperand(Operand *known, const Operand *now);

/* -------------------------------------------------- seq_type.c, seq_multiply.c, seq_product.c, ...
 */

PETSC_INTERN PetscErrorCode TakeOverSeq(Mat matrix);
PETSC_INTERN PetscErrorCode RegisterSeqType(void);
/* The matrix that a conversion is to change: a copy, or the one given. */

/* ---- convert_type.c ---- */

/* What tells the two types apart in conversions. */
typedef struct MatrixKind {
    const char *petsc, *ours;           /* names of the types */
    const char *to_petsc, *to_sparloom; /* names by which PETSc finds the conversions */
    PetscErrorCode (*take_over)(Mat);
    PetscErrorCode (*give_back)(Mat);
} MatrixKind;
PETSC_INTERN const MatrixKind seq_kind, mpi_kind;
PETSC_INTERN PetscErrorCode ConvertToSparloom(Mat matrix, MatType type, MatReuse reuse,
                                              Mat *target);

PETSC_INTERN void SetMultiply(Mat matrix);
PETSC_INTERN PetscErrorCode ForgetPlans(Mat matrix);

PETSC_INTERN PetscErrorCode SeqProductSetFromOptions(Mat result);
PETSC_INTERN PetscErrorCode SeqDenseSetFromOptions(Mat result);
/* The plan of op(A) times `columns` dense columns; NULL: not worth making yet. */
PETSC_INTERN PetscErrorCode DensePlan(Mat matrix, PetscBool transposed, PetscInt columns,
                                      spl_plan **plan);
/* Do neighbouring rows agree, as those of a node do? Not collective. */
PETSC_INTERN PetscErrorCode CountNodes(Mat matrix, PetscInt *rows, PetscInt *nodes);

/* ------------------------------------------------------------------ seq_plan.c: plans of products
 */

typedef struct {
    spl_plan *inner, *outer; /* inner: of three factors in two plans, the first product */
    spl_sparse middle;       /* its result */
    PetscBool borrows;       /* the arrays are the inner plan's; else ours */
    Operand operand[3];
} ProductPlan;

/* Options of plans of products of A. */
PETSC_INTERN spl_options ProductOptions(const Choices *choices, const spl_sparse *a);
PETSC_INTERN PetscErrorCode MakeProductPlan(Mat result, ProductPlan *plan);
PETSC_INTERN PetscErrorCode ReleaseProductPlan(ProductPlan *plan);
/* The size of a plan's result, whose entries PetscInt can count. */
PETSC_INTERN PetscErrorCode ResultOf(spl_plan *plan, spl_result *result);
PETSC_INTERN PetscErrorCode ExportColumns(spl_plan *plan, PetscInt *columns);
PETSC_INTERN PetscErrorCode ExportStructure(spl_plan *plan, PetscInt *offsets, PetscInt *columns);
/* Announces what has changed; *same is false if the structure has, and nothing was done then. */
PETSC_INTERN PetscErrorCode RefreshProductPlan(Mat result, ProductPlan *plan, PetscBool *same);
PETSC_INTERN PetscErrorCode ComputeProduct(ProductPlan *plan, MatProductType type, void *values);

/* ------------------------------------------------------- mpi_type.c, mpi_product.c, base_names.c
 */

PETSC_INTERN PetscErrorCode TakeOverMPI(Mat matrix);
PETSC_INTERN PetscErrorCode TakeOverBlocks(Mat matrix);
PETSC_INTERN PetscErrorCode RegisterMPIType(void);
PETSC_INTERN PetscErrorCode MPIProductSetFromOptions(Mat result);
/* P'*A*P and A*B by plans of ours: mpi_triple.c, mpi_pair.c. */
PETSC_INTERN PetscErrorCode MPITripleSymbolic(Mat result);
PETSC_INTERN PetscErrorCode MPIPairSymbolic(Mat result);

/* PETSc finds conversions, and products of two types, by their names. Under ours it finds a
 * function that asks again under the base type's name. */
PETSC_INTERN PetscErrorCode ComposeBaseNames(Mat matrix, PetscBool on);

#endif
