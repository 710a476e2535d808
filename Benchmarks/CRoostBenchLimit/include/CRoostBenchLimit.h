/* SPDX-License-Identifier: Apache-2.0
 *
 * The limit of `roost-bench cache`: a chat cache in plain C on SQLite that can do the
 * workloads and nothing else, and the data of both sides. See docs/benchmarks.md.
 */
#ifndef ROOST_BENCH_LIMIT_H
#define ROOST_BENCH_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that belong to the object that returned them, until its next call. */
typedef struct {
    const uint8_t *bytes;
    size_t length;
} roost_bytes;

/* -- Data: the answers of a server, made from a seed page by page. -- */

typedef struct roost_data roost_data;

enum { ROOST_DATA_CHANNELS = 200, ROOST_DATA_USERS = 1000, ROOST_DATA_PAGE = 100 };

/* NULL when memory is short. */
roost_data *roost_data_make(uint64_t seed, int64_t messages);
void roost_data_free(roost_data *data);

/* Pages of all channels, mixed; the pages of one channel come newest first. */
int64_t roost_data_page_count(const roost_data *data);
/* The body of a page of messages, oldest first, and the number of its channel. */
roost_bytes roost_data_page(roost_data *data, int64_t page, int *channel);
/* The moment right after the page's newest message. */
int64_t roost_data_page_end(const roost_data *data, int64_t page, int *channel);
/* The body of a list of all channels, members and last messages included. */
roost_bytes roost_data_channels(roost_data *data);
/* One message that is newer than all others; its channel and the ID of the one before it. */
roost_bytes roost_data_live(roost_data *data, int64_t number, int *channel, int64_t *predecessor);
/* The body of a change log of one channel: 100 changes, of which deletions are a sixth. Pages repeat
   no message. */
roost_bytes roost_data_changes(
    roost_data *data, int64_t page, int *channel, int *edits, int *deletions);

/* "" when there is no such channel. */
const char *roost_data_url(const roost_data *data, int channel);
/* A moment of the channel's history, chosen by a random number. */
int64_t roost_data_moment(const roost_data *data, int channel, uint64_t chance);
/* The word of this rank; rank 0 is the most frequent one. */
const char *roost_data_word(const roost_data *data, int rank);
/* Two adjacent characters of Chinese messages. */
const char *roost_data_characters(const roost_data *data);

/* -- The limit. -- */

typedef struct roost_limit roost_limit;

typedef struct {
    int32_t page_size;         /* Bytes; takes effect on a new file. */
    int32_t cache_kib;         /* Page cache. */
    int32_t checkpoint_pages;  /* Pages of log that start a checkpoint. */
    bool waits_for_disk;       /* synchronous = FULL instead of NORMAL. */
    bool has_search;           /* A full-text index beside the messages. */
    /* Variants for the decision on the layout; the limit itself has none of them. */
    bool by_arrival;           /* Rows in order of arrival instead of clustered by place. */
    bool json_payload;         /* The message's JSON instead of a binary form. */
    int32_t compression;       /* zlib's level; 0 is none. Needs ROOST_LIMIT_ZLIB. */
    bool sender_index;         /* One more index, on channel and sender. */
    bool auto_vacuum;          /* auto_vacuum = INCREMENTAL. */
} roost_limit_options;

/* 4,096-byte pages, 8 MiB of cache, a checkpoint each 1,000 pages, no search. */
roost_limit_options roost_limit_standard(void);

/* NULL when the file cannot be opened. */
roost_limit *roost_limit_open(const char *path, roost_limit_options options);
void roost_limit_close(roost_limit *limit);
/* The error of the last call; "" without one. */
const char *roost_limit_error(const roost_limit *limit);
const char *roost_limit_sqlite_version(void);

/* The functions below return a negative number if they fail. */

/* Writes the channels of a list, in one transaction. */
int roost_limit_put_channels(roost_limit *limit, roost_bytes body);
/* Writes a page of messages and the channel's new coverage, in one transaction. */
int roost_limit_put_page(roost_limit *limit, roost_bytes body);
/* Writes one message in a transaction of its own. */
int roost_limit_put_live(roost_limit *limit, roost_bytes message);
/* Applies a page of a change log and keeps its token, in one transaction. */
int roost_limit_apply_changes(roost_limit *limit, roost_bytes body);

/* Reads decode all fields into structs of their own, free them, and return their number. */

int roost_limit_read_channels(roost_limit *limit, int count);
/* The messages before a moment, newest first. */
int roost_limit_read_page(roost_limit *limit, const char *url, int64_t before, int count);
int roost_limit_read_message(roost_limit *limit, int64_t id);
/* The newest messages that hold all the words. */
int roost_limit_search(roost_limit *limit, const char *words, int count);

/* Deletes the messages of whole channels, least recently read first, until the file is no
   larger than this; reopens the file. The order of the channels' numbers is that of last use. */
int roost_limit_evict(roost_limit *limit, int64_t target_bytes);

/* Moves the log into the file. */
int roost_limit_checkpoint(roost_limit *limit);
int64_t roost_limit_file_bytes(const roost_limit *limit);

/* -- A reader beside the writer, on a thread and a connection of its own. -- */

typedef struct roost_limit_pager roost_limit_pager;

/* Starts to read pages of 30 at random; NULL if it fails. `data` must outlive it. */
roost_limit_pager *roost_limit_pager_start(
    const char *path, roost_limit_options options, const roost_data *data);
/* Ends it and copies the microseconds of at most `capacity` pages to `micros`; returns their number. */
int64_t roost_limit_pager_stop(roost_limit_pager *pager, double *micros, int64_t capacity);

/* -- The limit of the outbox: one message per transaction, durable when the call returns. -- */

typedef struct roost_queue roost_queue;

/* NULL when the file cannot be used. */
roost_queue *roost_queue_open(const char *path);
bool roost_queue_append(
    roost_queue *queue, const char *request_id, const char *channel, int64_t created_at,
    roost_bytes payload);
void roost_queue_close(roost_queue *queue);

/* -- Sockets at rest. -- */

/* Sends descriptors into a local socket, where they stay open although this process closes its own. So
   it can have more than its table holds. Returns the number of sent descriptors. */
int roost_park(int via, const int *descriptors, int count);

/* -- The limit of several servers: rows of messages by libpq, pipelined, durable when answered. -- */

typedef struct {
    const char *address; /* Of a database with the tables of Roost. */
    const char *body;    /* The stored text of each message. */
    int connections;     /* Each on a thread of its own. */
    int rows_per_commit;
    double commits_per_second; /* Of all connections together; 0 is as many as possible. */
    double seconds;
    int64_t first_channel; /* A number that no channel has; `connections` * 64 are used. */
} roost_insert_options;

/* Inserts rows for a while. Copies the microseconds of at most `capacity` commits to `micros`, and their
   number to `count`. Returns the number of rows; negative when it fails, with the reason in `error`. */
int64_t roost_insert_run(
    const roost_insert_options *options, double *micros, int64_t capacity, int64_t *count,
    char *error, int error_size);

#endif
