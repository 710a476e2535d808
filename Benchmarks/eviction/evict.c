// SPDX-License-Identifier: Apache-2.0
//
// How does a cache get rid of half of itself, or of a twentieth? Plain C against SQLite, so that
// nothing but the way is measured. See docs/adr/0006-eviction.md for the question and the answer.
//
// usage: evict fill FILE MESSAGES [search]
//        evict WAY FILE PERCENT [search]     evicts channels until PERCENT of the messages are gone
//
// WAY: delete | slices | vacuum | unindexed | rewrite | late | swap     (search index, where there is one:
//      delete, slices, vacuum, unindexed say 'delete' for each message; rewrite and swap fill it anew)

#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHANNELS = 200, PAGE = 100, WORDS = 20000, SLICE = 2000, VACUUM_PAGES = 256 };

static sqlite3 *db;
static int with_search, late_indexes;
static double longest_us;  // The longest time for which no other connection could have committed.
static int64_t peak;
static char path[4096], scratch[4200];

static void check(int code, sqlite3 *of, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(of));
    exit(1);
}
static void run_on(sqlite3 *on, const char *sql) {
    check(sqlite3_exec(on, sql, NULL, NULL, NULL), on, sql);
}
static void run(const char *sql) { run_on(db, sql); }

static sqlite3_stmt *prepare(sqlite3 *on, const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(on, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), on, sql);
    return statement;
}
static int64_t number(sqlite3 *on, const char *sql) {
    sqlite3_stmt *statement = prepare(on, sql);
    check(sqlite3_step(statement), on, sql);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}
static double cpu_us(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 + use.ru_utime.tv_usec +
           use.ru_stime.tv_usec;
}
static uint64_t state = 1;
static uint64_t draw(void) { /* SplitMix64 */
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int64_t bytes_of(const char *suffix) {
    char name[4300];
    struct stat status;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &status) == 0 ? status.st_size : 0;
}
static void note_peak(void) {
    int64_t now = bytes_of("") + bytes_of("-wal") + bytes_of("-rewrite");
    if (now > peak) peak = now;
}
static int watch(void *unused) { return (void)unused, note_peak(), 0; }

static void open_live(void) {
    check(sqlite3_open_v2(path, &db,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL),
          db, "open");
    run("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        "PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=FAST;"
        "PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=4194304");
}

#define TABLES                                                                                     \
    "CREATE TABLE channel(id INTEGER PRIMARY KEY, url TEXT UNIQUE, payload BLOB) STRICT;"           \
    "CREATE TABLE message(channel_id INTEGER NOT NULL, created_at INTEGER NOT NULL,"                \
    " message_id INTEGER NOT NULL, sender_id INTEGER, kind INTEGER NOT NULL,"                       \
    " custom_type_id INTEGER, parent_id INTEGER, updated_at INTEGER, request_key INTEGER,"          \
    " is_reply_to_channel INTEGER NOT NULL, mentions_me INTEGER NOT NULL, payload BLOB NOT NULL,"   \
    " PRIMARY KEY(channel_id, created_at, message_id)) STRICT, WITHOUT ROWID;"
#define ID_INDEX "CREATE UNIQUE INDEX message_by_id ON message(message_id, channel_id);"
#define SENDER_INDEX "CREATE INDEX message_by_sender ON message(channel_id, sender_id);"
#define PARTIAL                                                                                    \
    "CREATE INDEX message_by_custom ON message(channel_id, custom_type_id)"                         \
    " WHERE custom_type_id IS NOT NULL;"                                                            \
    "CREATE INDEX message_by_kind ON message(channel_id, kind) WHERE kind <> 0;"                    \
    "CREATE INDEX message_by_parent ON message(parent_id, created_at) WHERE parent_id IS NOT NULL;" \
    "CREATE INDEX message_by_update ON message(channel_id, updated_at) WHERE updated_at IS NOT NULL;" \
    "CREATE INDEX message_by_request ON message(request_key) WHERE request_key IS NOT NULL;"        \
    "CREATE INDEX message_of_me ON message(created_at, message_id) WHERE mentions_me;"
#define INDEXES ID_INDEX SENDER_INDEX PARTIAL
#define SEARCH "CREATE VIRTUAL TABLE search USING fts5(text, content='', detail=full);"

