# SPDX-License-Identifier: Apache-2.0
"""sparloom graph: every algorithm on graphs whose answers are known."""

import unittest

import harness
from harness import INPUT, RESOURCE, USAGE, data
from json_shapes import HEAD, INPUT_SHAPE

KARATE = data("karate.mtx.gz")
# 0 -> 1 -> 2 -> 0, 3 -> 4, 4 -> 3, 5 alone
DIRECTED = """%%MatrixMarket matrix coordinate real general
6 6 5
1 2 1
2 3 2
3 1 4
4 5 1
5 4 1
"""


class Graph(harness.ToolTest):
    def found(self, algorithm, file, *options, **shape):
        """The members of `graph` but for those that every algorithm has."""
        report = self.good_json("graph", algorithm, file, *options)
        expected = {"algorithm": str, "seconds": float, **shape}
        self.check_shape(report, dict(HEAD, inputs=[INPUT_SHAPE], graph=expected))
        self.assertEqual(report["graph"].pop("algorithm"), algorithm)
        report["graph"].pop("seconds")
        return report["graph"]

    def lines(self, algorithm, file, *options):
        """What -o writes, as lists of numbers."""
        self.good("graph", algorithm, file, "-q", "-o", self.path("out.txt"), *options)
        with open(self.path("out.txt")) as out:
            return [[float(field) for field in line.split()] for line in out]

    def directed(self):
        return self.write("directed.mtx", DIRECTED)

    def test_bfs(self):
        found = self.found("bfs", KARATE, "--source", 0, reached=int, levels=int)
        self.assertEqual(found, {"reached": 34, "levels": 3})
        found = self.found("bfs", self.directed(), "--source", 1, reached=int, levels=int)
        self.assertEqual(found, {"reached": 3, "levels": 2})
        lines = self.lines("bfs", self.directed(), "--source", 1)
        self.assertEqual(lines, [[2, 2], [0, 1], [1, 1], [-1, -1], [-1, -1], [-1, -1]])

    def test_device(self):
        for algorithm in ("bfs", "components", "colouring"):
            here = self.lines(algorithm, KARATE)
            self.assertEqual(self.lines(algorithm, KARATE, "--device", "emu"), here)

    def test_multi_bfs(self):
        shape = dict(sources=int, reached=int, levels=int, mean=float)
        found = self.found("multi-bfs", self.directed(), **shape)
        # 0, 1 and 2 reach each other in 0, 1 and 2 steps, 3 and 4 each other, 5 itself
        mean = found.pop("mean")
        self.assertEqual(found, {"sources": 6, "reached": 14, "levels": 2})
        self.assertAlmostEqual(mean, (3 * 3 + 2) / 14)
        found = self.found("multi-bfs", self.directed(), "--samples", 2, **shape)
        self.assertEqual((found["sources"], found["reached"]), (2, 5))
        lines = self.lines("multi-bfs", self.directed(), "--samples", 2)
        self.assertEqual(lines, [[1, 0], [1, 1], [1, 2], [1, 0], [1, 1], [0, 0]])

    def test_multi_sssp(self):
        shape = dict(sources=int, reached=int, distance=float, mean=float)
        found = self.found("multi-sssp", self.directed(), "--samples", 2, **shape)
        # from 0: 0, 1 and 3 to the circle's vertices; from 3: 0 and 1
        self.assertEqual(found, {"sources": 2, "reached": 5, "distance": 3, "mean": 1})
        lines = self.lines("multi-sssp", self.directed(), "--samples", 2, "--delta", 1)
        self.assertEqual(lines, [[1, 0], [1, 1], [1, 3], [1, 0], [1, 1], [0, 0]])

    def test_picture(self):
        picture = self.path("components.svg")
        self.good("graph", "components", self.directed(), "--plot", picture)
        with open(picture) as file:
            text = file.read()
        self.assertIn("Entries by component", text)
        colours = [text.count(colour) for colour in ("#0072b2", "#e69f00", "#009e73")]
        self.assertEqual(colours, [3, 2, 0])  # a square for each edge, in its component's colour
        self.bad(USAGE, "graph", "bfs", self.directed(), "--plot", picture)
        self.bad(USAGE, "graph", "components", self.directed(), "--plot", self.path("c.pdf"))

    def test_components(self):
        found = self.found("components", self.directed(), components=int, largest=int)
        self.assertEqual(found, {"components": 3, "largest": 3})
        lines = self.lines("components", self.directed())
        self.assertEqual(lines, [[0], [0], [0], [3], [3], [5]])

    def test_pagerank(self):
        shape = dict(steps=int, first=int, largest=float)
        found = self.found("pagerank", KARATE, "--tolerance", 1e-10, **shape)
        self.assertEqual(found["first"], 33)
        self.assertAlmostEqual(found["largest"], 0.1009, places=4)
        self.assertEqual(self.found("pagerank", KARATE, "--steps", 3, **shape)["steps"], 3)
        ranks = [line[0] for line in self.lines("pagerank", self.directed(), "--damping", 0)]
        self.assertEqual(ranks, [1 / 6] * 6)

    def test_sssp(self):
        found = self.found("sssp", self.directed(), "--source", 1, reached=int, distance=float)
        self.assertEqual(found, {"reached": 3, "distance": 6})
        lines = self.lines("sssp", self.directed(), "--source", 1, "--delta", 0.5)
        self.assertEqual(lines, [[6, 2], [0, 1], [2, 1]] + [[float("inf"), -1]] * 3)
        negative = self.write("negative.mtx", DIRECTED.replace("2 3 2", "2 3 -2"))
        self.assertIn("from 1 to 2", self.bad(USAGE, "graph", "sssp", negative))

    def test_triangles(self):
        found = self.found("triangles", KARATE, triangles=int, most=int)
        self.assertEqual(found, {"triangles": 45, "most": 18})
        lines = self.lines("triangles", KARATE)
        self.assertEqual(sum(line[0] for line in lines), 3 * 45)
        detail = self.bad(USAGE, "graph", "triangles", self.directed())
        self.assertIn("there is an edge from 0 to 1, none back", detail)

    def test_undirected(self):
        found = self.found("triangles", self.directed(), "--undirected", triangles=int, most=int)
        self.assertEqual(found, {"triangles": 1, "most": 1})
        self.found("colouring", self.directed(), "--undirected", colours=int)
        # the edge from 2 to 0 has the value 4, and is shorter by way of 1
        lines = self.lines("sssp", self.directed(), "--undirected")
        self.assertEqual([line[0] for line in lines[:3]], [0, 1, 3])
        heavy = self.write("both.mtx", DIRECTED.replace("6 6 5", "6 6 6") + "1 3 2\n")
        self.assertEqual(self.lines("sssp", heavy, "--undirected", "--source", 2)[0], [2, 2])
        oblong = self.bad(INPUT, "graph", "bfs", "gen:prolong2d:6,6", "--undirected")
        self.assertIn("a graph is square, this one is 36 x 4", oblong)

    def test_truss(self):
        self.assertEqual(self.found("truss", KARATE, edges=int), {"edges": 67})
        self.assertEqual(self.found("truss", KARATE, "--truss", 6, edges=int), {"edges": 0})
        self.good("graph", "truss", KARATE, "-q", "--truss", 5, "-o", self.path("truss.mtx"))
        rows, cols, entries = harness.read_coordinate(self.path("truss.mtx"))
        self.assertEqual((rows, cols), (34, 34))
        self.assertTrue(entries and all(value >= 3 for _, _, value in entries))

    def test_independence(self):
        members = self.found("independent-set", KARATE, members=int)["members"]
        lines = self.lines("independent-set", KARATE)
        self.assertEqual(sum(line[0] for line in lines), members)
        colours = self.found("colouring", KARATE, colours=int)["colours"]
        self.assertEqual(colours, 5)  # a clique of five needs as many
        lines = self.lines("colouring", KARATE)
        self.assertEqual(max(line[0] for line in lines) + 1, colours)
        for algorithm in ["independent-set", "colouring"]:
            detail = self.bad(USAGE, "graph", algorithm, self.directed())
            self.assertIn("there is an edge from 0 to 1, none back", detail)

    def test_betweenness(self):
        shape = dict(sources=int, first=int, largest=float)
        found = self.found("betweenness", KARATE, **shape)
        self.assertEqual((found["sources"], found["first"]), (34, 0))
        self.assertAlmostEqual(found["largest"], 2 * 231.0714286, places=5)
        found = self.found("betweenness", KARATE, "--samples", 2, **shape)
        self.assertEqual(found["sources"], 2)

    def test_text(self):
        text = self.good("graph", "bfs", KARATE)
        self.assertRegex(text, r"(?m)^bfs of .*karate.mtx.gz: 34 vertices, 156 entries$")
        self.assertRegex(text, r"(?m)^reached +34 ")

    def test_mistakes(self):
        self.assertIn('"bsf" is none of bfs', self.bad(USAGE, "graph", "bsf", KARATE))
        self.bad(USAGE, "graph", "bfs", KARATE, "--source", -1)
        message = self.bad(USAGE, "graph", "bfs", KARATE, "--damping", 0.5)
        self.assertIn('--damping does not apply to "graph bfs"', message)
        self.bad(USAGE, "graph", "bfs")
        message = self.bad(USAGE, "graph", "bfs", KARATE, "--source", 34)
        self.assertIn("source is 34, the graph has 34 vertices, from 0 on", message)
        self.bad(INPUT, "graph", "bfs", data("missing.mtx"))
        self.bad(RESOURCE, "graph", "bfs", KARATE, "-o", self.path("no/such/folder"))
        self.bad(RESOURCE, "graph", "bfs", "gen:box2d:300,300,1", "--budget", "1M")


if __name__ == "__main__":
    unittest.main()
