// SPDX-License-Identifier: Apache-2.0

#include "scan.h"

#include <string.h>

bool slice_is(slice text, const char *word) {
    return strlen(word) == text.length && memcmp(text.at, word, text.length) == 0;
}

static inline void space(scan *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

static inline bool take(scan *s, uint8_t byte) {
    space(s);
    if (s->at >= s->end || *s->at != byte) return false;
    s->at++;
    return true;
}

bool scan_open(scan *s, uint8_t bracket) {
    if (take(s, bracket)) return true;
    if (s->at + 4 <= s->end && memcmp(s->at, "null", 4) == 0) {
        s->at += 4;
        return false;
    }
    s->failed = true;
    return false;
}

/* The first quote or backslash, eight bytes at a time. */
static inline const uint8_t *string_stop(const uint8_t *at, const uint8_t *end) {
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    while (at + 8 <= end) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t hit = ((quote - ones) & ~quote & highs) | ((slash - ones) & ~slash & highs);
        if (hit) return at + (__builtin_ctzll(hit) >> 3);
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\') at++;
    return at;
}

slice scan_string(scan *s) {
    slice text = {s->at, 0, false};
    if (!take(s, '"')) {
        if (s->at + 4 <= s->end && memcmp(s->at, "null", 4) == 0) s->at += 4;
        else s->failed = true;
        return text;
    }
    text.at = s->at;
    const uint8_t *at = s->at;
    for (;;) {
        at = string_stop(at, s->end);
        if (at >= s->end) {
            s->failed = true;
            s->at = s->end;
            return text;
        }
        if (*at == '"') break;
        text.escaped = true;
        at += 2;
    }
    text.length = (uint32_t)(at - text.at);
    s->at = at + 1;
    return text;
}

int64_t scan_int(scan *s) {
    space(s);
    bool negative = s->at < s->end && *s->at == '-';
    if (negative) s->at++;
    const uint8_t *start = s->at;
    int64_t value = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') value = value * 10 + (*s->at++ - '0');
    if (s->at == start) s->failed = true;
    return negative ? -value : value;
}

static bool scan_bool(scan *s) {
    space(s);
    if (s->at < s->end && *s->at == 't') {
        s->at += 4;
        return true;
    }
    s->at += 5; /* `false`, and one byte too many of `null`, which servers do not send here. */
    return false;
}

void scan_skip(scan *s) {
    int depth = 0;
    do {
        space(s);
        if (s->at >= s->end) {
            s->failed = true;
            return;
        }
        switch (*s->at) {
        case '"': scan_string(s); break;
        case '{':
        case '[':
            depth++;
            s->at++;
            break;
        case '}':
        case ']':
            depth--;
            s->at++;
            break;
        case ',':
        case ':': s->at++; break;
        default:
            while (s->at < s->end && *s->at != ',' && *s->at != '}' && *s->at != ']') s->at++;
        }
    } while (depth > 0);
}

bool scan_field(scan *s, slice *name) {
    if (s->failed) return false;
    take(s, ',');
    if (take(s, '}')) return false;
    *name = scan_string(s);
    if (!take(s, ':')) s->failed = true;
    return !s->failed;
}

bool scan_element(scan *s) {
    if (s->failed) return false;
    take(s, ',');
    if (take(s, ']')) return false;
    if (s->at >= s->end) s->failed = true;
    return !s->failed;
}

#define NAMED(word) (name.length == sizeof word - 1 && memcmp(name.at, word, sizeof word - 1) == 0)

static int scan_strings(scan *s, slice *texts) {
    int count = 0;
    if (!scan_open(s, '[')) return 0;
    while (scan_element(s)) {
        slice text = scan_string(s);
        if (count < MAX_LIST) texts[count++] = text;
    }
    return count;
}

static void scan_user(scan *s, scanned_user *user) {
    memset(user, 0, sizeof *user);
    space(s);
    user->json.at = s->at;
    if (!scan_open(s, '{')) return;
    slice name;
    while (scan_field(s, &name)) {
        if (NAMED("user_id")) user->id = scan_string(s);
        else if (NAMED("nickname")) user->nickname = scan_string(s);
        else if (NAMED("profile_url")) user->profile_url = scan_string(s);
        else if (NAMED("state")) user->state = scan_string(s);
        else if (NAMED("role")) user->is_operator = slice_is(scan_string(s), "operator");
        else if (NAMED("metadata")) {
            user->metadata.at = s->at;
            scan_skip(s);
            user->metadata.length = (uint32_t)(s->at - user->metadata.at);
        } else scan_skip(s);
    }
    user->json.length = (uint32_t)(s->at - user->json.at);
}

static void scan_mentions(scan *s, scanned_message *message) {
    if (!scan_open(s, '[')) return;
    while (scan_element(s)) {
        scanned_user user;
        scan_user(s, &user);
        if (message->mention_count < MAX_LIST) message->mentions[message->mention_count++] = user.id;
    }
}

static void scan_reactions(scan *s, scanned_message *message) {
    if (!scan_open(s, '[')) return;
    while (scan_element(s)) {
        scanned_reaction unused, *reaction = &unused;
        if (message->reaction_count < MAX_LIST)
            reaction = &message->reactions[message->reaction_count++];
        reaction->user_count = 0;
        reaction->updated_at = 0;
        slice name;
        scan_open(s, '{');
        while (scan_field(s, &name)) {
            if (NAMED("key")) reaction->key = scan_string(s);
            else if (NAMED("user_ids")) reaction->user_count = scan_strings(s, reaction->users);
            else if (NAMED("updated_at")) reaction->updated_at = scan_int(s);
            else scan_skip(s);
        }
    }
}

static void scan_metas(scan *s, scanned_message *message) {
    if (!scan_open(s, '[')) return;
    while (scan_element(s)) {
        scanned_meta unused, *meta = &unused;
        if (message->meta_count < MAX_LIST) meta = &message->metas[message->meta_count++];
        meta->value_count = 0;
        slice name;
        scan_open(s, '{');
        while (scan_field(s, &name)) {
            if (NAMED("key")) meta->key = scan_string(s);
            else if (NAMED("value")) meta->value_count = scan_strings(s, meta->values);
            else scan_skip(s);
        }
    }
}

static void scan_file(scan *s, scanned_message *message) {
    slice name;
    if (!scan_open(s, '{')) return;
    while (scan_field(s, &name)) {
        if (NAMED("url")) message->file_url = scan_string(s);
        else if (NAMED("name")) message->file_name = scan_string(s);
        else if (NAMED("type")) message->file_type = scan_string(s);
        else if (NAMED("size")) message->file_size = scan_int(s);
        else scan_skip(s);
    }
}

void scan_message(scan *s, scanned_message *message) {
    /* All fields but the lists, of which only the counted entries are valid. */
    memset(message, 0, offsetof(scanned_message, mentions));
    space(s);
    message->json.at = s->at;
    slice name;
    if (!scan_open(s, '{')) return;
    while (scan_field(s, &name)) {
        switch (name.length) {
        case 4:
            if (NAMED("type")) message->type = scan_string(s);
            else if (NAMED("data")) message->data = scan_string(s);
            else if (NAMED("file")) scan_file(s, message);
            else if (NAMED("user")) {
                scan_user(s, &message->sender);
                message->has_sender = message->sender.id.length > 0;
            } else scan_skip(s);
            break;
        case 6:
            if (NAMED("silent")) message->silent = scan_bool(s);
            else if (NAMED("req_id")) message->request_id = scan_string(s);
            else scan_skip(s);
            break;
        case 7:
            if (NAMED("message")) message->text = scan_string(s);
            else scan_skip(s);
            break;
        case 9:
            if (NAMED("is_op_msg")) message->by_operator = scan_bool(s);
            else if (NAMED("reactions")) scan_reactions(s, message);
            else scan_skip(s);
            break;
        case 10:
            if (NAMED("message_id")) message->id = scan_int(s);
            else if (NAMED("created_at")) message->created_at = scan_int(s);
            else if (NAMED("updated_at")) message->updated_at = scan_int(s);
            else scan_skip(s);
            break;
        case 11:
            if (NAMED("channel_url")) message->channel_url = scan_string(s);
            else if (NAMED("custom_type")) message->custom_type = scan_string(s);
            else scan_skip(s);
            break;
        default:
            if (NAMED("mention_type"))
                message->mentions_channel = slice_is(scan_string(s), "channel");
            else if (NAMED("mentioned_users")) scan_mentions(s, message);
            else if (NAMED("sorted_metaarray")) scan_metas(s, message);
            else if (NAMED("parent_message_id")) message->parent_id = scan_int(s);
            else if (NAMED("is_reply_to_channel")) message->replies_to_channel = scan_bool(s);
            else scan_skip(s);
        }
    }
    message->json.length = (uint32_t)(s->at - message->json.at);
    if (message->id == 0 || message->created_at == 0) s->failed = true;
}

void scan_channel(scan *s, scanned_channel *channel) {
    memset(channel, 0, offsetof(scanned_channel, member));
    channel->has_last = false;
    slice name;
    if (!scan_open(s, '{')) return;
    while (scan_field(s, &name)) {
        if (NAMED("channel_url")) channel->url = scan_string(s);
        else if (NAMED("name")) channel->name = scan_string(s);
        else if (NAMED("cover_url")) channel->cover_url = scan_string(s);
        else if (NAMED("data")) channel->data = scan_string(s);
        else if (NAMED("custom_type")) channel->custom_type = scan_string(s);
        else if (NAMED("created_at")) channel->created_at = scan_int(s);
        else if (NAMED("member_count")) channel->member_count = scan_int(s);
        else if (NAMED("unread_message_count")) channel->unread_count = scan_int(s);
        else if (NAMED("members")) {
            if (!scan_open(s, '[')) continue;
            while (scan_element(s)) {
                scanned_user user;
                scan_user(s, &user);
                if (channel->members < 128) channel->member[channel->members++] = user;
            }
        } else if (NAMED("last_message")) {
            scan_message(s, &channel->last);
            channel->has_last = true;
        } else scan_skip(s);
    }
}

static uint32_t hex4(const uint8_t *at) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = at[i];
        value = value * 16 + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

size_t unescape(slice text, uint8_t *to) {
    if (!text.escaped) {
        memcpy(to, text.at, text.length);
        return text.length;
    }
    const uint8_t *at = text.at, *end = at + text.length;
    uint8_t *out = to;
    while (at < end) {
        if (*at != '\\' || at + 1 >= end) {
            *out++ = *at++;
            continue;
        }
        uint8_t c = at[1];
        at += 2;
        switch (c) {
        case 'n': *out++ = '\n'; continue;
        case 't': *out++ = '\t'; continue;
        case 'r': *out++ = '\r'; continue;
        case 'b': *out++ = '\b'; continue;
        case 'f': *out++ = '\f'; continue;
        case 'u': break;
        default: *out++ = c; continue;
        }
        if (at + 4 > end) break;
        uint32_t point = hex4(at);
        at += 4;
        if (point >= 0xD800 && point < 0xDC00 && at + 6 <= end && at[0] == '\\') {
            point = 0x10000 + ((point - 0xD800) << 10) + (hex4(at + 2) - 0xDC00);
            at += 6;
        }
        if (point < 0x80) *out++ = (uint8_t)point;
        else if (point < 0x800) {
            *out++ = (uint8_t)(0xC0 | point >> 6);
            *out++ = (uint8_t)(0x80 | (point & 63));
        } else if (point < 0x10000) {
            *out++ = (uint8_t)(0xE0 | point >> 12);
            *out++ = (uint8_t)(0x80 | (point >> 6 & 63));
            *out++ = (uint8_t)(0x80 | (point & 63));
        } else {
            *out++ = (uint8_t)(0xF0 | point >> 18);
            *out++ = (uint8_t)(0x80 | (point >> 12 & 63));
            *out++ = (uint8_t)(0x80 | (point >> 6 & 63));
            *out++ = (uint8_t)(0x80 | (point & 63));
        }
    }
    return (size_t)(out - to);
}
