/* SPDX-License-Identifier: Apache-2.0 */
/* The families with their parameters, and the stand-ins made of them. */
#include "gen_job.h"

#include <math.h>

#define WHOLE(name, least, most)                                                                   \
    {                                                                                              \
        name, least, most, NAN, 1                                                                  \
    }
#define WHOLE_OR(name, least, most, value)                                                         \
    {                                                                                              \
        name, least, most, value, 1                                                                \
    }
#define SHARE(name, value)                                                                         \
    {                                                                                              \
        name, 0, 1, value, 0                                                                       \
    }
#define SIZE(name, least) WHOLE(name, least, INT32_MAX)
#define AGGREGATES                                                                                 \
    WHOLE_OR("size", 1, 1000, 3), WHOLE_OR("smooth", 0, 2, 1), WHOLE_OR("d", 1, 1000, 1)
#define BOX WHOLE_OR("d", 1, 1000, 1), SHARE("drop", 0), WHOLE_OR("shuffle", 0, 1, 0)

const gen_family gen_families[] = {
    {"box2d",
     "2D grid, 9 points, d unknowns a node; drop removes couplings, shuffle renumbers nodes",
     {SIZE("nx", 1), SIZE("ny", 1), BOX},
     gen_make_box2d},
    {"box3d",
     "3D grid, 27 points, d unknowns a node",
     {SIZE("nx", 1), SIZE("ny", 1), SIZE("nz", 1), BOX},
     gen_make_box3d},
    {"stencil5", "2D grid, 5 points", {SIZE("nx", 1), SIZE("ny", 1)}, gen_make_stencil5},
    {"stencil9", "2D grid, 9 points", {SIZE("nx", 1), SIZE("ny", 1)}, gen_make_stencil9},
    {"stencil7",
     "3D grid, 7 points",
     {SIZE("nx", 1), SIZE("ny", 1), SIZE("nz", 1)},
     gen_make_stencil7},
    {"stencil27",
     "3D grid, 27 points",
     {SIZE("nx", 1), SIZE("ny", 1), SIZE("nz", 1)},
     gen_make_stencil27},
    {"prolong2d",
     "unknowns of a 2D grid x those of aggregates of size^2 nodes; smooth: 0 plain, 1 by 5 points, "
     "2 by 9",
     {SIZE("nx", 1), SIZE("ny", 1), AGGREGATES},
     gen_make_prolong2d},
    {"prolong3d",
     "the same of a 3D grid, size^3 nodes, 7 and 27 points",
     {SIZE("nx", 1), SIZE("ny", 1), SIZE("nz", 1), AGGREGATES},
     gen_make_prolong3d},
    {"lattice",
     "4D periodic lattice of quantum chromodynamics: length^3 x time sites, 12 unknowns, 39 "
     "entries a row",
     {SIZE("length", 3), SIZE("time", 2)},
     gen_make_lattice},
    {"periodic",
     "grid coupled at -nx, -1, 0, nx-1 around the ends",
     {SIZE("nx", 3), SIZE("ny", 3)},
     gen_make_periodic},
    {"powerlaw",
     "row lengths Pareto; columns near the diagonal, by row length, to hubs, else any",
     {SIZE("rows", 1),
      WHOLE("entries", 1, 0x1p40),
      {"shape", 1.01, 100, 2, 0},
      WHOLE_OR("longest", 1, INT32_MAX, 1000),
      SHARE("near", 0),
      SHARE("long", 0),
      SHARE("hubs", 0)},
     gen_make_powerlaw},
    {"rmat",
     "symmetric R-MAT graph of so many drawn edges, quarters a, b, b, 1-a-2b",
     {SIZE("vertices", 2), WHOLE("edges", 0, 0x1p40), {"a", 0, 1, 0.57, 0}, {"b", 0, 0.5, 0.19, 0}},
     gen_make_rmat},
    {"random",
     "about mean uniformly random entries a row",
     {SIZE("rows", 0), SIZE("cols", 1), WHOLE("mean", 0, 4096)},
     gen_make_random},
    {"banded",
     "all of a band",
     {SIZE("rows", 1), SIZE("left", 0), SIZE("right", 0)},
     gen_make_banded},
    {"hypersparse",
     "so many rows with one entry, the others empty",
     {SIZE("rows", 1), SIZE("entries", 0)},
     gen_make_hypersparse},
    {"denserow", "diagonal and a dense first row", {SIZE("rows", 1)}, gen_make_denserow},
    {"densecolumn", "diagonal and a dense first column", {SIZE("rows", 1)}, gen_make_densecolumn},
    {"arrow", "diagonal, dense first row and column", {SIZE("rows", 1)}, gen_make_arrow},
    {"diagonal", "diagonal", {SIZE("rows", 1)}, gen_make_diagonal},
    {"empty", "no entries", {SIZE("rows", 0), SIZE("cols", 0)}, gen_make_empty},
    {0},
};

