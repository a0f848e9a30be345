/* SPDX-License-Identifier: Apache-2.0 */
#include "grid_problem.h"

#include <math.h>

enum { CORNERS = 8, UNKNOWNS = 24 };

PetscErrorCode MakeProblem(PetscBool elasticity, PetscInt n, MatType type, DM *grid, Mat *matrix)
{
    PetscFunctionBeginUser;
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                           elasticity ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE,
                           PETSC_DECIDE, PETSC_DECIDE, elasticity ? 3 : 1, 1, NULL, NULL, NULL,
                           grid));
    if (type)
        PetscCall(DMSetMatType(*grid, type));
    PetscCall(DMSetFromOptions(*grid));
    PetscCall(DMSetUp(*grid));
    PetscCall(DMDASetUniformCoordinates(*grid, 0, 1, 0, 1, 0, 1));
    PetscCall(DMCreateMatrix(*grid, matrix));
    PetscFunctionReturn(0);
}

static PetscErrorCode AddPoissonRow(Mat matrix, MatStencil row, PetscInt n, PetscReal contrast)
{
    static const int steps[6][3] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                    {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    PetscScalar values[7], material = row.i < n / 2 ? 1 : contrast;
    MatStencil columns[7];
    PetscInt count = 1;
    PetscFunctionBeginUser;
    columns[0] = row;
    values[0] = 0;
    for (int k = 0; k < 6; k++) {
        MatStencil to = row;
        PetscScalar flow;
        to.i += steps[k][0];
        to.j += steps[k][1];
        to.k += steps[k][2];
        flow = (material + (to.i < n / 2 ? 1 : contrast)) / 2;
        values[0] += flow;
        if (to.i < 0 || to.j < 0 || to.k < 0 || to.i >= n || to.j >= n || to.k >= n)
            continue; /* u = 0 outside */
        columns[count] = to;
        values[count++] = -flow;
    }
    PetscCall(MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode FillPoisson(DM grid, Mat matrix, PetscReal contrast)
{
    DMDALocalInfo box;
    PetscFunctionBeginUser;
    PetscCall(DMDAGetLocalInfo(grid, &box));
    for (PetscInt k = box.zs; k < box.zs + box.zm; k++)
        for (PetscInt j = box.ys; j < box.ys + box.ym; j++)
            for (PetscInt i = box.xs; i < box.xs + box.xm; i++)
                PetscCall(
                    AddPoissonRow(matrix, (MatStencil){.k = k, .j = j, .i = i}, box.mx, contrast));
    PetscFunctionReturn(0);
}

/* Derivatives of the eight trilinear functions at a point of the unit cube. */
static void Gradients(const double *point, double (*gradient)[3])
{
    for (int corner = 0; corner < CORNERS; corner++) {
        double factor[3], slope[3];
        for (int d = 0; d < 3; d++) {
            int upper = corner >> d & 1;
            factor[d] = upper ? point[d] : 1 - point[d];
            slope[d] = upper ? 1 : -1;
        }
        gradient[corner][0] = slope[0] * factor[1] * factor[2];
        gradient[corner][1] = factor[0] * slope[1] * factor[2];
        gradient[corner][2] = factor[0] * factor[1] * slope[2];
    }
}

/* The stiffness of an element of unit size: lambda*div(u)*div(v) + 2*mu*e(u):e(v), integrated by
 * two Gauss points a direction. */
static void ElementStiffness(double stiffness[UNKNOWNS][UNKNOWNS])
{
    const double lambda = 0.6, mu = 0.4, at[2] = {0.5 - sqrt(1. / 12), 0.5 + sqrt(1. / 12)};
    for (int q = 0; q < UNKNOWNS * UNKNOWNS; q++)
        stiffness[q / UNKNOWNS][q % UNKNOWNS] = 0;
    for (int q = 0; q < 8; q++) {
        double g[CORNERS][3], point[3] = {at[q & 1], at[q >> 1 & 1], at[q >> 2]};
        Gradients(point, g);
        for (int row = 0; row < UNKNOWNS; row++)
            for (int col = 0; col < UNKNOWNS; col++) {
                int a = row / 3, b = col / 3, i = row % 3, j = col % 3;
                double same = 0;
                for (int d = 0; i == j && d < 3; d++)
                    same += g[a][d] * g[b][d];
                stiffness[row][col] +=
                    (lambda * g[a][i] * g[b][j] + mu * (g[a][j] * g[b][i] + same)) / 8;
            }
    }
}

/* Nodes of the side x = 0 are held: their rows and columns are those of the identity. */
static PetscErrorCode AddElement(Mat matrix, MatStencil first,
                                 const double stiffness[UNKNOWNS][UNKNOWNS], double material)
{
    MatStencil places[UNKNOWNS];
    PetscScalar values[UNKNOWNS * UNKNOWNS];
    PetscFunctionBeginUser;
    for (int u = 0; u < UNKNOWNS; u++) {
        int corner = u / 3;
        places[u] = (MatStencil){.i = first.i + (corner & 1),
                                 .j = first.j + (corner >> 1 & 1),
                                 .k = first.k + (corner >> 2),
                                 .c = u % 3};
    }
    for (int row = 0; row < UNKNOWNS; row++)
        for (int col = 0; col < UNKNOWNS; col++) {
            PetscBool held = (PetscBool)(places[row].i == 0 || places[col].i == 0);
            double value = held ? (row == col ? 0.25 : 0) : material * stiffness[row][col];
            values[row * UNKNOWNS + col] = value;
        }
    PetscCall(MatSetValuesStencil(matrix, UNKNOWNS, places, UNKNOWNS, places, values, ADD_VALUES));
    PetscFunctionReturn(0);
}

static PetscErrorCode FillElasticity(DM grid, Mat matrix, PetscReal contrast)
{
    double stiffness[UNKNOWNS][UNKNOWNS];
    PetscInt xs, ys, zs, xm, ym, zm, n;
    MatNullSpace motions;
    Vec coordinates;
    PetscFunctionBeginUser;
    PetscCall(DMDAGetInfo(grid, NULL, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                          NULL, NULL));
    ElementStiffness(stiffness);
    PetscCall(MatZeroEntries(matrix));
    PetscCall(DMDAGetElementsCorners(grid, &xs, &ys, &zs));
    PetscCall(DMDAGetElementsSizes(grid, &xm, &ym, &zm));
    for (PetscInt k = zs; k < zs + zm; k++)
        for (PetscInt j = ys; j < ys + ym; j++)
            for (PetscInt i = xs; i < xs + xm; i++)
                PetscCall(AddElement(matrix, (MatStencil){.k = k, .j = j, .i = i}, stiffness,
                                     i < n / 2 ? 1 : contrast));
    /* The six rigid motions: GAMG builds coarse unknowns of them. */
    PetscCall(DMGetCoordinates(grid, &coordinates));
    PetscCall(MatNullSpaceCreateRigidBody(coordinates, &motions));
    PetscCall(MatSetNearNullSpace(matrix, motions));
    PetscCall(MatNullSpaceDestroy(&motions));
    PetscFunctionReturn(0);
}

PetscErrorCode FillProblem(PetscBool elasticity, DM grid, Mat matrix, PetscReal contrast)
{
    PetscFunctionBeginUser;
    if (elasticity)
        PetscCall(FillElasticity(grid, matrix, contrast));
    else
        PetscCall(FillPoisson(grid, matrix, contrast));
    PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(matrix, MAT_SPD, PETSC_TRUE)); /* which assembly forgets */
    PetscFunctionReturn(0);
}
