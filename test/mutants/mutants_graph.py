# SPDX-License-Identifier: Apache-2.0
"""Planted faults in algorithms on graphs."""

GRAPH = [
    ("a search takes the first parent that a thread offers", "src/graph/bfs.c",
     "    while (u < old)\n", "    while (old == NONE)\n", ["graph/test_bfs"]),
    ("a search upwards forgets that a level counts", "src/graph/bfs.c",
     "    int64_t found = 0;\n    s->level++;\n", "    int64_t found = 0;\n", ["graph/test_bfs"]),
    ("of repeated edges the last weight counts", "src/graph/adjacency.c",
     "if (!(weight < other) && weight == weight)", "if (false)", ["graph/test_bfs"]),
    ("an edge that has its opposite is named", "src/graph/adjacency.c",
     "g->from = passed_over ? v : u;", "g->from = u;", ["graph/test_bfs"]),
]
