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
    ("trees of a component do not all meet", "src/graph/components.c",
     "        if (above == low)\n", "        if (above != high)\n", ["graph/test_components"]),
    ("directed graphs leave the largest component out", "src/graph/components.c",
     "f->g->undirected ? frequent_root(f) : -1", "frequent_root(f)", ["graph/test_components"]),
    ("ranks of vertices without edges are lost", "src/graph/pagerank.c",
     "return successors > 0 ? 0 : rank;", "return 0;", ["graph/test_pagerank"]),
    ("distances beyond the threshold wait with the near ones, for good", "src/graph/sssp.c",
     "    s->threshold = least + s->delta;\n", "    s->threshold = old + s->delta;\n", ["graph/test_sssp"]),
    ("a vertex followed once is not followed again", "src/graph/sssp.c",
     "        s->waits[u] &= (uint8_t)~NEAR;\n", "", ["graph/test_sssp"]),
    ("weights that are no numbers pass", "src/graph/sssp.c",
     "wrong |= !(weight_of(g, p) >= 0);", "wrong |= weight_of(g, p) < 0;", ["graph/test_sssp"]),
    ("marks of one vertex serve the next ones", "src/graph/vertex_triangles.c",
     "if (mark[c->to[q]] == u + 1) {", "if (mark[c->to[q]] > 0) {", ["graph/test_trusses"]),
    ("a truss drops weak edges once", "src/graph/ktruss.c",
     "while (status == SPL_OK && dropped)", "if (status == SPL_OK)", ["graph/test_trusses"]),
]
