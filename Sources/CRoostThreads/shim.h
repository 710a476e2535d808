// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_THREADS_SHIM_H
#define ROOST_THREADS_SHIM_H

#if defined(__APPLE__)
#include <pthread.h>
#else
#include <sys/prctl.h>
#endif

/* Names the calling thread for debuggers. Neither system's call imports into Swift everywhere. */
static inline void roost_thread_set_name(const char *name) {
#if defined(__APPLE__)
    pthread_setname_np(name);
#else
    prctl(PR_SET_NAME, name); /* The kernel keeps 15 bytes. */
#endif
}

#endif
