// SPDX-License-Identifier: Apache-2.0
//
// Where should a message row lie, and in what form? The limit of `roost-bench cache` with one choice
// changed at a time. See docs/adr/0001-message-row-layout.md for the question and the answer.
//
// usage: layout FOLDER MESSAGES NAME [CHOICE=NUMBER]...
//        CHOICE: page, cache, by-arrival, json, compression, sender-index, auto-vacuum, search

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CRoostBenchLimit.h"

enum { PAGES = 5000, LIVE = 1000 };

/* Single reads and commits are timed by the clock, bulk work by what the processor did for it, which
   does not grow when others use the machine. */
static double time_us(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double now_us(void) { return time_us(CLOCK_MONOTONIC); }
static double worked_us(void) { return time_us(CLOCK_PROCESS_CPUTIME_ID); }

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

static void check(roost_limit *limit, int answer) {
    if (answer >= 0) return;
    fprintf(stderr, "layout: %s\n", roost_limit_error(limit));
    exit(1);
}

static void choose(roost_limit_options *options, const char *word) {
    const char *equals = strchr(word, '=');
    int number = equals ? atoi(equals + 1) : 1;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    if (strncmp(word, "page", length) == 0) options->page_size = number;
    else if (strncmp(word, "cache", length) == 0) options->cache_kib = number;
    else if (strncmp(word, "by-arrival", length) == 0) options->by_arrival = number;
    else if (strncmp(word, "json", length) == 0) options->json_payload = number;
    else if (strncmp(word, "compression", length) == 0) options->compression = number;
    else if (strncmp(word, "sender-index", length) == 0) options->sender_index = number;
    else if (strncmp(word, "auto-vacuum", length) == 0) options->auto_vacuum = number;
    else if (strncmp(word, "search", length) == 0) options->has_search = number;
    else {
        fprintf(stderr, "layout: no choice is called %s\n", word);
        exit(2);
    }
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "usage: layout FOLDER MESSAGES NAME [CHOICE=NUMBER]...\n");
        return 2;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/layout-%s.sqlite", words[1], words[3]);
    long messages = atol(words[2]);
    roost_limit_options options = roost_limit_standard();
    for (int i = 4; i < count; i++) choose(&options, words[i]);
    roost_data *data = roost_data_make(1, messages);
    roost_limit *limit = roost_limit_open(path, options);
    if (!data || !limit) {
        fprintf(stderr, "layout: %s cannot be made\n", path);
        return 1;
    }
    check(limit, roost_limit_put_channels(limit, roost_data_channels(data)));
    double inserting = 0;
    for (int64_t i = 0; i < roost_data_page_count(data); i++) {
        int channel;
        roost_bytes body = roost_data_page(data, i, &channel);
        double start = worked_us();
        check(limit, roost_limit_put_page(limit, body));
        inserting += worked_us() - start;
    }
    check(limit, roost_limit_checkpoint(limit));
    double bytes = (double)roost_limit_file_bytes(limit) / (double)messages;

    double reading[PAGES];
    uint64_t chance = 1;
    for (int i = 0; i < PAGES; i++) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        int channel = (int)((chance >> 33) % ROOST_DATA_CHANNELS);
        int64_t before = roost_data_moment(data, channel, chance >> 20);
        double start = now_us();
        check(limit, roost_limit_read_page(limit, roost_data_url(data, channel), before, 30));
        reading[i] = now_us() - start;
    }
    double changing = 0;
    int changes = 0;
    for (int64_t page = 0; page < 100; page++) {
        int channel, edits, deletions;
        roost_bytes body = roost_data_changes(data, page, &channel, &edits, &deletions);
        double start = worked_us();
        check(limit, roost_limit_apply_changes(limit, body));
        changing += worked_us() - start;
        changes += edits + deletions;
    }
    roost_limit_close(limit);
    options.waits_for_disk = true;
    limit = roost_limit_open(path, options);
    if (!limit) return 1;
    double live[LIVE];
    for (int i = 0; i < LIVE; i++) {
        int channel;
        int64_t predecessor;
        roost_bytes body = roost_data_live(data, i, &channel, &predecessor);
        double start = now_us();
        check(limit, roost_limit_put_live(limit, body));
        live[i] = now_us() - start;
    }
    printf("| %s | %.0f | %.1f | %.1f | %.0f | %.1f |\n", words[3], bytes,
           inserting / (double)messages, median(reading, PAGES), median(live, LIVE),
           changing / changes);
    roost_limit_close(limit);
    roost_data_free(data);
    unlink(path);
    return 0;
}
