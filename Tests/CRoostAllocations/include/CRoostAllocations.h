/* SPDX-License-Identifier: Apache-2.0
 *
 * How many blocks of memory a thread has asked for: what work costs, on a machine of whatever load.
 */
#ifndef ROOST_ALLOCATIONS_H
#define ROOST_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether anything is counted. */
bool roost_counts_allocations(void);

/* Calls of malloc, calloc and realloc by this thread until now; always 0 where nothing is counted. */
uint64_t roost_allocation_count(void);

#endif
