/* SPDX-License-Identifier: Apache-2.0
 *
 * A scan of the server's JSON for the fields the limit stores. It trusts the server where a product
 * could not: UTF-8 is not checked, and skipped values are only matched by their brackets.
 */
#ifndef ROOST_BENCH_SCAN_H
#define ROOST_BENCH_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text between quotes, escapes not yet undone. */
typedef struct {
    const uint8_t *at;
    uint32_t length;
    bool escaped;
} slice;

typedef struct {
    const uint8_t *at, *end;
    bool failed;
} scan;

enum { MAX_LIST = 32 };

typedef struct {
    slice key;
    int64_t updated_at;
    int user_count;
    slice users[MAX_LIST];
} scanned_reaction;

typedef struct {
    slice key;
    int value_count;
    slice values[MAX_LIST];
} scanned_meta;

typedef struct {
    slice json; /* The whole object. */
    slice id, nickname, profile_url, metadata, state;
    bool is_operator;
} scanned_user;

typedef struct {
    slice json; /* The whole object. */
    slice type, text, data, custom_type, channel_url, request_id;
    slice file_url, file_name, file_type;
    int64_t id, created_at, updated_at, parent_id, file_size;
    bool has_sender, silent, by_operator, replies_to_channel, mentions_channel;
    scanned_user sender;
    int mention_count, reaction_count, meta_count;
    slice mentions[MAX_LIST]; /* User IDs. */
    scanned_reaction reactions[MAX_LIST];
    scanned_meta metas[MAX_LIST];
} scanned_message;

typedef struct {
    slice url, name, cover_url, data, custom_type;
    int64_t created_at, last_message_at, member_count, unread_count;
    int members;
    scanned_user member[128];
    bool has_last;
    scanned_message last;
} scanned_channel;

bool slice_is(slice text, const char *word);

/* False at the end of the object or list. */
bool scan_open(scan *s, uint8_t bracket);
bool scan_field(scan *s, slice *name);
bool scan_element(scan *s);
slice scan_string(scan *s);
int64_t scan_int(scan *s);
void scan_skip(scan *s);

void scan_message(scan *s, scanned_message *message);
void scan_channel(scan *s, scanned_channel *channel);

/* Copies the text with its escapes undone; returns its length, never more than the slice's. */
size_t unescape(slice text, uint8_t *to);

#endif
