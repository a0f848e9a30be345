# SPDX-License-Identifier: Apache-2.0
"""Planted faults of the PETSc plug-in, as in mutants.py; run.py --petsc BUILD plants them. Tests
are commands in the folder of the plug-in's build."""

from typing import NamedTuple

PLUGIN = "-dll_append ./libsparloom_petsc.so"


class Command(NamedTuple):
    target: str
    words: list


def on_ranks(count, text):
    environment = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1"
    return f"env {environment} mpirun --oversubscribe -q -n {count} {text}"


COMMANDS = {
    test: Command(target, text.split())
    for test, target, text in (
        ("plans", "test_plans", f"./test_plans {PLUGIN} -mat_sparloom_plan_after 16"),
        ("mult", "test_mult", f"./test_mult {PLUGIN} -mat_sparloom_plan_after 16 -mat_sparloom_plan_transposed"),
        (
            "ranks",
            "test_ranks",
            on_ranks(2, f"./test_ranks {PLUGIN} -mat_sparloom_plan_after 4"),
        ),
        (
            "room",
            "test_mpi_triple",
            "timeout 60 " + on_ranks(2, f"./test_mpi_triple {PLUGIN} -expect_no_room"),
        ),
        ("triple", "test_mpi_triple", on_ranks(3, f"./test_mpi_triple {PLUGIN} -seed 7")),
        (
            "failure",
            "test_mpi_triple",
            "timeout 60 "
            + on_ranks(
                1,
                f"./test_mpi_triple {PLUGIN} -expect_failure -mat_sparloom_memory_budget 10k "
                f": -n 1 ./test_mpi_triple {PLUGIN} -expect_failure",
            ),
        ),
    )
}


def on_devices(count, arguments, condition):
    """What the view of a run on emulated devices must have."""
    run = f"./solve -steps 1 {PLUGIN} -sparloom -mat_sparloom_view {arguments}"
    return Command("solve", ["bash", "-c", f"{on_ranks(count, run)} | awk '{condition}'"])


COMMANDS |= {
    "dealt": on_devices(
        5,
        "-n 6 -mat_sparloom_device emu",
        '/ emu:0 emu:1 emu:2 emu:3 emu:0$/ { found = 1 } END { exit !found }',
    ),
    "device": on_devices(
        2, "-n 24 -mat_sparloom_device emu", '$1 == "device_plan" { n = $2 } END { exit !n }'
    ),
    "shared": on_devices(
        2,
        "-n 24 -mat_sparloom_device emu:0",
        '$1 == "device_plan" { n = $2; found = 1 } END { exit !found || n }',
    ),
}


def refused(kind, sentence):
    """PETSc, or Sparloom, of another kind: petsc/tests/other_kind.c."""
    run = f"OTHER_KIND={kind} LD_PRELOAD=./libother_kind.so ./test_plans {PLUGIN}"
    return Command("test_plans", ["bash", "-c", f"{run} 2>&1 | grep -q '{sentence}'"])


COMMANDS |= {
    "release": refused("release", "for PETSc .*, not for"),
    "integers": refused("integers", "for a PetscInt of"),
    "scalars": refused("scalars", "has complex or wider scalars"),
    "sparloom": refused("sparloom", "was loaded with 999.0.0"),
}

VIEW = "petsc/src/seq_view.c"
PLUGIN_START = "petsc/src/plugin.c"
PLAN = "petsc/src/seq_plan.c"
MULTIPLY = "petsc/src/seq_multiply.c"
PRODUCT = "petsc/src/seq_product.c"
MPI_PRODUCT = "petsc/src/mpi_product.c"
MPI_TYPE = "petsc/src/mpi_type.c"
TRIPLE = "petsc/src/mpi_triple.c"
TRIPLE_JOIN = "petsc/src/mpi_triple_join.c"
TRIPLE_STRUCTURE = "petsc/src/mpi_triple_structure.c"
PAIR = "petsc/src/mpi_pair.c"
MPI_BLOCKS = "petsc/src/mpi_blocks.c"
MPI_ROWS = "petsc/src/mpi_rows.c"
DEVICE = "petsc/src/device_share.c"

