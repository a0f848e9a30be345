/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_PARALLEL_H
#define TOOL_PARALLEL_H

/* How many threads the helper library and rivals that ask OpenMP use; 0 changes nothing. */
void tool_use_threads(int threads);

#endif
