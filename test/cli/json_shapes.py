# SPDX-License-Identifier: Apache-2.0
"""The shapes of doc/json.md, for check_shape of harness: members and their types."""

NUMBER = (float, None)
INPUT_SHAPE = {
    "name": str,
    "file": str,
    "rows": int,
    "cols": int,
    "nnz": int,
    "offset_bits": int,
    "index_bits": int,
    "read_seconds": float,
}
HEAD = {"sparloom": str, "command": str}
STEP = {
    "rows": str,
    "row_count": int,
    "phase": str,
    "method": str,
    "reason": str,
    "seconds": float,
    "bytes": int,
    "threads": int,
}
CANDIDATE = {
    "step": int,
    "method": str,
    "applicable": bool,
    "chosen": bool,
    "reason": (str, None),
    "seconds": NUMBER,
    "measured": NUMBER,
    "bytes": int,
}
PART = {
    "processor": str,
    "rows": int,
    "work": int,
    "blocks": int,
    "predicted_transfer": float,
    "predicted_execution": float,
    "transfer": float,
    "execution": float,
}
PLAN = dict(
    HEAD,
    operation=str,
    device=str,
    threads=int,
    policy=str,
    type=str,
    transpose_a=bool,
    transpose_b=bool,
    semiring=str,
    complement=bool,
    mask_pattern=str,
    columns=(int, None),
    inputs=[INPUT_SHAPE],
    parts=[PART],
    chosen=[STEP],
    candidates=[CANDIDATE],
    features=dict,
    memory={
        "live": int,
        "peak": int,
        "plan_live": int,
        "plan_peak": int,
        "device_live": (int, None),
        "device_peak": (int, None),
        "budget": (int, None),
    },
    counters={
        "executions": int,
        "allocations": int,
        "launches": int,
        "synchronisations": int,
        "fetched": int,
    },
)
VERIFY = {
    "ok": (bool, None),
    "reason": (str, None),
    "compared": int,
    "failed": int,
    "undecided": int,
    "worst_row": int,
    "worst_col": int,
    "worst_ratio": NUMBER,
}
EXECUTE = {"first": float, "median": float, "q1": float, "q3": float, "runs": int}
PRODUCT = dict(
    PLAN,
    alpha=NUMBER,
    beta=NUMBER,
    seconds={"plan": float, "execute": EXECUTE, "cold": float},
    flop=float,
    gflops=float,
    bytes=NUMBER,
    gbytes_per_second=NUMBER,
    result={
        "rows": int,
        "cols": int,
        "nnz": (int, None),
        "compression": NUMBER,
        "norm": NUMBER,
        "checksum": str,
    },
)
DESCRIPTION = {
    "rows": int,
    "cols": int,
    "nnz": int,
    "density": float,
    "mean_row": float,
    "row_deviation": float,
    "longest_row": int,
    "empty_rows": int,
    "duplicates": int,
    "unsorted_rows": int,
    "pattern_symmetric": bool,
    "value_symmetric": bool,
    "bandwidth": int,
    "products": int,
    "block_size": int,
    "distinct_values": int,
    "value_bytes": float,
    "holed_block_size": int,
    "block_fill": float,
}


STORAGE = dict(
    {name: (int, None) for name in ["coo", "csr", "ell", "rvs", "sliced_ell"]},
    ell_density=float,
    rvs_density=float,
    sliced_ell_density=float,
    ell_compute_density=float,
    rvs_compute_density=float,
)
SET = {"length": int, "rows": int}


def products_of_square(entries):
    lengths = {}
    for i, _, _ in entries:
        lengths[i] = lengths.get(i, 0) + 1
    return sum(lengths.get(j, 0) for _, j, _ in entries)