PETSC = [
    ("any release of PETSc will do", PLUGIN_START, "major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR", "1", ["release"]),
    ("integers of any size will do", PLUGIN_START, "PetscCheck(index == sizeof(PetscInt)", "PetscCheck(1", ["integers"]),
    ("any scalars will do", PLUGIN_START, "scalar == sizeof(double) && ", "", ["scalars"]),
    ("any Sparloom will do", PLUGIN_START, "strncmp(spl_version(), wanted, strlen(wanted)) == 0", "1", ["sparloom"]),
    ("new values of an operand go unseen", VIEW,
     "known->values == now->values && known->view.values == now->view.values", "1", ["plans"]),
    ("every call announces all values", VIEW,
     "known->values == now->values && known->view.values == now->view.values", "0", ["mult"]),
    ("structures of equal row lengths are taken for equal", VIEW,
     """    if (*same)
        PetscCall(PetscMemcmp(known->view.indices""",
     """    if (0)
        PetscCall(PetscMemcmp(known->view.indices""", ["plans"]),
    ("equal structures elsewhere are planned anew", VIEW,
     "*change = same ? OPERAND_MOVED : OPERAND_OTHER;", "*change = OPERAND_OTHER;", ["plans"]),
    ("a moved operand is held without a reference", VIEW,
     "PetscCall(PetscObjectReference((PetscObject)now->matrix));", "", ["plans"]),
    ("new values of P reach A*P alone", PLAN,
     "type != MATPRODUCT_ABC && views[1])", "type == MATPRODUCT_AB && views[1])", ["plans"]),
    ("of RAR' the second factor is not transposed", PLAN,
     "options.op_b = type == MATPRODUCT_RARt ? SPL_TRANSPOSE : SPL_NONE;", "", ["plans"]),
    ("triple products are planned as two", PLAN,
     "*made = (PetscBool)!options.method;", "*made = PETSC_FALSE;", ["plans"]),
    ("another structure of C is computed into the old one", PRODUCT,
     "PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,", "PetscCheck(1, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,",
     ["plans"]),
    ("a plan for another structure is kept", PRODUCT, "    if (!same)\n        PetscCall(Replan", "    if (0)\n        PetscCall(Replan", ["plans"]),
    ("MatMult keeps a plan's values", MULTIPLY,
     "    if (change == OPERAND_NEW_VALUES) {", "    if (0) {", ["mult"]),
    ("values that change every other call are announced", MULTIPLY,
     "kept->previous < UPDATE_PAYS &&", "0 &&", ["mult"]),
    ("values that come to stay are not announced", MULTIPLY,
     "&& kept->epoch <= UPDATE_PAYS", "", ["mult"]),
    ("a stale plan multiplies", MULTIPLY, "kept->stale ? NULL : kept->plan", "kept->plan", ["mult"]),
    ("matrices of all shapes are expected to be alike", MULTIPLY,
     "s->calls && s->rows == view->rows && s->cols == view->cols && s->nnz == view->nnz", "s->calls", ["mult"]),
    ("shapes are forgotten", MULTIPLY, "    RememberShape(&plans", "    if (0)\n        RememberShape(&plans", ["mult"]),
    ("large matrices wait for a copy", MULTIPLY, "return FAR_AFTER;", "return PETSC_MAX_INT;", ["mult"]),
    ("nodes wait as long as others", MULTIPLY, "? NODES_AFTER :", "? IN_PLACE_AFTER :", ["mult"]),
    ("others wait no longer than nodes", MULTIPLY, ": IN_PLACE_AFTER;", ": NODES_AFTER;", ["mult"]),
    ("matrices in caches have plans in place", MULTIPLY, "EntryBytes(&now->view) >= IN_PLACE)", "1)", ["mult"]),
    ("a few calls are waited for though more are expected", MULTIPLY, "expected >= IN_PLACE_PAYS", "0", ["mult"]),
    ("a copy comes at once where one in place would pay more", MULTIPLY, "in_place && !in_nodes ? PAYS_TWICE : PAYS", "PAYS", ["mult"]),
    ("copies are made though they are not wanted", MULTIPLY, "if (in_place && !choices.copy)", "if (0)", ["mult"]),
    ("a plan that reads in place stays", MULTIPLY, "kept->calls == kept->after ||", "(kept->calls == kept->after && !kept->plan) ||", ["mult"]),
    ("MatMultAdd adds to z in place of y", MULTIPLY, "if (y && y != z)", "if (0)", ["mult"]),
    ("transposes are planned unasked", MULTIPLY,
     "if (vector && transposed && !choices.transposed)", "if (0)", ["mult"]),
    ("dense products of other widths share a plan", MULTIPLY,
     "change == OPERAND_OTHER || kept->columns != columns", "change == OPERAND_OTHER", ["plans"]),
    ("the plan of A serves its transpose", MULTIPLY,
     "options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;", "", ["mult"]),
    ("A*B and A'*B with dense B are taken for each other", "petsc/src/seq_dense.c",
     "return Numeric(a, b, c, 1);", "return Numeric(a, b, c, 0);", ["plans"]),
    ("a converted matrix keeps functions of ours", "petsc/src/seq_type.c",
     """    PetscCall(PetscObjectComposeFunction(object, "MatSparloomGetTally_C", NULL));""", "", ["plans"]),
    ("backend forgets block sizes", MPI_PRODUCT, "    if (backend)\n", "    if (0)\n", ["ranks"]),
    ("rows of the result have block sizes of A's rows", MPI_PRODUCT,
     "rows = product->A->cmap->bs;", "rows = product->A->rmap->bs;", ["ranks"]),
    ("an algorithm that the user names is replaced", MPI_PRODUCT, "if (!known || !unnamed ||", "if (!known ||", ["ranks"]),
    ("backend serves matrices without nodes", MPI_PRODUCT, "all[0] >= 2 * all[1]", "all[0] >= all[1]", ["ranks"]),
    ("backend serves nothing", MPI_PRODUCT, "all[0] >= 2 * all[1]", "all[0] < all[1]", ["ranks"]),
    ("A'B does not look at B for nodes", MPI_PRODUCT,
     "product->type == MATPRODUCT_AtB ? product->B : product->A, wants", "product->C, wants", ["ranks"]),
    ("blocks of a copy stay PETSc's", MPI_TYPE, "if ((*copy)->preallocated)", "if (0)", ["ranks"]),
    ("blocks made in assembly stay PETSc's", MPI_TYPE, "if (mode == MAT_FINAL_ASSEMBLY)", "if (0)", ["ranks"]),
    ("a converted matrix over MPI chooses the algorithm as ours", MPI_TYPE,
     "matrix->ops->productsetfromoptions = mpi_base.productsetfromoptions;", "", ["ranks"]),
    ("every rank opens the first device", DEVICE, "before % (int)count", "0", ["dealt"]),
    ("there are as many devices as ranks", DEVICE, "before % (int)count", "before", ["dealt"]),
    ("ranks that share a device do not count", DEVICE, "device * (double)settings.sharing", "device", ["shared"]),
    ("ranks with other devices count", DEVICE, "strcmp(all + r * DEVICE_NAME, device) == 0", "1", ["device"]),
    ("options with a prefix are not read", "petsc/src/settings.c", "    if (prefix)", "    if (0)", ["plans"]),
    ("options with a prefix do not reach blocks", MPI_TYPE,
     "if (!((PetscObject)blocks[k])->prefix)", "if (0)", ["ranks"]),
    ("products of our type with dense matrices are not found", "petsc/src/base_names.c",
     "on ? AskUnderBaseNames : NULL;", "NULL;", ["ranks"]),
    ("P'AP over MPI is PETSc's", MPI_PRODUCT, "*wants = (PetscBool)(unnamed && !named &&", "*wants = (PetscBool)(0 && !named &&", ["triple"]),
    ("P'AP is ours though PETSc's options name an algorithm", MPI_PRODUCT, "unnamed && !named &&", "unnamed &&", ["triple"]),
    ("P'AP is ours though the program names an algorithm", MPI_PRODUCT, "(PetscBool)(unnamed && !named", "(PetscBool)(!named", ["triple"]),
    ("an error of one rank is not that of the others", TRIPLE_STRUCTURE, "    PetscCall(RaiseOnAll(comm, status));", "    PetscCall(status);", ["failure"]),
    ("new values of P on another rank go unseen", MPI_BLOCKS, "        MPI_Allreduce(&here, flags, 1, MPI_INT, MPI_BOR", "        MPI_Allreduce(&here, flags, 1, MPI_INT, MPI_BAND", ["triple"]),
    ("rows of P on other ranks are not read", TRIPLE, "        PetscCall(EndGather(t));", "        PetscCall(EndGather(t));\n        PetscCall(PetscArrayzero(t->edge_p.values + t->edge_p.offsets[t->edge_count], t->edge_p.offsets[t->edge_p.count] - t->edge_p.offsets[t->edge_count]));", ["triple"]),
    ("values at the edge are those of the first rows", TRIPLE_STRUCTURE, "t->p.values + t->p.offsets[t->edge_rows[e]];", "t->p.values + t->p.offsets[e];", ["triple"]),
    ("values of A at the edge are not announced", TRIPLE, "(PetscBool)(changes[A_OTHER] != OPERAND_SAME), new_p", "(PetscBool)(changes[A_OTHER] == OPERAND_OTHER), new_p", ["triple"]),
    ("outside rows add up from call to call", TRIPLE, "    PetscCall(PetscArrayzero(out->values, out->offsets[out->count]));\n", "", ["triple"]),
    ("contributions of other ranks are dropped", TRIPLE, "    AddOwn(&t->incoming, in->count, diagonal, other);\n", "", ["triple"]),
    ("of P'AP over MPI another structure is computed into the old one", MPI_BLOCKS, "PetscCheck(all,", "PetscCheck(1,", ["triple"]),
    ("products over MPI have no block sizes", MPI_BLOCKS, "    PetscCall(MatSetBlockSizes(result, rows->bs, columns->bs));\n", "", ["triple"]),
    ("incoming columns are not added to the others", TRIPLE_STRUCTURE, "if (t->columns.outside > old.outside)", "if (0)", ["triple"]),
    ("joined rows stay in the order of contributions", TRIPLE_JOIN, "    if (!sorted)", "    if (0)", ["triple"]),
    ("incoming rows of all ranks are in the order of arrival", TRIPLE_STRUCTURE, "slices[2 * order[s]] + k;", "slices[2 * s] + k;", ["triple"]),
    ("A*B of nodes over MPI is PETSc's", MPI_PRODUCT, "    PetscCall(HasNodes(product->A, wants));\n    if (!*wants)", "    *wants = PETSC_FALSE;\n    if (!*wants)", ["ranks"]),
    ("A*B without nodes over MPI is ours", MPI_PRODUCT, "    PetscCall(HasNodes(product->A, wants));\n    if (!*wants)", "    if (!*wants)", ["ranks"]),
    ("A*B of aggregates over MPI is PETSc's", MPI_PRODUCT, "        PetscCall(HasSingles(product->B, wants));", "        *wants = (PetscBool)(0 && HasSingles(product->B, wants));", ["ranks"]),
    ("A*B by interpolations over MPI is PETSc's", MPI_PRODUCT, " || IsNarrow(product->B))", " || (0 && IsNarrow(product->B)))", ["ranks"]),
    ("rows after those with own columns alone are left out of A*B", PAIR, "        i = end;\n", "        i = end - (end > i);\n", ["triple"]),
    ("values of rows with own columns alone are not joined", MPI_ROWS, "        to += own[end] - own[i];\n", "", ["triple"]),
    ("in A*B an error of one rank is not that of the others", PAIR, "    CallOnAll(comm, MakePlan(t, a));", "    PetscCall(MakePlan(t, a));", ["failure"]),
    ("a rank without room for rows of P leaves the others waiting", MPI_ROWS, "    CallOnAll(comm, JoinBlocks(p, order, own));", "    PetscCall(JoinBlocks(p, order, own));", ["room"]),
    ("a rank without room for C leaves the others waiting", TRIPLE_STRUCTURE, "    CallOnAll(comm, JoinOutgoing(t));", "    PetscCall(JoinOutgoing(t));", ["room"]),
    (
        "messages of A*B are not counted",
        PAIR,
        "        CountTraffic(&t->gathered);\n",
        "",
        ["triple"],
    ),
    ("columns before the own ones are taken for own ones", PAIR, "t->before[i] += c->columns[p] < t->columns.before;", "", ["triple"]),
    ("values of P on other ranks stay as A*B first saw them", PAIR, "        PetscCall(JoinValues(p, ORDER_BY_NAME, &t->p));\n        PetscCall(Exchange(t));", "        PetscCall(JoinValues(p, ORDER_BY_NAME, &t->p));", ["triple"]),
    ("A*B over MPI keeps a copy of A's first values", PAIR, "    if (new_a)\n        PetscCall(JoinValues", "    if (0)\n        PetscCall(JoinValues", ["triple"]),
    ("rows by name begin with own columns", MPI_ROWS, "    if (blocks->order == ORDER_BY_NAME)", "    if (0)", ["triple"]),
    ("columns that share a slot get one number", MPI_ROWS, "if (recent.name[slot] != name) {", "if (recent.name[slot] < 0) {", ["triple"]),
    ("a column whose slot is taken is not added", MPI_ROWS, "recent.name[name % SLOTS] == name)", "recent.name[name % SLOTS] >= 0)", ["triple"]),
]
