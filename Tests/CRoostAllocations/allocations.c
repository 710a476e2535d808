/* SPDX-License-Identifier: Apache-2.0 */
#include "CRoostAllocations.h"

#include <stddef.h>
#include <stdlib.h>

static _Thread_local uint64_t count;

/* Linked into the tests only, where it stands before the C library's own and hands on to it.
   A sanitizer has put its own there. */
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define COUNTS true
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += 1;
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count += 1;
    return __libc_realloc(block, size);
}
#else
#define COUNTS false
#endif

bool roost_counts_allocations(void) { return COUNTS; }

uint64_t roost_allocation_count(void) { return count; }
