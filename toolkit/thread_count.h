/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_THREAD_COUNT_H
#define TOOL_THREAD_COUNT_H

/* How many threads the helper library and rivals that ask OpenMP use; 0 changes nothing. */
void tool_use_threads(int threads);

#endif
