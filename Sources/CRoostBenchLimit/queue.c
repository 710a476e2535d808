// SPDX-License-Identifier: Apache-2.0

#include <CRoostBenchLimit.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

// The leanest queue that survives a loss of power: one row in one transaction, synced.

struct roost_queue {
    sqlite3 *db;
    sqlite3_stmt *insert;
    // What a thread of its own is asked and has answered, for roost_queue_append_there.
    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    enum { IDLE, ASKED, ANSWERED, CLOSING } state;
    const char *request_id, *channel;
    int64_t created_at;
    roost_bytes payload;
    bool is_done;
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

static void *serve(void *of) {
    roost_queue *queue = of;
    pthread_mutex_lock(&queue->lock);
    while (true) {
        while (queue->state != ASKED && queue->state != CLOSING)
            pthread_cond_wait(&queue->news, &queue->lock);
        if (queue->state == CLOSING) break;
        queue->is_done = roost_queue_append(
            queue, queue->request_id, queue->channel, queue->created_at, queue->payload);
        queue->state = ANSWERED;
        pthread_cond_signal(&queue->news);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

bool roost_queue_append_there(
    roost_queue *queue, const char *request_id, const char *channel, int64_t created_at,
    roost_bytes payload) {
    if (!queue->has_thread) {
        pthread_mutex_init(&queue->lock, NULL);
        pthread_cond_init(&queue->news, NULL);
        if (pthread_create(&queue->thread, NULL, serve, queue) != 0) return false;
        queue->has_thread = true;
    }
    pthread_mutex_lock(&queue->lock);
    queue->request_id = request_id;
    queue->channel = channel;
    queue->created_at = created_at;
    queue->payload = payload;
    queue->state = ASKED;
    pthread_cond_signal(&queue->news);
    while (queue->state != ANSWERED) pthread_cond_wait(&queue->news, &queue->lock);
    queue->state = IDLE;
    bool is_done = queue->is_done;
    pthread_mutex_unlock(&queue->lock);
    return is_done;
}

void roost_queue_close(roost_queue *queue) {
    if (!queue) return;
    if (queue->has_thread) {
        pthread_mutex_lock(&queue->lock);
        queue->state = CLOSING;
        pthread_cond_signal(&queue->news);
        pthread_mutex_unlock(&queue->lock);
        pthread_join(queue->thread, NULL);
    }
    sqlite3_finalize(queue->insert);
    sqlite3_close(queue->db);
    free(queue);
}
