# SPDX-License-Identifier: Apache-2.0
"""Planted faults of code that is built for AVX-512 only: in a tree of its own; see mutants.py."""

MASKS = "src/spgemm/triple/triple_spread_rows.c"
SPREAD = "src/spgemm/triple/triple_spread_values.c"

WIDE = [
    ("a mask of A*P has the places of its last word", MASKS,
     "places |= _pext_u64", "places = _pext_u64", ["spgemm/test_triple_spread"]),
    ("places of a long row of A*P end with the 64 columns in which they begin", MASKS,
     "|= places >> 1 >> (WORD - 1 - before % WORD);", "|= 0 * places;", ["spgemm/test_triple_spread"]),
    ("columns of A*P in words before are not counted", MASKS,
     "before = there ? (int32_t)length : before;", "before = 0;", ["spgemm/test_triple_spread"]),
    ("a mask takes eight entries of a packed row, however many lanes it has", SPREAD,
     "from += __builtin_popcount(masks[w]);", "from += LANES;", ["spgemm/test_triple_spread"]),
    ("the next 64 columns take the first entries of packed rows", SPREAD,
     "taken[t] += (int32_t)(from - begin);", "taken[t] += 0 * (int32_t)(from - begin);", ["spgemm/test_triple_spread"]),
    ("words 128 beyond the first of a row of A*P are taken to be near", MASKS,
     "_mm_testz_si128(far, _mm_set1_epi32(~(2 * WORD - 1)))", "true", ["spgemm/test_triple_spread"]),
    ("words 64 beyond the first of a row of A*P are lost", MASKS,
     "FN(any_of)(near), FN(any_of)(next)", "FN(any_of)(near), 0 * FN(any_of)(next)", ["spgemm/test_triple_spread"]),
]
