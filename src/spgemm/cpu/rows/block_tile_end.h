/* SPDX-License-Identifier: Apache-2.0 */
/* block_tile_end.h: the end of what block_tile.h begins. */
#undef RUN
#undef RUN_
#undef RUN__
#undef RUN_LANES
