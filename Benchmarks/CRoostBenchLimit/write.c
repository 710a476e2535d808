// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "limit.h"

static bool begin(roost_limit *limit) {
    limit_forget_changes(limit);
    sqlite3_stmt *statement = limit_statement(limit, BEGIN);
    return statement && limit_run(limit, statement, "begin");
}

/* Commits or rolls back the transaction; returns the result of the call. */
static int end(roost_limit *limit, bool succeeded, int answer) {
    sqlite3_stmt *statement = limit_statement(limit, succeeded ? COMMIT : ROLLBACK);
    if (!statement || !limit_run(limit, statement, "commit")) return -1;
    return succeeded ? answer : -1;
}

static void bind_place(sqlite3_stmt *statement, int32_t channel, int64_t created_at, int64_t id) {
    sqlite3_bind_int(statement, 1, channel);
    sqlite3_bind_int64(statement, 2, created_at);
    sqlite3_bind_int64(statement, 3, id);
}

// MARK: - The index of words

size_t limit_searchable(roost_limit *limit, const uint8_t *text, size_t length) {
    if (!limit_reserve(&limit->text, &limit->text_capacity, length * 2 + 8)) return 0;
    uint8_t *to = limit->text;
    for (size_t i = 0; i < length;) {
        uint8_t byte = text[i];
        if (byte >= 0xE3 && byte <= 0xEF && i + 3 <= length) {
            *to++ = ' ';
            memcpy(to, text + i, 3);
            to += 3;
            i += 3;
        } else {
            *to++ = byte;
            i++;
        }
    }
    return (size_t)(to - limit->text);
}

static bool change_words(roost_limit *limit, int which, int64_t id, const uint8_t *payload,
                         size_t payload_length) {
    size_t length;
    const uint8_t *text = limit_text_of(limit, payload, payload_length, &length);
    if (length == 0) return true;
    size_t searchable = limit_searchable(limit, text, length);
    sqlite3_stmt *statement = limit_statement(limit, which);
    if (!statement) return false;
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, (const char *)limit->text, (int)searchable, SQLITE_STATIC);
    return limit_run(limit, statement, "index words");
}

// MARK: - Messages

/* Reads the present message at a place, NULL if there is none; removes its words from the index unless
   it was edited after `edited_at`. */
static bool read_before(roost_limit *limit, int32_t channel, int64_t created_at, int64_t id,
                        int64_t edited_at, limit_message **before) {
    sqlite3_stmt *old = limit_statement(limit, OLD_PAYLOAD);
    *before = NULL;
    if (!old) return false;
    bind_place(old, channel, created_at, id);
    bool succeeded = true;
    if (sqlite3_step(old) == SQLITE_ROW) {
        const uint8_t *payload = sqlite3_column_blob(old, 0);
        size_t length = (size_t)sqlite3_column_bytes(old, 0);
        *before = limit_decode(limit, created_at, id, payload, length);
        succeeded = *before != NULL;
        if (succeeded && limit->options.has_search && (*before)->updated_at <= edited_at)
            succeeded = change_words(limit, UNINDEX_TEXT, id, payload, length);
    }
    sqlite3_reset(old);
    return succeeded;
}

/* Notes the old message, and the new one in `limit->payload`. */
static bool note_after(roost_limit *limit, limit_message *before, int64_t created_at, int64_t id,
                       int64_t length) {
    limit_message *after = limit_decode(limit, created_at, id, limit->payload, (size_t)length);
    return after && limit_note_change(limit, before, after);
}

static bool update(roost_limit *limit, int32_t channel, const scanned_message *message,
                   int64_t length) {
    limit_message *before;
    if (!read_before(limit, channel, message->created_at, message->id, message->updated_at, &before))
        return false;
    if (!before) return true;
    /* The copy edited later wins, whichever comes first. */
    if (before->updated_at > message->updated_at) {
        limit_free_message(before);
        return true;
    }
    sqlite3_stmt *statement = limit_statement(limit, UPDATE);
    if (!statement) return false;
    bind_place(statement, channel, message->created_at, message->id);
    sqlite3_bind_blob(statement, 4, limit->payload, (int)length, SQLITE_STATIC);
    if (!limit_run(limit, statement, "update a message")
        || !note_after(limit, before, message->created_at, message->id, length))
        return false;
    if (!limit->options.has_search) return true;
    return change_words(limit, INDEX_TEXT, message->id, limit->payload, (size_t)length);
}

