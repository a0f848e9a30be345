/* SPDX-License-Identifier: Apache-2.0 */
/* The set "unseen": matrices on which choices are judged. No coefficient of the cost model was
 * fitted to any of them, and none may be. All are small, so that every method can be timed on all
 * of them in minutes; sizes go from what fits a cache to what does not. */
#include "gen.h"

const char *const gen_unseen[] = {
    /* meshes, one unknown */
    "stencil5:90,110", "stencil5:410,390", "stencil5:1100,240", "stencil9:75,130",
    "stencil9:330,350", "stencil7:21,23,25", "stencil7:61,57,53", "stencil27:15,17,19",
    "stencil27:37,35,41", "box2d:260,310,1,drop=0.3", "box3d:31,29,33,1,drop=0.4,shuffle=1",
    "box2d:150,170,1,shuffle=1", "periodic:210,150", "periodic:900,410",
    /* meshes, several unknowns a node */
    "box2d:47,53,2", "box2d:120,97,3", "box2d:61,67,4,drop=0.1", "box2d:50,41,5",
    "box2d:37,44,6,shuffle=1", "box3d:11,12,13,2", "box3d:14,13,12,3", "box3d:9,10,11,4,drop=0.2",
    "box3d:8,9,10,6", "box3d:13,11,9,3,shuffle=1", "box2d:33,34,7", "lattice:4,6",
    /* graphs */
    "rmat:3000,21000,.57,.19", "rmat:16384,120000,.55,.20", "rmat:40000,300000,.48,.22",
    "rmat:90000,350000,.59,.18", "rmat:120000,900000,.42,.22", "rmat:6000,400000,.45,.22",
    "rmat:250000,600000,.50,.21", "rmat:2048,150000,.40,.22",
    "powerlaw:30000,150000,1.6,900,near=0.5,long=0.1,hubs=0.2",
    "powerlaw:90000,400000,1.8,2500,near=0.3,long=0.3", "powerlaw:200000,900000,2.2,300,near=0.7",
    "powerlaw:60000,700000,2.6,200,near=0.2,long=0.05",
    "powerlaw:15000,220000,1.5,6000,long=0.4,hubs=0.1", "powerlaw:350000,1000000,3.1,60,near=0.85",
    "powerlaw:120000,500000,1.45,12000,near=0.6,hubs=0.3", "powerlaw:8000,90000,2,400,long=0.6",
    /* no structure */
    "random:4000,4000,3", "random:30000,30000,7", "random:150000,150000,4", "random:60000,60000,24",
    "random:9000,9000,60", "random:500000,500000,2", "random:2500,2500,120", "random:90000,2000,9",
    "random:1500,120000,90",
    /* bands and shapes that are hard for someone */
    "banded:20000,3,3", "banded:60000,0,11", "banded:9000,40,25", "banded:200000,1,1",
    "banded:2500,120,130", "diagonal:350000", "hypersparse:400000,30000", "hypersparse:60000,20000",
    "denserow:40000", "densecolumn:50000", "arrow:3000", "random:700,900,30", "stencil5:31,29",
    "box3d:5,6,7,3", "rmat:500,6000,.57,.19", "banded:700,5,5", NULL};