const gen_stand_in gen_stand_ins[] = {
    {"protein", "s3", "box3d:19,19,20,5,drop=0.02", 36100, 4301450, 530132500, 0},
    {"spheres", "s3", "box3d:30,30,31,3", 83700, 6342336, 490978800, 1},
    {"cantilever", "s3", "box3d:9,9,257,3", 62451, 4325625, 313454421, 1},
    {"windtunnel", "s3", "box2d:190,191,6", 217740, 11675808, 627544800, 1},
    {"harbor", "s3", "box2d:88,88,6,drop=0.05", 46464, 2361816, 121273632, 0},
    {"qcd", "s3", "lattice:8,8", 49152, 1916928, 74760192, 1},
    {"ship", "s3", "box2d:153,153,6", 140454, 7518564, 403636824, 1},
    {"economics", "s3", "powerlaw:206500,1320000,3.5,44,near=0.25", 206500, 1.32e6, 8.4e6, 0},
    {"epidemiology", "s3", "periodic:1025,513", 525825, 2103300, 8413200, 1},
    {"accelerator", "s3", "box3d:49,49,50,1,drop=0.15,shuffle=1", 120050, 2.66e6, 60e6, 0},
    {"circuit", "s3", "powerlaw:170998,980000,2.3,353,near=0.75,long=0.08", 170998, 0.98e6, 5.9e6,
     0},
    {"webbase", "s3", "powerlaw:1000005,3560000,1.55,4700,near=0.6,long=0.08,hubs=0.32", 1000005,
     3.56e6, 30e6, 0},
    {"arxiv", "s4", "rmat:169343,1166243,.50,.21", 169343, 2.30e6, 0, 0},
    {"collab", "s4", "rmat:235868,1285465,.45,.22", 235868, 2.57e6, 0, 0},
    {"citation", "s4", "rmat:2927963,30561187,.45,.22", 2927963, 61.2e6, 0, 0},
    {"ddi", "s4", "rmat:4267,1712000,.42,.22", 4267, 2.44e6, 0, 0},
    {"proteins", "s4", "rmat:132534,39561252,.40,.22", 132534, 77.8e6, 0, 0},
    {"ppa", "s4", "rmat:576289,21231931,.45,.22", 576289, 42.3e6, 0, 0},
    {"reddit", "s4", "rmat:232965,57307946,.45,.22", 232965, 110e6, 0, 0},
    {"products", "s4", "rmat:2449029,61859140,.48,.21", 2449029, 123e6, 0, 0},
    {"youtube", "s4", "rmat:1138499,2990443,.57,.19", 1138499, 5.94e6, 0, 0},
    {"amazon", "s4", "rmat:1569960,132169734,.50,.21", 1569960, 258e6, 0, 0},
    {"yelp", "s4", "rmat:716847,6977410,.45,.22", 716847, 14.0e6, 0, 0},
    {"wikikg2", "s4", "rmat:2500604,8571000,.57,.19", 2500604, 16.8e6, 0, 0},
    {"am", "s4", "rmat:881680,2834000,.60,.18", 881680, 5.38e6, 0, 0},
    {"grid2d5", "stencils", "stencil5:2000,2000", 4000000, 19992000, 99928008, 1},
    {"grid2d9", "stencils", "stencil9:1400,1400", 1960000, 17623204, 0, 1},
    {"grid3d7", "stencils", "stencil7:160,160,160", 4096000, 28518400, 0, 1},
    {"grid3d27", "stencils", "stencil27:128,128,128", 2097152, 55742968, 0, 1},
    {"rand16", "graphs", "random:2000000,2000000,16", 2000000, 32e6, 512e6, 0},
    {"rmat17", "graphs", "rmat:131072,2080000,.57,.19", 131072, 3.7e6, 0, 0},
    {"powerlaw20", "graphs", "powerlaw:1048576,8000000,2,10000,long=0.5", 1048576, 8e6, 0, 0},
    {0},
};
