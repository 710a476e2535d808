// SPDX-License-Identifier: Apache-2.0
//
// Where should a message row lie, and in what form? Plain C against SQLite, so that nothing but the
// layout is measured. See docs/adr/0001-message-row-layout.md for the question and the answer.
//
// usage: layout FOLDER MESSAGES LAYOUT FORM      LAYOUT: clustered | by-id | appended
//                                                FORM:   binary | json

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS = 1000, PAGE = 100, BINARY_BYTES = 220, JSON_BYTES = 669 };

static sqlite3 *db;
static char path[4096];

static void check(int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), sql);
    return statement;
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static uint64_t state = 1;
static uint64_t draw(void) { /* SplitMix64 */
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int by_number(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count) {
    qsort(values, count, sizeof *values, by_number);
    return values[count / 2];
}

static void open_database(const char *folder, const char *layout, const char *form) {
    snprintf(path, sizeof path, "%s/%s-%s.sqlite", folder, layout, form);
    char other[4200];
    unlink(path);
    snprintf(other, sizeof other, "%s-wal", path), unlink(other);
    snprintf(other, sizeof other, "%s-shm", path), unlink(other);
    check(sqlite3_open_v2(path, &db,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL),
          "open");
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-8192;"
        "PRAGMA foreign_keys=ON; PRAGMA secure_delete=OFF; PRAGMA temp_store=MEMORY");
    run("CREATE TABLE channel (id INTEGER PRIMARY KEY) STRICT;"
        "CREATE TABLE user (id INTEGER PRIMARY KEY) STRICT;"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
        "  INSERT INTO channel SELECT i FROM n;"
        "INSERT INTO user SELECT id FROM channel");
    const char *columns =
        "channel_id INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,"
        "created_at INTEGER NOT NULL, message_id INTEGER %s,"
        "sender_id INTEGER REFERENCES user (id), kind INTEGER NOT NULL, custom_type TEXT NOT NULL,"
        "parent_id INTEGER, updated_at INTEGER, request_id TEXT, payload %s NOT NULL";
    const char *type = strcmp(form, "json") == 0 ? "TEXT" : "BLOB";
    char list[1024], sql[2048];
    if (strcmp(layout, "clustered") == 0) {
        snprintf(list, sizeof list, columns, "NOT NULL", type);
        snprintf(sql, sizeof sql,
                 "CREATE TABLE message (%s, PRIMARY KEY (channel_id, created_at, message_id))"
                 "STRICT, WITHOUT ROWID;"
                 "CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id)", list);
    } else if (strcmp(layout, "by-id") == 0) {
        snprintf(list, sizeof list, columns, "PRIMARY KEY", type);
        snprintf(sql, sizeof sql,
                 "CREATE TABLE message (%s) STRICT;"
                 "CREATE UNIQUE INDEX message_by_place ON message (channel_id, created_at)", list);
    } else {
        snprintf(list, sizeof list, columns, "NOT NULL", type);
        snprintf(sql, sizeof sql,
                 "CREATE TABLE message (row INTEGER PRIMARY KEY, %s) STRICT;"
                 "CREATE UNIQUE INDEX message_by_place"
                 "  ON message (channel_id, created_at, message_id);"
                 "CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id)", list);
    }
    run(sql);
    run("CREATE INDEX message_by_request ON message (request_id) WHERE request_id IS NOT NULL");
}

// The n-th message of a channel. IDs and times grow over all channels, as a server gives them.
static int64_t id_of(int channel, int64_t n) { return n * CHANNELS + channel; }