// The text stands at the front of the payload: one byte for its length, as ours has it.
static int write_payload(char *into) {
    int words = 4 + draw() % 12, at = 1;
    for (int i = 0; i < words && at < 200; i++) { /* Rarer words are drawn more rarely. */
        uint64_t word = (uint64_t)(WORDS * ((draw() % 100000) / 1e5) * ((draw() % 100000) / 1e5));
        at += sprintf(into + at, "w%llx ", (unsigned long long)word * 2654435761u % 0xFFFFFF);
    }
    into[0] = (char)(at - 1);
    int more = 40 + draw() % 60;
    for (int i = 0; i < more; i++) into[at++] = (char)draw();
    return at;
}

static void fill(int64_t count) {
    static double share[CHANNELS];
    static int64_t filled[CHANNELS];
    double sum = 0;
    for (int i = 0; i < CHANNELS; i++) share[i] = (sum += 1.0 / (i + 1));
    run(TABLES INDEXES);
    if (with_search) run(SEARCH);
    run("PRAGMA synchronous=OFF");
    run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<200)"
        " INSERT INTO channel SELECT i, 'channel_'||i, zeroblob(400) FROM n");
    sqlite3_stmt *add = prepare(db, "INSERT INTO message VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,0,?10,?11)");
    sqlite3_stmt *index =
        with_search ? prepare(db, "INSERT INTO search(rowid, text) VALUES(?1, ?2)") : NULL;
    char payload[512];
    for (int64_t done = 0; done < count; done += PAGE) {
        double pick = (draw() % 1000000) / 1e6 * sum;
        int channel = 0;
        while (channel < CHANNELS - 1 && share[channel] < pick) channel++;
        run("BEGIN IMMEDIATE");
        // History comes newest page first, as a reader scrolls; the page itself oldest first.
        int64_t newest = 1000000000 - filled[channel]++ * PAGE;
        for (int i = 0; i < PAGE; i++) {
            int64_t n = newest + i, id = n * CHANNELS + channel;
            int size = write_payload(payload);
            sqlite3_bind_int64(add, 1, channel + 1);
            sqlite3_bind_int64(add, 2, 1500000000000 + id * 2);
            sqlite3_bind_int64(add, 3, id);
            sqlite3_bind_int64(add, 4, 1 + draw() % 1000);
            sqlite3_bind_int64(add, 5, draw() % 10 == 0);
            draw() % 20 ? sqlite3_bind_null(add, 6) : sqlite3_bind_int64(add, 6, draw() % 9);
            draw() % 20 ? sqlite3_bind_null(add, 7) : sqlite3_bind_int64(add, 7, id - 500);
            draw() % 20 ? sqlite3_bind_null(add, 8) : sqlite3_bind_int64(add, 8, id * 2);
            draw() % 20 ? sqlite3_bind_null(add, 9) : sqlite3_bind_int64(add, 9, (int64_t)draw());
            sqlite3_bind_int64(add, 10, draw() % 50 == 0);
            sqlite3_bind_blob(add, 11, payload, size, SQLITE_STATIC);
            check(sqlite3_step(add), db, "insert"), sqlite3_reset(add);
            if (!index) continue;
            sqlite3_bind_int64(index, 1, id);
            sqlite3_bind_text(index, 2, payload + 1, payload[0], SQLITE_STATIC);
            check(sqlite3_step(index), db, "index"), sqlite3_reset(index);
        }
        run("COMMIT");
    }
    sqlite3_finalize(add), sqlite3_finalize(index);
    run("PRAGMA wal_checkpoint(TRUNCATE)");
}

static char evicted[CHANNELS + 1];

// Channels in an order that has nothing to do with their size, until enough messages are marked.
static void choose(int percent) {
    int64_t total = number(db, "SELECT count(*) FROM message"), marked = 0;
    sqlite3_stmt *count = prepare(db, "SELECT count(*) FROM message WHERE channel_id = ?1");
    for (int i = 0; i < CHANNELS && marked < total * percent / 100; i++) {
        int channel = 1 + (i * 77 + 13) % CHANNELS;
        sqlite3_bind_int64(count, 1, channel), sqlite3_step(count);
        int64_t size = sqlite3_column_int64(count, 0);
        sqlite3_reset(count);
        if (marked + size > total * (percent + 2) / 100) continue;
        evicted[channel] = 1, marked += size;
    }
    sqlite3_finalize(count);
}