/* Adds or replaces a message; counts new ones. */
static bool upsert(roost_limit *limit, int32_t channel, const scanned_message *message,
                   int *added) {
    int64_t length = limit_encode(limit, message);
    sqlite3_stmt *statement = limit_statement(limit, INSERT);
    if (length < 0 || !statement) return false;
    bind_place(statement, channel, message->created_at, message->id);
    sqlite3_bind_blob(statement, 4, limit->payload, (int)length, SQLITE_STATIC);
    if (limit->options.sender_index)
        sqlite3_bind_int(statement, 5, limit_user_number_of_id(limit, message->sender.id));
    if (!limit_run(limit, statement, "insert a message")) return false;
    if (sqlite3_changes(limit->db) == 0) return update(limit, channel, message, length);
    ++*added;
    if (!note_after(limit, NULL, message->created_at, message->id, length)) return false;
    return !limit->options.has_search
        || change_words(limit, INDEX_TEXT, message->id, limit->payload, (size_t)length);
}

static bool put_messages(roost_limit *limit, scan *s, int *count) {
    scanned_message *message = &limit->message;
    int32_t channel = 0;
    int64_t oldest = INT64_MAX;
    int added = 0;
    if (!scan_open(s, '[')) return false;
    while (scan_element(s)) {
        scan_message(s, message);
        if (s->failed) return false;
        if (!channel)
            channel = limit_channel_number(
                limit, message->channel_url.at, message->channel_url.length, true);
        if (!channel || !upsert(limit, channel, message, &added)) return false;
        if (message->created_at < oldest) oldest = message->created_at;
        ++*count;
    }
    if (!channel) return true;
    sqlite3_stmt *cover = limit_statement(limit, COVER);
    if (!cover) return false;
    bind_place(cover, channel, oldest, added);
    return limit_run(limit, cover, "cover");
}

int roost_limit_put_page(roost_limit *limit, roost_bytes body) {
    scan s = {body.bytes, body.bytes + body.length, false};
    int count = 0;
    if (!begin(limit)) return -1;
    bool succeeded = scan_open(&s, '{');
    slice name;
    while (succeeded && scan_field(&s, &name)) {
        if (slice_is(name, "messages")) succeeded = put_messages(limit, &s, &count);
        else scan_skip(&s);
    }
    return end(limit, succeeded && !s.failed, count);
}

int roost_limit_put_live(roost_limit *limit, roost_bytes body) {
    scan s = {body.bytes, body.bytes + body.length, false};
    scanned_message *message = &limit->message;
    scan_message(&s, message);
    if (s.failed || !begin(limit)) return -1;
    int32_t channel = limit_channel_number(
        limit, message->channel_url.at, message->channel_url.length, true);
    int added = 0;
    return end(limit, channel && upsert(limit, channel, message, &added), 1);
}

// MARK: - Change logs

static bool remove_message(roost_limit *limit, int64_t id, int *removed) {
    sqlite3_stmt *place = limit_statement(limit, PLACE_OF);
    if (!place) return false;
    sqlite3_bind_int64(place, 1, id);
    bool found = sqlite3_step(place) == SQLITE_ROW;
    int32_t channel = found ? sqlite3_column_int(place, 0) : 0;
    int64_t created_at = found ? sqlite3_column_int64(place, 1) : 0;
    sqlite3_reset(place);
    if (!found) return true;
    limit_message *before;
    if (!read_before(limit, channel, created_at, id, INT64_MAX, &before)
        || !limit_note_change(limit, before, NULL))
        return false;
    sqlite3_stmt *statement = limit_statement(limit, REMOVE);
    if (!statement) return false;
    bind_place(statement, channel, created_at, id);
    ++*removed;
    return limit_run(limit, statement, "remove a message");
}

static bool apply_edits(roost_limit *limit, scan *s, int32_t *channel, int *changes) {
    scanned_message *message = &limit->message;
    if (!scan_open(s, '[')) return false;
    while (scan_element(s)) {
        scan_message(s, message);
        if (s->failed) return false;
        if (!*channel)
            *channel = limit_channel_number(
                limit, message->channel_url.at, message->channel_url.length, false);
        if (!*channel) continue;
        int64_t length = limit_encode(limit, message);
        if (length < 0 || !update(limit, *channel, message, length)) return false;
        ++*changes;
    }
    return true;
}