static void insert(sqlite3_stmt *statement, int channel, int64_t n, char *payload, int bytes,
                   int is_text) {
    char request[40];
    int64_t id = id_of(channel, n);
    memcpy(payload, &id, sizeof id);
    if (is_text) memset(payload, 'x', sizeof id);
    sqlite3_bind_int64(statement, 1, channel + 1);
    sqlite3_bind_int64(statement, 2, 1700000000000 + id * 37);
    sqlite3_bind_int64(statement, 3, id);
    sqlite3_bind_int64(statement, 4, 1 + (id * 7919) % 1000);
    sqlite3_bind_int64(statement, 5, 1);
    sqlite3_bind_text(statement, 6, "", 0, SQLITE_STATIC);
    if (n % 10 == 0) { /* One message in ten is our own. */
        int count = snprintf(request, sizeof request, "%016llx-%016llx", (long long)id,
                             (long long)(id * 31));
        sqlite3_bind_text(statement, 9, request, count, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_null(statement, 9);
    }
    if (is_text) sqlite3_bind_text(statement, 10, payload, bytes, SQLITE_STATIC);
    else sqlite3_bind_blob(statement, 10, payload, bytes, SQLITE_STATIC);
    check(sqlite3_step(statement), "insert");
    sqlite3_reset(statement);
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: layout FOLDER MESSAGES LAYOUT FORM\n"), 2;
    int is_text = strcmp(argv[4], "json") == 0;
    int bytes = is_text ? JSON_BYTES : BINARY_BYTES;
    int64_t per_channel = atoll(argv[2]) / CHANNELS;
    char payload[JSON_BYTES];
    memset(payload, 'x', sizeof payload);
    open_database(argv[1], argv[3], argv[4]);
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *add = prepare(
        "INSERT INTO message (channel_id, created_at, message_id, sender_id, kind, custom_type,"
        " parent_id, updated_at, request_id, payload)"
        " VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) ON CONFLICT DO NOTHING");

    // Back-fill: pages of one hundred, each of a channel drawn at random, oldest page first.
    static int64_t filled[CHANNELS];
    int64_t pages = per_channel / PAGE * CHANNELS, done = 0;
    double start = now_us();
    while (done < pages) {
        int channel = draw() % CHANNELS;
        while (filled[channel] == per_channel / PAGE) channel = (channel + 1) % CHANNELS;
        sqlite3_step(begin), sqlite3_reset(begin);
        for (int i = 0; i < PAGE; i++)
            insert(add, channel, filled[channel] * PAGE + i, payload, bytes, is_text);
        check(sqlite3_step(commit), "commit"), sqlite3_reset(commit);
        filled[channel]++, done++;
    }
    double rate = pages * PAGE / ((now_us() - start) / 1e6);
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    struct stat status;
    stat(path, &status);
    double row_bytes = (double)status.st_size / (pages * PAGE);

    // A page of one hundred, newest first, from any point of any channel; every column is looked at.
    enum { READS = 3000 };
    static double times[READS];
    sqlite3_stmt *page = prepare(
        "SELECT created_at, message_id, request_id, sender_id, custom_type, parent_id, updated_at,"
        " payload FROM message WHERE channel_id = ?1 AND created_at <= ?2"
        " ORDER BY created_at DESC, message_id DESC LIMIT 100");
    int64_t sum = 0;
    for (int i = 0; i < READS; i++) {
        int channel = draw() % CHANNELS;
        int64_t n = PAGE + draw() % (per_channel - PAGE);
        sqlite3_bind_int64(page, 1, channel + 1);
        sqlite3_bind_int64(page, 2, 1700000000000 + id_of(channel, n) * 37);
        double begin = now_us();
        while (sqlite3_step(page) == SQLITE_ROW) {
            for (int column = 0; column < 7; column++) sum += sqlite3_column_int64(page, column);
            const unsigned char *blob = sqlite3_column_blob(page, 7);
            for (int b = sqlite3_column_bytes(page, 7) - 1; b >= 0; b--) sum += blob[b];
        }
        sqlite3_reset(page);
        times[i] = now_us() - begin;
    }
    double page_us = median(times, READS);

    sqlite3_stmt *find = prepare("SELECT payload FROM message WHERE message_id = ?1");
    for (int i = 0; i < READS; i++) {
        sqlite3_bind_int64(find, 1, id_of(draw() % CHANNELS, draw() % per_channel));
        double begin = now_us();
        check(sqlite3_step(find), "find");
        sum += *(const unsigned char *)sqlite3_column_blob(find, 0);
        sqlite3_reset(find);
        times[i] = now_us() - begin;
    }
    double find_us = median(times, READS);

    // Live: one message, one commit, in a channel drawn at random.
    static int64_t live[CHANNELS];
    for (int i = 0; i < READS; i++) {
        int channel = draw() % CHANNELS;
        double begin_us = now_us();
        sqlite3_step(begin), sqlite3_reset(begin);
        insert(add, channel, per_channel + live[channel]++, payload, bytes, is_text);
        check(sqlite3_step(commit), "commit"), sqlite3_reset(commit);
        times[i] = now_us() - begin_us;
    }
    double live_us = median(times, READS);

    sqlite3_stmt *evict = prepare("DELETE FROM message WHERE channel_id = ?1");
    enum { EVICTIONS = 50 };
    for (int i = 0; i < EVICTIONS; i++) {
        sqlite3_bind_int64(evict, 1, 1 + i * 17);
        double begin = now_us();
        check(sqlite3_step(evict), "evict");
        sqlite3_reset(evict);
        times[i] = now_us() - begin;
    }
    double evict_us = median(times, EVICTIONS);

    printf("| %s | %s | %.0f | %.0f k | %.0f | %.1f | %.0f | %.1f |\n", argv[3], argv[4],
           row_bytes, rate / 1000, page_us, find_us, live_us, evict_us / 1000);
    return sum == 42;
}
