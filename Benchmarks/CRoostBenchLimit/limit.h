/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROOST_BENCH_LIMIT_INTERNAL_H
#define ROOST_BENCH_LIMIT_INTERNAL_H

#include <sqlite3.h>

#include "CRoostBenchLimit.h"
#include "scan.h"

/* Names interned to small integers, as the table of the same columns has them. */
typedef struct {
    uint64_t *hashes;
    int32_t *numbers; /* 0 is an empty place. */
    char **names;
    size_t capacity, count;
} names;

/* A user as readers get it; messages share one. */
typedef struct {
    char *id, *nickname, *profile_url, *metadata;
    uint64_t hash; /* Of the server's last version. */
} limit_user;

typedef struct {
    char *key;
    int64_t updated_at;
    int user_count;
    const limit_user **users;
} limit_reaction;

typedef struct {
    int64_t id, created_at, updated_at, parent_id, file_size;
    const limit_user *sender;
    char *text, *data, *custom_type, *request_id, *file_url, *file_name, *file_type;
    bool is_file, is_admin, silent, by_operator, replies_to_channel, mentions_channel;
    int mention_count, reaction_count, meta_count;
    const limit_user **mentions;
    limit_reaction *reactions;
    char ***metas; /* Key, then values, then NULL. */
} limit_message;

/* A message before and after a commit; NULL if there was or is none. */
typedef struct {
    limit_message *before, *after;
} limit_change;

typedef struct {
    char *url, *name, *cover_url, *data, *custom_type;
    int64_t created_at, member_count, unread_count;
    int members;
    const limit_user **member;
    limit_message *last;
} limit_channel;

enum {
    BEGIN, COMMIT, ROLLBACK,
    FIND_USER, LOAD_USER, ADD_USER, CHANGE_USER,
    FIND_CHANNEL, ADD_CHANNEL, CHANGE_CHANNEL, COVER, SET_TOKEN, LIST_CHANNELS,
    INSERT, UPDATE, PLACE_OF, REMOVE, OLD_PAYLOAD, PAGE, BY_ID,
    INDEX_TEXT, UNINDEX_TEXT, SEARCH,
    STATEMENTS
};

struct roost_limit {
    sqlite3 *db;
    char *path;
    roost_limit_options options;
    sqlite3_stmt *statement[STATEMENTS];
    names user_names, channel_names;
    limit_user **users; /* By number; NULL until asked for. */
    size_t user_capacity;
    char error[256];
    /* The journal: what the last commit changed, until the next one. */
    limit_change *changes;
    size_t change_count, change_capacity;
    /* Scratch, kept for the next call. */
    uint8_t *payload, *text;
    size_t payload_capacity, text_capacity;
    scanned_message message;
    scanned_channel channel;
};

/* A growing run of bytes. */
typedef struct {
    uint8_t *at;
} writer;

sqlite3_stmt *limit_statement(roost_limit *limit, int which);
int limit_fail(roost_limit *limit, const char *what);
/* Runs a statement without rows. */
bool limit_run(roost_limit *limit, sqlite3_stmt *statement, const char *what);
bool limit_script(roost_limit *limit, const char *sql);
bool limit_reserve(uint8_t **bytes, size_t *capacity, size_t wanted);

/* The number of a user, made if there is none; 0 if that fails. */
int32_t limit_user_number(roost_limit *limit, const scanned_user *user);
int32_t limit_user_number_of_id(roost_limit *limit, slice id);
const limit_user *limit_user_at(roost_limit *limit, int32_t number);
int32_t limit_channel_number(roost_limit *limit, const uint8_t *url, size_t length, bool makes);

/* The stored form of a message, in `limit->payload`; its length, negative when it fails. */
int64_t limit_encode(roost_limit *limit, const scanned_message *message);
/* A message of its own for a row; NULL when it fails. */
limit_message *limit_decode(
    roost_limit *limit, int64_t created_at, int64_t id, const uint8_t *payload, size_t length);
void limit_free_message(limit_message *message);

/* Takes both messages over. */
bool limit_note_change(roost_limit *limit, limit_message *before, limit_message *after);
/* Called when the reader of the journal is done with it. */
void limit_forget_changes(roost_limit *limit);

/* The text as it is indexed, with room between characters of languages without spaces. */
size_t limit_searchable(roost_limit *limit, const uint8_t *text, size_t length);
/* The text of a stored message: where it begins and how long it is. */
const uint8_t *limit_text_of(
    roost_limit *limit, const uint8_t *payload, size_t length, size_t *text_length);

#endif
