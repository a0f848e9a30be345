/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_multigrid.h"

#include <stddef.h>

/* clang-format off */
const bench_hierarchy bench_multigrid[] = {
    {"grid2d5 plain", "stencil5:1000,1000", "prolong2d:1000,1000,3,smooth=0", 5e6},
    {"grid2d5 smoothed", "stencil5:1000,1000", "prolong2d:1000,1000,3,smooth=1", 12e6},
    {"grid2d9 smoothed", "stencil9:700,700", "prolong2d:700,700,3,smooth=2", 14e6},
    {"grid3d7 smoothed", "stencil7:90,90,90", "prolong3d:90,90,90,3,smooth=1", 24e6},
    {"grid3d27 plain", "stencil27:80,80,80", "prolong3d:80,80,80,3,smooth=0", 14e6},
    {"grid3d27 smoothed", "stencil27:80,80,80", "prolong3d:80,80,80,3,smooth=2", 80e6},
    {"elastic3d plain", "box3d:40,40,40,3", "prolong3d:40,40,40,3,smooth=0,d=3", 15e6},
    {"elastic3d smoothed", "box3d:40,40,40,3", "prolong3d:40,40,40,3,smooth=2,d=3", 220e6},
    {0},
};
/* clang-format on */

spl_status bench_galerkin(spl_context *context, const spl_sparse *a, const spl_sparse *p,
                          spl_matrix **r, spl_matrix **ap)
{
    spl_convert_options transposed = SPL_CONVERT_OPTIONS_INIT;
    spl_options on_cpu = SPL_OPTIONS_INIT;
    transposed.format = SPL_CSR;
    transposed.transpose = 1;
    on_cpu.processors = 1;
    *r = *ap = NULL;
    spl_status status = spl_convert(context, p, &transposed, r);
    return status == SPL_OK ? spl_spgemm(context, NULL, a, p, NULL, NULL, &on_cpu, ap) : status;
}
