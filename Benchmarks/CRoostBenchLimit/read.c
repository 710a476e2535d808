// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "limit.h"

/* The message of a statement's current row: columns time, ID, payload. */
static limit_message *message_of(roost_limit *limit, sqlite3_stmt *statement) {
    const uint8_t *payload = sqlite3_column_blob(statement, 2);
    return limit_decode(
        limit, sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), payload,
        (size_t)sqlite3_column_bytes(statement, 2));
}

int roost_limit_read_page(roost_limit *limit, const char *url, int64_t before, int count) {
    int32_t channel =
        limit_channel_number(limit, (const uint8_t *)url, strlen(url), false);
    if (!channel) return 0;
    sqlite3_stmt *statement = limit_statement(limit, PAGE);
    limit_message **messages = malloc((size_t)count * sizeof *messages);
    if (!statement || !messages) return limit_fail(limit, "read a page");
    sqlite3_bind_int(statement, 1, channel);
    sqlite3_bind_int64(statement, 2, before);
    sqlite3_bind_int(statement, 3, count);
    int found = 0, code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        messages[found] = message_of(limit, statement);
        if (messages[found]) found++;
    }
    sqlite3_reset(statement);
    for (int i = 0; i < found; i++) limit_free_message(messages[i]);
    free(messages);
    return code == SQLITE_DONE ? found : limit_fail(limit, "read a page");
}

int roost_limit_read_message(roost_limit *limit, int64_t id) {
    sqlite3_stmt *statement = limit_statement(limit, BY_ID);
    if (!statement) return -1;
    sqlite3_bind_int64(statement, 1, id);
    limit_message *message = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW) message = message_of(limit, statement);
    sqlite3_reset(statement);
    int found = message != NULL;
    limit_free_message(message);
    return found;
}

int roost_limit_search(roost_limit *limit, const char *words, int count) {
    size_t length = limit_searchable(limit, (const uint8_t *)words, strlen(words));
    sqlite3_stmt *statement = limit_statement(limit, SEARCH);
    /* Written so that characters without spaces stand side by side, as a phrase. */
    char *phrase = malloc(length + 3);
    if (!statement || !phrase) return -1;
    bool is_phrase = words[0] & 0x80;
    size_t at = 0;
    if (is_phrase) phrase[at++] = '"';
    memcpy(phrase + at, limit->text, length);
    at += length;
    if (is_phrase) phrase[at++] = '"';
    sqlite3_bind_text(statement, 1, phrase, (int)at, SQLITE_STATIC);
    sqlite3_bind_int(statement, 2, count);
    int found = 0, code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        found += roost_limit_read_message(limit, sqlite3_column_int64(statement, 0));
    sqlite3_reset(statement);
    free(phrase);
    return code == SQLITE_DONE ? found : limit_fail(limit, "search");
}

// MARK: - Channels

static uint64_t get_number(const uint8_t **at) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

static char *get_text(const uint8_t **at) {
    size_t length = get_number(at);
    char *text = strndup((const char *)*at, length);
    *at += length;
    return text;
}

static void read_channel(roost_limit *limit, sqlite3_stmt *statement, limit_channel *channel) {
    channel->url = strdup((const char *)sqlite3_column_text(statement, 0));
    const uint8_t *at = sqlite3_column_blob(statement, 1);
    const uint8_t *end = at + sqlite3_column_bytes(statement, 1);
    channel->name = get_text(&at);
    channel->cover_url = get_text(&at);
    channel->data = get_text(&at);
    channel->custom_type = get_text(&at);
    channel->created_at = (int64_t)get_number(&at);
    channel->member_count = (int64_t)get_number(&at);
    channel->unread_count = (int64_t)get_number(&at);
    channel->members = (int)get_number(&at);
    channel->member = calloc((size_t)channel->members + 1, sizeof *channel->member);
    for (int i = 0; i < channel->members; i++)
        channel->member[i] = limit_user_at(limit, (int32_t)get_number(&at));
    if (at >= end) return;
    int64_t created_at = (int64_t)get_number(&at), id = (int64_t)get_number(&at);
    channel->last = limit_decode(limit, created_at, id, at, (size_t)(end - at));
}

int roost_limit_read_channels(roost_limit *limit, int count) {
    sqlite3_stmt *statement = limit_statement(limit, LIST_CHANNELS);
    limit_channel *channels = calloc((size_t)count, sizeof *channels);
    if (!statement || !channels) return limit_fail(limit, "list channels");
    sqlite3_bind_int(statement, 1, count);
    int found = 0, code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        read_channel(limit, statement, &channels[found++]);
    sqlite3_reset(statement);
    for (int i = 0; i < found; i++) {
        free(channels[i].url);
        free(channels[i].name);
        free(channels[i].cover_url);
        free(channels[i].data);
        free(channels[i].custom_type);
        free(channels[i].member);
        limit_free_message(channels[i].last);
    }
    free(channels);
    return code == SQLITE_DONE ? found : limit_fail(limit, "list channels");
}