static double begun;
static void begin(void) { run("BEGIN IMMEDIATE"), begun = now_us(); }
static void commit(void) {
    run("COMMIT");
    if (now_us() - begun > longest_us) longest_us = now_us() - begun;
    note_peak();
}

// Contentless: only the text itself can take its words out of the index again.
static void forget_words(int channel, int64_t first, int64_t last) {
    if (!with_search) return;
    static sqlite3_stmt *read, *drop;
    if (!read) {
        read = prepare(db, "SELECT message_id, payload FROM message"
                           " WHERE channel_id=?1 AND created_at BETWEEN ?2 AND ?3");
        drop = prepare(db, "INSERT INTO search(search, rowid, text) VALUES('delete', ?1, ?2)");
    }
    sqlite3_bind_int64(read, 1, channel);
    sqlite3_bind_int64(read, 2, first), sqlite3_bind_int64(read, 3, last);
    while (sqlite3_step(read) == SQLITE_ROW) {
        const char *payload = sqlite3_column_blob(read, 1);
        sqlite3_bind_int64(drop, 1, sqlite3_column_int64(read, 0));
        sqlite3_bind_text(drop, 2, payload + 1, payload[0], SQLITE_STATIC);
        check(sqlite3_step(drop), db, "forget"), sqlite3_reset(drop);
    }
    sqlite3_reset(read);
}

static void delete_channels(int in_slices) {
    sqlite3_stmt *drop =
        prepare(db, "DELETE FROM message WHERE channel_id=?1 AND created_at BETWEEN ?2 AND ?3");
    sqlite3_stmt *edge = prepare(
        db, "SELECT created_at FROM message WHERE channel_id=?1 ORDER BY created_at LIMIT 1 OFFSET ?2");
    for (int channel = 1; channel <= CHANNELS; channel++) {
        for (int more = evicted[channel]; more;) {
            int64_t last = INT64_MAX;
            begin();
            if (in_slices) {
                sqlite3_bind_int64(edge, 1, channel), sqlite3_bind_int64(edge, 2, SLICE - 1);
                if (sqlite3_step(edge) == SQLITE_ROW) last = sqlite3_column_int64(edge, 0);
                sqlite3_reset(edge);
            }
            more = last != INT64_MAX;
            forget_words(channel, 0, last);
            sqlite3_bind_int64(drop, 1, channel), sqlite3_bind_int64(drop, 2, 0);
            sqlite3_bind_int64(drop, 3, last);
            check(sqlite3_step(drop), db, "delete"), sqlite3_reset(drop);
            commit();
        }
    }
    sqlite3_finalize(drop), sqlite3_finalize(edge);
}

static void incremental_vacuum(int pages) {
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", pages);
    while (number(db, "PRAGMA freelist_count") > 0) begin(), run(sql), commit();
}

static void vacuum(void) {
    double start = now_us();
    run("VACUUM");
    if (now_us() - start > longest_us) longest_us = now_us() - start;
}

