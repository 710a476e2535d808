// SPDX-License-Identifier: Apache-2.0
//
// Eviction writes the remaining rows to a new file and swaps the two: deleting rows and giving their pages
// back takes four times as long.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "limit.h"

bool limit_reconnect(roost_limit *limit, bool (*between)(roost_limit *));

static char *beside(const roost_limit *limit, const char *ending) {
    size_t length = strlen(limit->path) + strlen(ending) + 1;
    char *path = malloc(length);
    if (path) snprintf(path, length, "%s%s", limit->path, ending);
    return path;
}

static int64_t number_of(roost_limit *limit, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(limit->db, sql, -1, &statement, NULL) != SQLITE_OK) return -1;
    int64_t number = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return number;
}

/* The size of a message in its index, which is made when all messages are copied. */
enum { INDEX_BYTES = 20 };

/* The size of the new file, its later index included. */
static int64_t kept_bytes(roost_limit *limit, int64_t messages) {
    int64_t pages = number_of(limit, "PRAGMA kept.page_count");
    return pages * limit->options.page_size + messages * INDEX_BYTES;
}

/* Bulk loading merges no segments on the way; one flush replaces many. */
static bool prepare_words(roost_limit *limit) {
    return !limit->options.has_search
        || limit_script(limit, "INSERT INTO kept.words (words, rank) VALUES ('automerge', 0);"
                               "INSERT INTO kept.words (words, rank) VALUES ('hashsize', 16777216)");
}

static bool settle_words(roost_limit *limit) {
    return !limit->options.has_search
        || limit_script(limit, "INSERT INTO kept.words (words, rank) VALUES ('automerge', 8);"
                               "INSERT INTO kept.words (words, rank) VALUES ('hashsize', 1048576)");
}

static bool copy_words(roost_limit *limit, int32_t channel) {
    sqlite3_stmt *from, *to;
    if (sqlite3_prepare_v2(
            limit->db, "SELECT id, payload FROM message WHERE channel = ?1", -1, &from, NULL)
        != SQLITE_OK)
        return false;
    if (sqlite3_prepare_v2(
            limit->db, "INSERT INTO kept.words (rowid, text) VALUES (?1, ?2)", -1, &to, NULL)
        != SQLITE_OK) {
        sqlite3_finalize(from);
        return false;
    }
    bool succeeded = true;
    sqlite3_bind_int(from, 1, channel);
    while (succeeded && sqlite3_step(from) == SQLITE_ROW) {
        size_t length;
        const uint8_t *text = limit_text_of(
            limit, sqlite3_column_blob(from, 1), (size_t)sqlite3_column_bytes(from, 1), &length);
        if (length == 0) continue;
        size_t searchable = limit_searchable(limit, text, length);
        sqlite3_bind_int64(to, 1, sqlite3_column_int64(from, 0));
        sqlite3_bind_text(to, 2, (const char *)limit->text, (int)searchable, SQLITE_STATIC);
        succeeded = limit_run(limit, to, "copy words");
    }
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return succeeded;
}

/* Copies whole channels, last used first, while they fit. The size of a message in the new file is
   measured on the messages copied so far: it is less than in the old file, which grew at random. */
static bool copy_messages(roost_limit *limit, int64_t target_bytes) {
    sqlite3_stmt *channels, *copy;
    const char *const copying = "INSERT INTO kept.message SELECT * FROM message WHERE channel = ?1"
                                " ORDER BY channel, created_at, id";
    if (sqlite3_prepare_v2(
            limit->db, "SELECT id, message_count FROM channel ORDER BY id DESC", -1, &channels, NULL)
        != SQLITE_OK)
        return false;
    if (sqlite3_prepare_v2(limit->db, copying, -1, &copy, NULL) != SQLITE_OK) {
        sqlite3_finalize(channels);
        return false;
    }
    bool succeeded = true;
    int64_t messages = 0, empty = kept_bytes(limit, 0);
    double each = 0;
    while (succeeded && sqlite3_step(channels) == SQLITE_ROW) {
        int32_t channel = sqlite3_column_int(channels, 0);
        int64_t count = sqlite3_column_int64(channels, 1);
        int64_t bytes = kept_bytes(limit, messages);
        if (messages > 0) each = (double)(bytes - empty) / (double)messages;
        if ((double)bytes + (double)count * each > (double)target_bytes) continue;
        messages += count;
        sqlite3_bind_int(copy, 1, channel);
        succeeded = limit_run(limit, copy, "copy a channel");
        if (succeeded && limit->options.has_search) succeeded = copy_words(limit, channel);
    }
    sqlite3_finalize(copy);
    sqlite3_finalize(channels);
    return succeeded;
}

static bool swap_files(roost_limit *limit) {
    char *kept = beside(limit, "-kept");
    if (!kept) return false;
    int file = open(kept, O_RDWR);
    bool swapped = file >= 0 && fsync(file) == 0 && rename(kept, limit->path) == 0;
    if (file >= 0) close(file);
    char *slash = strrchr(kept, '/');
    if (swapped && slash) {
        *slash = 0;
        int folder = open(kept, O_RDONLY);
        swapped = folder >= 0 && fsync(folder) == 0;
        if (folder >= 0) close(folder);
    }
    free(kept);
    return swapped;
}

int roost_limit_evict(roost_limit *limit, int64_t target_bytes) {
    char *kept = beside(limit, "-kept");
    if (!kept) return -1;
    remove(kept);
    /* The new file gets its schema from the same code, and no index until it is full. */
    roost_limit *empty = roost_limit_open(kept, limit->options);
    bool succeeded = empty && limit_script(empty, "DROP INDEX message_by_id")
        && limit_script(empty, "PRAGMA journal_mode = OFF");
    roost_limit_close(empty);
    char sql[4096];
    snprintf(sql, sizeof sql, "ATTACH '%s' AS kept; PRAGMA kept.journal_mode = OFF;"
             " PRAGMA kept.synchronous = OFF; PRAGMA kept.cache_size = -%d", kept,
             limit->options.cache_kib);
    free(kept);
    succeeded = succeeded && limit_script(limit, sql) && limit_script(limit, "BEGIN IMMEDIATE")
        && limit_script(limit, "INSERT INTO kept.user SELECT * FROM user;"
                               "INSERT INTO kept.channel SELECT * FROM channel")
        && prepare_words(limit) && copy_messages(limit, target_bytes) && settle_words(limit)
        && limit_script(limit, "CREATE UNIQUE INDEX kept.message_by_id ON message (id);"
                               "UPDATE kept.channel SET message_count = 0, covered_from ="
                               " 9223372036854775807 WHERE NOT EXISTS (SELECT 1 FROM kept.message"
                               " WHERE channel = kept.channel.id); COMMIT; DETACH kept");
    if (!succeeded) return -1;
    return limit_reconnect(limit, swap_files) ? 0 : limit_fail(limit, "swap the files");
}
