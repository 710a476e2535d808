// SPDX-License-Identifier: Apache-2.0

#include <CRoostBenchLimit.h>
#include <sqlite3.h>
#include <stdlib.h>

// The leanest queue that survives a loss of power: one row in one transaction, synced.

struct roost_queue {
    sqlite3 *db;
    sqlite3_stmt *insert;
};

roost_queue *roost_queue_open(const char *path) {
    roost_queue *queue = calloc(1, sizeof *queue);
    if (!queue) return NULL;
    const char *schema =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256;"
        "CREATE TABLE IF NOT EXISTS item (sequence INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE,"
        " channel TEXT NOT NULL, created_at INTEGER NOT NULL, payload BLOB NOT NULL) STRICT";
    const char *insert =
        "INSERT INTO item (request_id, channel, created_at, payload) VALUES (?1, ?2, ?3, ?4)";
    if (sqlite3_open(path, &queue->db) != SQLITE_OK ||
        sqlite3_exec(queue->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(queue->db, insert, -1, &queue->insert, NULL) != SQLITE_OK) {
        roost_queue_close(queue);
        return NULL;
    }
    return queue;
}

bool roost_queue_append(
    roost_queue *queue, const char *request_id, const char *channel, int64_t created_at,
    roost_bytes payload) {
    sqlite3_bind_text(queue->insert, 1, request_id, -1, SQLITE_STATIC);
    sqlite3_bind_text(queue->insert, 2, channel, -1, SQLITE_STATIC);
    sqlite3_bind_int64(queue->insert, 3, created_at);
    sqlite3_bind_blob(queue->insert, 4, payload.bytes, (int)payload.length, SQLITE_STATIC);
    int code = sqlite3_step(queue->insert);
    sqlite3_reset(queue->insert);
    return code == SQLITE_DONE;
}

void roost_queue_close(roost_queue *queue) {
    if (!queue) return;
    sqlite3_finalize(queue->insert);
    sqlite3_close(queue->db);
    free(queue);
}
