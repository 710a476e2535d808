// SPDX-License-Identifier: Apache-2.0

#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// MARK: - Failing

int limit_fail(roost_limit *limit, const char *what) {
    snprintf(limit->error, sizeof limit->error, "%s: %s", what,
             limit->db ? sqlite3_errmsg(limit->db) : "not open");
    return -1;
}

const char *roost_limit_error(const roost_limit *limit) { return limit->error; }
const char *roost_limit_sqlite_version(void) { return sqlite3_libversion(); }

bool limit_script(roost_limit *limit, const char *sql) {
    if (sqlite3_exec(limit->db, sql, NULL, NULL, NULL) == SQLITE_OK) return true;
    limit_fail(limit, sql);
    return false;
}

bool limit_run(roost_limit *limit, sqlite3_stmt *statement, const char *what) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_DONE && code != SQLITE_ROW) limit_fail(limit, what);
    sqlite3_reset(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

bool limit_reserve(uint8_t **bytes, size_t *capacity, size_t wanted) {
    if (wanted <= *capacity) return true;
    uint8_t *larger = realloc(*bytes, wanted * 2);
    if (!larger) return false;
    *bytes = larger;
    *capacity = wanted * 2;
    return true;
}

// MARK: - Statements

/* Rows in order of arrival find a message by its ID through an index that holds the row's number. */
static const char *sql_of(const roost_limit *limit, int which) {
    bool extra = limit->options.sender_index;
    switch (which) {
    case BEGIN: return "BEGIN IMMEDIATE";
    case COMMIT: return "COMMIT";
    case ROLLBACK: return "ROLLBACK";
    case FIND_USER: return "SELECT id FROM user WHERE user_id = ?1";
    case LOAD_USER: return "SELECT user_id, nickname, profile_url, metadata, hash FROM user WHERE id = ?1";
    case ADD_USER:
        return "INSERT INTO user (user_id, nickname, profile_url, metadata, hash)"
               " VALUES (?1, ?2, ?3, ?4, ?5)";
    case CHANGE_USER:
        return "UPDATE user SET nickname = ?2, profile_url = ?3, metadata = ?4, hash = ?5"
               " WHERE user_id = ?1";
    case FIND_CHANNEL: return "SELECT id FROM channel WHERE url = ?1";
    case ADD_CHANNEL: return "INSERT INTO channel (url) VALUES (?1)";
    case CHANGE_CHANNEL: return "UPDATE channel SET last_at = ?2, payload = ?3 WHERE id = ?1";
    case COVER:
        return "UPDATE channel SET covered_from = min(covered_from, ?2),"
               " message_count = message_count + ?3 WHERE id = ?1";
    case SET_TOKEN:
        return "UPDATE channel SET token = ?2, message_count = message_count + ?3 WHERE id = ?1";
    case LIST_CHANNELS:
        return "SELECT url, payload FROM channel WHERE last_at > 0 ORDER BY last_at DESC LIMIT ?1";
    case INSERT:
        return extra ? "INSERT INTO message (channel, created_at, id, payload, sender)"
                       " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING"
                     : "INSERT INTO message (channel, created_at, id, payload)"
                       " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    /* The key names at most one row, and a change of one row needs no savepoint, at which the index
       of words would be flushed. */
    case UPDATE:
        return limit->options.by_arrival
            ? "UPDATE message SET payload = ?4 WHERE channel = ?1 AND created_at = ?2 AND id = ?3"
            : "UPDATE message INDEXED BY sqlite_autoindex_message_1 SET payload = ?4"
              " WHERE channel = ?1 AND created_at = ?2 AND id = ?3";
    case PLACE_OF: return "SELECT channel, created_at FROM message WHERE id = ?1";
    case REMOVE:
        return limit->options.by_arrival
            ? "DELETE FROM message WHERE channel = ?1 AND created_at = ?2 AND id = ?3"
            : "DELETE FROM message INDEXED BY sqlite_autoindex_message_1"
              " WHERE channel = ?1 AND created_at = ?2 AND id = ?3";
    case OLD_PAYLOAD:
        return limit->options.by_arrival
            ? "SELECT payload FROM message WHERE channel = ?1 AND created_at = ?2 AND id = ?3"
            : "SELECT payload FROM message INDEXED BY sqlite_autoindex_message_1"
              " WHERE channel = ?1 AND created_at = ?2 AND id = ?3";
    case PAGE:
        return "SELECT created_at, id, payload FROM message WHERE channel = ?1 AND created_at < ?2"
               " ORDER BY created_at DESC, id DESC LIMIT ?3";
    case BY_ID: return "SELECT created_at, id, payload FROM message WHERE id = ?1";
    case INDEX_TEXT: return "INSERT INTO words (rowid, text) VALUES (?1, ?2)";
    case UNINDEX_TEXT: return "INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)";
    case SEARCH:
        return "SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT ?2";
    default: return "";
    }
}

sqlite3_stmt *limit_statement(roost_limit *limit, int which) {
    if (!limit->statement[which]
        && sqlite3_prepare_v3(limit->db, sql_of(limit, which), -1, SQLITE_PREPARE_PERSISTENT,
                              &limit->statement[which], NULL) != SQLITE_OK)
        limit_fail(limit, sql_of(limit, which));
    return limit->statement[which];
}

// MARK: - Opening

roost_limit_options roost_limit_standard(void) {
    return (roost_limit_options){.page_size = 4096, .cache_kib = 8192, .checkpoint_pages = 1000};
}

static bool make_schema(roost_limit *limit) {
    const roost_limit_options *options = &limit->options;
    char sql[1024];
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE user (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE,"
        " nickname TEXT, profile_url TEXT, metadata TEXT, hash INTEGER);"
        "CREATE TABLE channel (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE,"
        " last_at INTEGER DEFAULT 0, covered_from INTEGER DEFAULT 9223372036854775807,"
        " message_count INTEGER DEFAULT 0, token TEXT, payload BLOB);"
        "CREATE INDEX channel_by_last ON channel (last_at DESC);"
        "CREATE TABLE message (channel INTEGER NOT NULL, created_at INTEGER NOT NULL,"
        " id INTEGER NOT NULL, payload BLOB NOT NULL%s%s;",
        options->sender_index ? ", sender INTEGER" : "",
        options->by_arrival ? "); CREATE UNIQUE INDEX message_by_place"
                              " ON message (channel, created_at, id)"
                            : ", PRIMARY KEY (channel, created_at, id)) WITHOUT ROWID");
    if (!limit_script(limit, sql)) return false;
    if (!limit_script(limit, "CREATE UNIQUE INDEX message_by_id ON message (id)"))
        return false;
    if (options->sender_index
        && !limit_script(limit, "CREATE INDEX message_by_sender"
                                " ON message (channel, sender)"))
        return false;
    return !options->has_search
        || limit_script(limit, "CREATE VIRTUAL TABLE words USING"
                               " fts5 (text, content='', columnsize=0);"
                               "INSERT INTO words (words, rank) VALUES ('automerge', 8)");
}

static bool connect(roost_limit *limit) {
    int code = sqlite3_open_v2(
        limit->path, &limit->db,
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code != SQLITE_OK) return false;
    sqlite3_busy_timeout(limit->db, 5000);
    char sql[512];
    snprintf(
        sql, sizeof sql,
        "PRAGMA page_size = %d; %s PRAGMA journal_mode = WAL; PRAGMA synchronous = %s;"
        " PRAGMA cache_size = -%d; PRAGMA wal_autocheckpoint = %d; PRAGMA temp_store = MEMORY;"
        " PRAGMA secure_delete = OFF; PRAGMA journal_size_limit = 16777216",
        limit->options.page_size,
        limit->options.auto_vacuum ? "PRAGMA auto_vacuum = INCREMENTAL;" : "",
        limit->options.waits_for_disk ? "FULL" : "NORMAL", limit->options.cache_kib,
        limit->options.checkpoint_pages);
    if (!limit_script(limit, sql)) return false;
    sqlite3_stmt *found;
    if (sqlite3_prepare_v2(limit->db, "SELECT 1 FROM sqlite_schema LIMIT 1", -1, &found, NULL)
        != SQLITE_OK)
        return false;
    bool is_new = sqlite3_step(found) == SQLITE_DONE;
    sqlite3_finalize(found);
    return !is_new || make_schema(limit);
}

roost_limit *roost_limit_open(const char *path, roost_limit_options options) {
    /* As in ours: no lock of the process for the sum of all memory. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
    roost_limit *limit = calloc(1, sizeof *limit);
    if (!limit) return NULL;
    limit->options = options;
    limit->path = strdup(path);
    if (limit->path && connect(limit)) return limit;
    roost_limit_close(limit);
    return NULL;
}

static void free_user(limit_user *user) {
    if (!user) return;
    free(user->id);
    free(user->nickname);
    free(user->profile_url);
    free(user->metadata);
    free(user);
}

static void free_names(names *table) {
    for (size_t i = 0; i < table->capacity; i++) free(table->names[i]);
    free(table->hashes);
    free(table->numbers);
    free(table->names);
    *table = (names){0};
}

bool limit_note_change(roost_limit *limit, limit_message *before, limit_message *after) {
    if (limit->change_count == limit->change_capacity) {
        size_t capacity = limit->change_capacity * 2 + 128;
        limit_change *larger = realloc(limit->changes, capacity * sizeof *larger);
        if (!larger) return false;
        limit->changes = larger;
        limit->change_capacity = capacity;
    }
    limit->changes[limit->change_count++] = (limit_change){before, after};
    return true;
}

void limit_forget_changes(roost_limit *limit) {
    for (size_t i = 0; i < limit->change_count; i++) {
        limit_free_message(limit->changes[i].before);
        limit_free_message(limit->changes[i].after);
    }
    limit->change_count = 0;
}

/* Closes the file and drops the caches for it. */
static void disconnect(roost_limit *limit) {
    limit_forget_changes(limit);
    for (int i = 0; i < STATEMENTS; i++) {
        sqlite3_finalize(limit->statement[i]);
        limit->statement[i] = NULL;
    }
    sqlite3_close(limit->db);
    limit->db = NULL;
    for (size_t i = 0; i < limit->user_capacity; i++) free_user(limit->users[i]);
    free(limit->users);
    limit->users = NULL;
    limit->user_capacity = 0;
    free_names(&limit->user_names);
    free_names(&limit->channel_names);
}

void roost_limit_close(roost_limit *limit) {
    if (!limit) return;
    disconnect(limit);
    free(limit->changes);
    free(limit->payload);
    free(limit->text);
    free(limit->path);
    free(limit);
}

bool limit_reconnect(roost_limit *limit, bool (*between)(roost_limit *)) {
    disconnect(limit);
    return between(limit) && connect(limit);
}

int roost_limit_checkpoint(roost_limit *limit) {
    return limit_script(limit, "PRAGMA wal_checkpoint(TRUNCATE)") ? 0 : -1;
}

int64_t roost_limit_file_bytes(const roost_limit *limit) {
    struct stat file;
    return stat(limit->path, &file) == 0 ? (int64_t)file.st_size : -1;
}

// MARK: - Interning

static uint64_t hash_of(const uint8_t *bytes, size_t length) {
    uint64_t hash = 0xCBF29CE484222325 ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * 0x9FB21C651E98DF25;
        hash ^= hash >> 32;
        bytes += 8;
        length -= 8;
    }
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x00000100000001B3;
    return hash ^ hash >> 29;
}

static size_t name_place(const names *table, uint64_t hash, const uint8_t *name, size_t length) {
    size_t at = hash & (table->capacity - 1);
    while (table->numbers[at]
           && (table->hashes[at] != hash || strlen(table->names[at]) != length
               || memcmp(table->names[at], name, length) != 0))
        at = (at + 1) & (table->capacity - 1);
    return at;
}

static int32_t name_number(const names *table, const uint8_t *name, size_t length) {
    if (!table->capacity) return 0;
    return table->numbers[name_place(table, hash_of(name, length), name, length)];
}

static bool name_keep(names *table, const uint8_t *name, size_t length, int32_t number) {
    if (table->count * 2 >= table->capacity) {
        names larger = {.capacity = table->capacity ? table->capacity * 2 : 512,
                        .count = table->count};
        larger.hashes = calloc(larger.capacity, sizeof *larger.hashes);
        larger.numbers = calloc(larger.capacity, sizeof *larger.numbers);
        larger.names = calloc(larger.capacity, sizeof *larger.names);
        if (!larger.hashes || !larger.numbers || !larger.names) return false;
        for (size_t i = 0; i < table->capacity; i++) {
            if (!table->numbers[i]) continue;
            size_t at = table->hashes[i] & (larger.capacity - 1);
            while (larger.numbers[at]) at = (at + 1) & (larger.capacity - 1);
            larger.hashes[at] = table->hashes[i];
            larger.numbers[at] = table->numbers[i];
            larger.names[at] = table->names[i];
        }
        free(table->hashes);
        free(table->numbers);
        free(table->names);
        *table = larger;
    }
    uint64_t hash = hash_of(name, length);
    size_t at = name_place(table, hash, name, length);
    table->hashes[at] = hash;
    table->numbers[at] = number;
    table->names[at] = strndup((const char *)name, length);
    table->count++;
    return table->names[at] != NULL;
}

/* Looks a name up in the table, or makes a row for it; 0 if both fail. */
static int32_t intern(roost_limit *limit, names *table, const uint8_t *name, size_t length,
                      int find, int add) {
    int32_t number = name_number(table, name, length);
    if (number) return number;
    sqlite3_stmt *statement = limit_statement(limit, find);
    if (!statement) return 0;
    sqlite3_bind_text(statement, 1, (const char *)name, (int)length, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW) number = sqlite3_column_int(statement, 0);
    sqlite3_reset(statement);
    if (!number && add != STATEMENTS) {
        statement = limit_statement(limit, add);
        if (!statement) return 0;
        sqlite3_bind_text(statement, 1, (const char *)name, (int)length, SQLITE_STATIC);
        if (!limit_run(limit, statement, "add a name")) return 0;
        number = (int32_t)sqlite3_last_insert_rowid(limit->db);
    }
    return number && name_keep(table, name, length, number) ? number : 0;
}

int32_t limit_channel_number(roost_limit *limit, const uint8_t *url, size_t length, bool makes) {
    return intern(limit, &limit->channel_names, url, length, FIND_CHANNEL,
                  makes ? ADD_CHANNEL : STATEMENTS);
}

int32_t limit_user_number_of_id(roost_limit *limit, slice id) {
    sqlite3_stmt *add = limit_statement(limit, ADD_USER);
    if (!add) return 0;
    return intern(limit, &limit->user_names, id.at, id.length, FIND_USER, ADD_USER);
}

const limit_user *limit_user_at(roost_limit *limit, int32_t number) {
    if (number <= 0) return NULL;
    if ((size_t)number >= limit->user_capacity) {
        size_t capacity = (size_t)number * 2 + 64;
        limit_user **larger = realloc(limit->users, capacity * sizeof *larger);
        if (!larger) return NULL;
        memset(larger + limit->user_capacity, 0,
               (capacity - limit->user_capacity) * sizeof *larger);
        limit->users = larger;
        limit->user_capacity = capacity;
    }
    if (limit->users[number]) return limit->users[number];
    sqlite3_stmt *statement = limit_statement(limit, LOAD_USER);
    if (!statement) return NULL;
    sqlite3_bind_int(statement, 1, number);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        limit_user *user = calloc(1, sizeof *user);
        if (user) {
            char **fields[] = {&user->id, &user->nickname, &user->profile_url, &user->metadata};
            for (int i = 0; i < 4; i++) {
                const char *text = (const char *)sqlite3_column_text(statement, i);
                *fields[i] = strdup(text ? text : "");
            }
            user->hash = (uint64_t)sqlite3_column_int64(statement, 4);
            limit->users[number] = user;
        }
    }
    sqlite3_reset(statement);
    return limit->users[number];
}

static void bind_slice(sqlite3_stmt *statement, int at, slice text) {
    sqlite3_bind_text(statement, at, (const char *)text.at, (int)text.length, SQLITE_STATIC);
}

int32_t limit_user_number(roost_limit *limit, const scanned_user *user) {
    int32_t number = limit_user_number_of_id(limit, user->id);
    if (!number) return 0;
    uint64_t hash = hash_of(user->nickname.at, user->nickname.length)
        ^ hash_of(user->profile_url.at, user->profile_url.length) * 3;
    const limit_user *known = limit_user_at(limit, number);
    if (known && known->hash == hash) return number;
    sqlite3_stmt *statement = limit_statement(limit, CHANGE_USER);
    if (!statement) return 0;
    bind_slice(statement, 1, user->id);
    bind_slice(statement, 2, user->nickname);
    bind_slice(statement, 3, user->profile_url);
    bind_slice(statement, 4, user->metadata);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)hash);
    if (!limit_run(limit, statement, "change a user")) return 0;
    free_user(limit->users[number]);
    limit->users[number] = NULL;
    return number;
}
