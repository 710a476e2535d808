// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CRoostBenchLimit.h"

struct roost_limit_pager {
    pthread_t thread;
    roost_limit *limit;
    const roost_data *data;
    atomic_bool stops;
    double *micros;
    int64_t count, capacity;
};

static double now_micros(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *run(void *context) {
    roost_limit_pager *pager = context;
    uint64_t chance = 12345;
    while (!atomic_load(&pager->stops)) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        int channel = (int)(chance >> 33) % ROOST_DATA_CHANNELS;
        int64_t before = roost_data_moment(pager->data, channel, chance >> 20);
        double start = now_micros();
        if (roost_limit_read_page(
                pager->limit, roost_data_url(pager->data, channel), before, 30) < 0)
            break;
        double end = now_micros();
        if (pager->count < pager->capacity) pager->micros[pager->count++] = end - start;
    }
    return NULL;
}

roost_limit_pager *roost_limit_pager_start(
    const char *path, roost_limit_options options, const roost_data *data) {
    roost_limit_pager *pager = calloc(1, sizeof *pager);
    if (!pager) return NULL;
    pager->data = data;
    pager->capacity = 1 << 20;
    pager->micros = malloc((size_t)pager->capacity * sizeof *pager->micros);
    pager->limit = roost_limit_open(path, options);
    if (pager->limit && pager->micros && pthread_create(&pager->thread, NULL, run, pager) == 0)
        return pager;
    roost_limit_close(pager->limit);
    free(pager->micros);
    free(pager);
    return NULL;
}

int64_t roost_limit_pager_stop(roost_limit_pager *pager, double *micros, int64_t capacity) {
    atomic_store(&pager->stops, true);
    pthread_join(pager->thread, NULL);
    int64_t count = pager->count < capacity ? pager->count : capacity;
    memcpy(micros, pager->micros, (size_t)count * sizeof *micros);
    roost_limit_close(pager->limit);
    free(pager->micros);
    free(pager);
    return count;
}
