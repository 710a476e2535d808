/* SPDX-License-Identifier: Apache-2.0 */
#include "CRoostAllocations.h"

#include <stddef.h>
#include <stdlib.h>

static _Thread_local uint64_t count;

/* Linked into the tests only, where it stands before the C library's own malloc and hands on to it.
   A sanitizer has put its own there. */
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
extern void *__libc_malloc(size_t);

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}
#endif

uint64_t roost_allocation_count(void) { return count; }