// Copies what stays into a database of its own; returns its connection.
static sqlite3 *copy(void) {
    sqlite3 *kept;
    char sql[4400];
    unlink(scratch);
    check(sqlite3_open(scratch, &kept), kept, "open the scratch file");
    sqlite3_progress_handler(kept, 100000, watch, NULL);
    run_on(kept, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"
                 "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=FAST; PRAGMA cache_size=-8192");
    snprintf(sql, sizeof sql, "ATTACH '%s' AS live", path);
    run_on(kept, sql);
    run_on(kept, "BEGIN");
    // A partial index costs little while rows come in, and a reading of the whole table afterwards.
    run_on(kept, late_indexes ? TABLES : TABLES PARTIAL);
    run_on(kept, "INSERT INTO channel SELECT * FROM live.channel");
    sqlite3_stmt *add = prepare(
        kept, "INSERT INTO message SELECT * FROM live.message WHERE channel_id=?1"
              " ORDER BY channel_id, created_at, message_id");
    for (int channel = 1; channel <= CHANNELS; channel++) {
        if (evicted[channel]) continue;
        sqlite3_bind_int64(add, 1, channel);
        check(sqlite3_step(add), kept, "copy"), sqlite3_reset(add);
    }
    sqlite3_finalize(add);
    run_on(kept, late_indexes ? INDEXES : ID_INDEX SENDER_INDEX);
    if (with_search) { /* In the order of the index: by ID. */
        run_on(kept, SEARCH "INSERT INTO search(search, rank) VALUES('hashsize', 8388608)");
        sqlite3_stmt *read = prepare(kept, "SELECT message_id, payload FROM main.message");
        sqlite3_stmt *index = prepare(kept, "INSERT INTO search(rowid, text) VALUES(?1, ?2)");
        while (sqlite3_step(read) == SQLITE_ROW) {
            const char *payload = sqlite3_column_blob(read, 1);
            sqlite3_bind_int64(index, 1, sqlite3_column_int64(read, 0));
            sqlite3_bind_text(index, 2, payload + 1, payload[0], SQLITE_STATIC);
            check(sqlite3_step(index), kept, "index"), sqlite3_reset(index);
        }
        sqlite3_finalize(read), sqlite3_finalize(index);
        run_on(kept, "INSERT INTO search(search, rank) VALUES('hashsize', 1048576)");
    }
    run_on(kept, "COMMIT");
    run_on(kept, "DETACH live");
    note_peak();
    return kept;
}

int main(int argc, char **argv) {
    if (argc < 4) return fprintf(stderr, "usage: evict fill|WAY FILE COUNT|PERCENT [search]\n"), 2;
    const char *way = argv[1];
    with_search = argc > 4;
    snprintf(path, sizeof path, "%s", argv[2]);
    snprintf(scratch, sizeof scratch, "%s-rewrite", path);
    open_live();
    if (strcmp(way, "fill") == 0) return fill(atoll(argv[3])), sqlite3_close(db), 0;
    int percent = atoi(argv[3]);
    choose(percent);
    int64_t before = bytes_of("");
    sqlite3_progress_handler(db, 100000, watch, NULL);
    double start = now_us(), cpu = cpu_us();
    if (strcmp(way, "delete") == 0) {
        delete_channels(0), incremental_vacuum(0);
    } else if (strcmp(way, "slices") == 0) {
        delete_channels(1), incremental_vacuum(VACUUM_PAGES);
    } else if (strcmp(way, "vacuum") == 0) {
        delete_channels(0), vacuum();
    } else if (strcmp(way, "unindexed") == 0) {
        run("DROP INDEX message_by_id"), delete_channels(0);
        begin(), run(ID_INDEX), commit(), vacuum();
    } else if (strcmp(way, "rewrite") == 0 || strcmp(way, "late") == 0) {
        late_indexes = way[0] == 'l';
        sqlite3 *kept = copy();
        sqlite3_backup *backup = sqlite3_backup_init(db, "main", kept, "main");
        if (!backup) check(SQLITE_ERROR, db, "back up");
        int code;
        while ((code = sqlite3_backup_step(backup, 1024)) == SQLITE_OK) note_peak();
        check(code, db, "write back");
        check(sqlite3_backup_finish(backup), db, "write back");
        note_peak(), longest_us = now_us() - start;
        sqlite3_close(kept), unlink(scratch);
    } else if (strcmp(way, "swap") == 0) {
        sqlite3 *kept = copy();
        sqlite3_close(kept);
        int file = open(scratch, O_RDWR);
        fdatasync(file), close(file);
        sqlite3_close(db);
        rename(scratch, path), open_live();
        longest_us = now_us() - start;
    } else return 2;
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    double wall = now_us() - start;
    cpu = cpu_us() - cpu;
    int64_t after = bytes_of("");
    if (number(db, "SELECT count(*) FROM pragma_quick_check WHERE quick_check <> 'ok'") != 0)
        return fprintf(stderr, "%s left a damaged file\n", way), 1;
    printf("| %s | %d | %.2f | %.2f | %.0f | %.1f | %.1f | %.1f |\n", way, percent, wall / 1e6,
           cpu / 1e6, longest_us / 1e3, before / 1e6, after / 1e6, peak / 1e6);
    return sqlite3_close(db), 0;
}
