// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_SQLITE_SHIM_H
#define ROOST_SQLITE_SHIM_H

#include <sqlite3.h>

/* Swift imports neither the cast macro nor variadic functions. */
static inline sqlite3_destructor_type roost_sqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
