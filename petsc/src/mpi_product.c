/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_product.c: which of PETSc's algorithms multiplies matrices over MPI.
 *
 * P'*A*P is ours, mpi_triple.c, and so is A*B, mpi_pair.c, where several unknowns share a node,
 * where B has at most half as many columns as rows, as interpolations have, and where its rows have
 * one entry at most, as those of restrictions by plain aggregation. Of other products PETSc's
 * default walks the rows itself and uses sequential products for parts only. Its algorithm
 * "backend" makes everything of sequential products, which are ours then, and adds the parts up by
 * way of coordinates, which costs. It pays where sequential products are far faster than PETSc's:
 * again at nodes. An algorithm that the user names is used as it is. */
#include "plugin.h"

static PetscErrorCode (*petsc_symbolic[PRODUCT_TYPES])(Mat);

/* Do rows come in groups with equal columns, two and more on average? Collective. */
static PetscErrorCode HasNodes(Mat matrix, PetscBool *nodes)
{
    Mat diagonal, other;
    PetscInt here[2], all[2];
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &diagonal, &other, NULL));
    PetscCall(CountNodes(diagonal, &here[0], &here[1]));
    PetscCallMPI(
        MPI_Allreduce(here, all, 2, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)matrix)));
    *nodes = (PetscBool)(all[0] >= 2 * all[1]);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* As interpolations are: all their columns recur in rows of A*B. */
static PetscBool IsNarrow(Mat matrix)
{
    return (PetscBool)(matrix->cmap->N <= matrix->rmap->N / 2);
}

