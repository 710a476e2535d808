// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_SQLITE_SHIM_H
#define ROOST_SQLITE_SHIM_H

#include <sqlite3.h>

/* Variadic functions do not import into Swift. The settings make SQLite stricter than its default:
   a misspelled name in double quotes is an error, not a text, SQL cannot corrupt the file, functions
   and virtual tables named by a foreign file are not run, and references are kept. */
static inline int roost_sqlite_harden(sqlite3 *db) {
    int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, (int *)0);
    if (code == SQLITE_OK) code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    return code;
}

/* Does without the library's sum of all memory it holds: each allocation takes a lock of the whole process for
   it, at which connections that are opened at once wait for each other. SQLite itself advises so, and Apple's is
   built so. Refused where somebody else has used the library before, whose choice then counts. */
static inline void roost_sqlite_count_no_memory(void) {
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