static bool apply_deletions(roost_limit *limit, scan *s, int *removed) {
    if (!scan_open(s, '[')) return false;
    while (scan_element(s)) {
        slice name;
        if (!scan_open(s, '{')) return false;
        while (scan_field(s, &name)) {
            if (!slice_is(name, "message_id")) scan_skip(s);
            else if (!remove_message(limit, scan_int(s), removed)) return false;
        }
    }
    return true;
}

int roost_limit_apply_changes(roost_limit *limit, roost_bytes body) {
    scan s = {body.bytes, body.bytes + body.length, false};
    int changes = 0, removed = 0;
    int32_t channel = 0;
    slice name, token = {0};
    if (!begin(limit)) return -1;
    bool succeeded = scan_open(&s, '{');
    while (succeeded && scan_field(&s, &name)) {
        if (slice_is(name, "updated")) succeeded = apply_edits(limit, &s, &channel, &changes);
        else if (slice_is(name, "deleted")) succeeded = apply_deletions(limit, &s, &removed);
        else if (slice_is(name, "next")) token = scan_string(&s);
        else scan_skip(&s);
    }
    sqlite3_stmt *statement = succeeded ? limit_statement(limit, SET_TOKEN) : NULL;
    if (statement && channel) {
        sqlite3_bind_int(statement, 1, channel);
        sqlite3_bind_text(statement, 2, (const char *)token.at, (int)token.length, SQLITE_STATIC);
        sqlite3_bind_int(statement, 3, -removed);
        succeeded = limit_run(limit, statement, "keep a token");
    }
    return end(limit, succeeded && !s.failed, changes + removed);
}

// MARK: - Channels

static void put_number(uint8_t **at, uint64_t value) {
    while (value >= 0x80) {
        *(*at)++ = (uint8_t)value | 0x80;
        value >>= 7;
    }
    *(*at)++ = (uint8_t)value;
}

static void put_text(uint8_t **at, slice text) {
    put_number(at, text.length);
    memcpy(*at, text.at, text.length);
    *at += text.length;
}

static bool put_channel(roost_limit *limit, const scanned_channel *channel) {
    uint8_t payload[16384], *at = payload;
    put_text(&at, channel->name);
    put_text(&at, channel->cover_url);
    put_text(&at, channel->data);
    put_text(&at, channel->custom_type);
    put_number(&at, (uint64_t)channel->created_at);
    put_number(&at, (uint64_t)channel->member_count);
    put_number(&at, (uint64_t)channel->unread_count);
    put_number(&at, (uint64_t)channel->members);
    for (int i = 0; i < channel->members; i++) {
        int32_t number = limit_user_number(limit, &channel->member[i]);
        if (!number) return false;
        put_number(&at, (uint64_t)number);
    }
    if (channel->has_last) {
        int64_t length = limit_encode(limit, &channel->last);
        if (length < 0 || length > 8000) return false;
        put_number(&at, (uint64_t)channel->last.created_at);
        put_number(&at, (uint64_t)channel->last.id);
        memcpy(at, limit->payload, (size_t)length);
        at += length;
    }
    int32_t number = limit_channel_number(limit, channel->url.at, channel->url.length, true);
    sqlite3_stmt *statement = limit_statement(limit, CHANGE_CHANNEL);
    if (!number || !statement) return false;
    sqlite3_bind_int(statement, 1, number);
    sqlite3_bind_int64(
        statement, 2, channel->has_last ? channel->last.created_at : channel->created_at);
    sqlite3_bind_blob(statement, 3, payload, (int)(at - payload), SQLITE_STATIC);
    return limit_run(limit, statement, "change a channel");
}

int roost_limit_put_channels(roost_limit *limit, roost_bytes body) {
    scan s = {body.bytes, body.bytes + body.length, false};
    int count = 0;
    slice name;
    if (!begin(limit)) return -1;
    bool succeeded = scan_open(&s, '{');
    while (succeeded && scan_field(&s, &name)) {
        if (!slice_is(name, "channels")) {
            scan_skip(&s);
            continue;
        }
        succeeded = scan_open(&s, '[');
        while (succeeded && scan_element(&s)) {
            scan_channel(&s, &limit->channel);
            succeeded = !s.failed && put_channel(limit, &limit->channel);
            count++;
        }
    }
    return end(limit, succeeded && !s.failed, count);
}