/* Have rows one entry at most? Collective. */
static PetscErrorCode HasSingles(Mat matrix, PetscBool *singles)
{
    Mat diagonal, other;
    spl_sparse own, outside;
    const PetscInt *of_own, *of_outside;
    PetscBool here = PETSC_TRUE;
    PetscFunctionBegin;
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, &diagonal, &other, NULL));
    PetscCall(ViewMatrix(diagonal, &own));
    PetscCall(ViewMatrix(other, &outside));
    of_own = own.offsets;
    of_outside = outside.offsets;
    for (int64_t i = 0; i < own.rows && here; i++)
        here = (PetscBool)(of_own[i + 1] - of_own[i] + of_outside[i + 1] - of_outside[i] <= 1);
    PetscCallMPI(MPI_Allreduce(&here, singles, 1, MPIU_BOOL, MPI_LAND,
                               PetscObjectComm((PetscObject)matrix)));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WantsBackend(const Mat_Product *product, PetscBool *wants)
{
    Choices choices;
    PetscBool unnamed,
        known = (PetscBool)(product->type == MATPRODUCT_AB || product->type == MATPRODUCT_AtB ||
                            product->type == MATPRODUCT_PtAP);
    PetscFunctionBegin;
    PetscCall(PetscStrcmp(product->alg, MATPRODUCTALGORITHMDEFAULT, &unnamed));
    PetscCall(ChoicesFor(product->A, &choices));
    *wants = PETSC_FALSE;
    if (!known || !unnamed || choices.backend == CHOOSE_NEVER)
        PetscFunctionReturn(PETSC_SUCCESS);
    if (choices.backend == CHOOSE_ALWAYS)
        *wants = PETSC_TRUE;
    else
        PetscCall(HasNodes(product->type == MATPRODUCT_AtB ? product->B : product->A, wants));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc 3.18 loses the block sizes of what "backend" makes, by which GAMG coarsens. */
static PetscErrorCode SetBlockSizes(Mat result)
{
    const Mat_Product *product = result->product;
    Mat diagonal, other;
    PetscInt rows, columns = product->B->cmap->bs;
    PetscFunctionBegin;
    switch (product->type) {
    case MATPRODUCT_PtAP:
        rows = product->B->cmap->bs;
        break;
    case MATPRODUCT_AtB:
        rows = product->A->cmap->bs;
        break;
    default:
        rows = product->A->rmap->bs;
    }
    if (rows < 1 || columns < 1 || result->rmap->n % rows || result->cmap->n % columns)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(MatSetBlockSizes(result, rows, columns));
    PetscCall(MatMPIAIJGetSeqAIJ(result, &diagonal, &other, NULL));
    PetscCall(MatSetBlockSizes(diagonal, rows, columns));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat result)
{
    PetscBool backend;
    PetscFunctionBegin;
    PetscCall((*petsc_symbolic[result->product->type])(result));
    PetscCall(TakeOverBlocks(result));
    PetscCall(PetscStrcmp(result->product->alg, "backend", &backend));
    if (backend)
        PetscCall(SetBlockSizes(result));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Did the user name an algorithm in PETSc's options? */
static PetscErrorCode IsNamed(Mat result, const char *option, PetscBool *named)
{
    PetscObject object = (PetscObject)result;
    PetscFunctionBegin;
    PetscCall(PetscOptionsHasName(object->options, object->prefix,
                                  result->product->api_user ? option : "-mat_product_algorithm",
                                  named));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *AlgorithmOption(MatProductType type)
{
    return type == MATPRODUCT_PtAP ? "-matptap_via" : "-matmatmult_via";
}

/* P'*A*P is ours, and A*B where rows come in nodes or B is narrow or its rows are single, unless
 * something else is asked for. */
static PetscErrorCode WantsOurs(Mat result, PetscBool *wants)
{
    const Mat_Product *product = result->product;
    PetscBool unnamed, named;
    Choices choices;
    PetscFunctionBegin;
    *wants = PETSC_FALSE;
    if (product->type != MATPRODUCT_PtAP && product->type != MATPRODUCT_AB)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscStrcmp(product->alg, MATPRODUCTALGORITHMDEFAULT, &unnamed));
    PetscCall(IsNamed(result, AlgorithmOption(product->type), &named));
    PetscCall(ChoicesFor(product->A, &choices));
    *wants = (PetscBool)(unnamed && !named && choices.backend != CHOOSE_ALWAYS &&
                         choices.products != CHOOSE_NEVER && !choices.method[0]);
    if (!*wants || product->type != MATPRODUCT_AB || IsNarrow(product->B))
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(HasNodes(product->A, wants));
    if (!*wants)
        PetscCall(HasSingles(product->B, wants));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc checks the product; its choice of an algorithm is forgotten. */
static PetscErrorCode SetOurs(Mat result)
{
    PetscBool triple = (PetscBool)(result->product->type == MATPRODUCT_PtAP);
    PetscFunctionBegin;
    PetscCall((*mpi_base.productsetfromoptions)(result));
    PetscCall(MatProductSetAlgorithm(result, MATPRODUCTALGORITHMDEFAULT));
    result->ops->productsymbolic = triple ? MPITripleSymbolic : MPIPairSymbolic;
    Count(triple ? TALLY_MPI_TRIPLE : TALLY_MPI_PAIR);
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MPIProductSetFromOptions(Mat result)
{
    Mat_Product *product = result->product;
    MatProductType type = product->type;
    PetscBool wants, named = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(WantsOurs(result, &wants));
    if (wants) {
        PetscCall(SetOurs(result));
        PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(WantsBackend(product, &wants));
    if (wants)
        PetscCall(MatProductSetAlgorithm(result, "backend"));
    PetscCall((*mpi_base.productsetfromoptions)(result));
    if (wants && type == MATPRODUCT_AtB) { /* which falls back to "scalable" for many columns */
        PetscCall(IsNamed(result, "-mattransposematmult_via", &named));
        if (!named)
            PetscCall(MatProductSetAlgorithm(result, "backend"));
    }
    PetscCall(PetscStrcmp(product->alg, "backend", &named));
    Count(named ? TALLY_BACKEND : TALLY_MPI_PETSC);
    if (type < PRODUCT_TYPES && result->ops->productsymbolic &&
        result->ops->productsymbolic != Symbolic) {
        petsc_symbolic[type] = result->ops->productsymbolic;
        result->ops->productsymbolic = Symbolic;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}
