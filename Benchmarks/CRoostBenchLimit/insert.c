/* SPDX-License-Identifier: Apache-2.0 */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CRoostBenchLimit.h"

enum { COLUMNS = 12, CONNECTION_OK = 0, ROWS_OF_NONE = 1, SYNC = 10, CHANNELS = 64 };

typedef struct pg_conn pg_conn;
typedef struct pg_result pg_result;

/* libpq, found at run time: the rest of this program needs no database. */
static struct {
    pg_conn *(*connect)(const char *);
    void (*finish)(pg_conn *);
    int (*status)(const pg_conn *);
    const char *(*error)(const pg_conn *);
    pg_result *(*prepare)(pg_conn *, const char *, const char *, int, const unsigned *);
    int (*enter_pipeline)(pg_conn *);
    int (*send)(
        pg_conn *, const char *, int, const char *const *, const int *, const int *, int);
    int (*sync)(pg_conn *);
    pg_result *(*result)(pg_conn *);
    int (*result_status)(const pg_result *);
    void (*clear)(pg_result *);
} pq;

static const char *insert =
    "INSERT INTO roost.message (channel, id, first_seq, seq, created_at, changed_at, sender, is_reply,"
    " is_counted, mentions_all, kind, custom_type, request_key, body)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'MESG', '', $11, $12)";

typedef struct {
    pthread_t thread;
    const roost_insert_options *options;
    pg_conn *connection;
    int64_t channel, number, rows;
    double *micros;
    int64_t count, capacity;
    double end, begin;
    char error[200];
} inserter;

static bool find(void *library, const char *name, void *place) {
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load(void) {
    if (pq.clear) return true;
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libpq.5.dylib", RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "PQconnectdb", &pq.connect)
        && find(library, "PQfinish", &pq.finish) && find(library, "PQstatus", &pq.status)
        && find(library, "PQerrorMessage", &pq.error) && find(library, "PQprepare", &pq.prepare)
        && find(library, "PQenterPipelineMode", &pq.enter_pipeline)
        && find(library, "PQsendQueryPrepared", &pq.send)
        && find(library, "PQpipelineSync", &pq.sync) && find(library, "PQgetResult", &pq.result)
        && find(library, "PQresultStatus", &pq.result_status)
        && find(library, "PQclear", &pq.clear);
}

static double now_micros(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void wait_until(double moment) {
    double rest = moment - now_micros();
    if (rest <= 0) return;
    struct timespec time = {(time_t)(rest / 1e6), (long)(rest * 1e3) % 1000000000L};
    nanosleep(&time, NULL);
}

/* Queues one row; the server gets it with the rest of its transaction. */
static bool add(inserter *it) {
    char text[11][32];
    const char *values[COLUMNS];
    long long number = ++it->number;
    long long channel = it->channel + number % CHANNELS;
    const long long numbers[] = {channel, number, number, number, number, number, channel, 0};
    for (int index = 0; index < 8; index++) {
        snprintf(text[index], sizeof text[index], "%lld", numbers[index]);
        values[index] = text[index];
    }
    values[8] = "t";
    values[9] = "f";
    snprintf(text[10], sizeof text[10], "row-%lld", number);
    values[10] = text[10];
    values[11] = it->options->body;
    return pq.send(it->connection, "row", COLUMNS, values, NULL, NULL, 0) == 1;
}

/* Reads the answers of one transaction; a refused row fails it. */
static bool hear(inserter *it) {
    bool is_good = true;
    for (int silent = 0; silent < 3;) {
        pg_result *result = pq.result(it->connection);
        if (!result) {
            silent++;
            continue;
        }
        silent = 0;
        int status = pq.result_status(result);
        pq.clear(result);
        if (status == SYNC) return is_good;
        if (status != ROWS_OF_NONE) is_good = false;
    }
    return false;
}

static void *run(void *context) {
    inserter *it = context;
    const roost_insert_options *options = it->options;
    double step = options->commits_per_second > 0
        ? 1e6 * options->connections / options->commits_per_second : 0;
    double next = it->begin;
    while (now_micros() < it->end) {
        if (step > 0) {
            wait_until(next);
            next += step;
        }
        double start = now_micros();
        bool is_good = true;
        for (int row = 0; row < options->rows_per_commit && is_good; row++) is_good = add(it);
        /* Everything up to here is one transaction. */
        if (!is_good || pq.sync(it->connection) != 1 || !hear(it)) {
            snprintf(it->error, sizeof it->error, "%s", pq.error(it->connection));
            break;
        }
        if (it->count < it->capacity) it->micros[it->count++] = now_micros() - start;
        it->rows += options->rows_per_commit;
    }
    return NULL;
}

static bool open_connection(inserter *it) {
    it->connection = pq.connect(it->options->address);
    bool is_open = it->connection && pq.status(it->connection) == CONNECTION_OK;
    if (is_open) {
        pg_result *result = pq.prepare(it->connection, "row", insert, 0, NULL);
        is_open = result && pq.result_status(result) == ROWS_OF_NONE
            && pq.enter_pipeline(it->connection) == 1;
        if (result) pq.clear(result);
    }
    if (!is_open)
        snprintf(it->error, sizeof it->error, "%s",
            it->connection ? pq.error(it->connection) : "no memory");
    return is_open;
}

int64_t roost_insert_run(
    const roost_insert_options *options, double *micros, int64_t capacity, int64_t *count,
    char *error, int error_size) {
    *count = 0;
    if (!load()) {
        snprintf(error, (size_t)error_size, "libpq 14 or later is not installed");
        return -1;
    }
    int wanted = options->connections;
    inserter *all = calloc((size_t)wanted, sizeof *all);
    if (!all) return -1;
    int64_t each = capacity / wanted, rows = 0;
    bool is_good = true;
    for (int index = 0; index < wanted && is_good; index++) {
        inserter *it = &all[index];
        it->options = options;
        it->micros = micros + index * each;
        it->capacity = each;
        /* Each has channels of its own, so no row meets another one. */
        it->channel = options->first_channel + index * CHANNELS;
        is_good = open_connection(it);
    }
    double begin = now_micros();
    int started = 0;
    for (; started < wanted && is_good; started++) {
        inserter *it = &all[started];
        /* Spread, so that commits at a rate do not come all at once. */
        it->begin = begin
            + (options->commits_per_second > 0 ? started * 1e6 / options->commits_per_second : 0);
        it->end = begin + options->seconds * 1e6;
        is_good = pthread_create(&it->thread, NULL, run, it) == 0;
        if (!is_good) break;
    }
    for (int index = 0; index < started; index++) pthread_join(all[index].thread, NULL);
    for (int index = 0; index < wanted; index++) {
        inserter *it = &all[index];
        if (it->error[0]) {
            snprintf(error, (size_t)error_size, "%s", it->error);
            is_good = false;
        }
        rows += it->rows;
        memmove(micros + *count, it->micros, (size_t)it->count * sizeof *micros);
        *count += it->count;
        if (it->connection) pq.finish(it->connection);
    }
    free(all);
    return is_good ? rows : -1;
}
