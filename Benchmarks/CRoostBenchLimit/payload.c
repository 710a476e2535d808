// SPDX-License-Identifier: Apache-2.0
//
// The stored form of a message, and back to a struct whose texts are its own. Texts lie behind the
// struct in one allocation; rare lists are allocations of their own.

#include <stdlib.h>
#include <string.h>

#include "limit.h"

#ifdef ROOST_LIMIT_ZLIB
#include <zlib.h>
#endif

enum {
    HAS_DATA = 1 << 0,
    HAS_TYPE = 1 << 1,
    IS_EDITED = 1 << 2,
    IS_FILE = 1 << 3,
    IS_ADMIN = 1 << 4,
    IS_SILENT = 1 << 5,
    BY_OPERATOR = 1 << 6,
    HAS_PARENT = 1 << 7,
    TO_CHANNEL = 1 << 8,
    MENTIONS_CHANNEL = 1 << 9,
    HAS_MENTIONS = 1 << 10,
    HAS_REACTIONS = 1 << 11,
    HAS_META = 1 << 12,
    HAS_REQUEST = 1 << 13,
};

// MARK: - Writing

static inline void put_number(uint8_t **at, uint64_t value) {
    while (value >= 0x80) {
        *(*at)++ = (uint8_t)value | 0x80;
        value >>= 7;
    }
    *(*at)++ = (uint8_t)value;
}

/* Numbers are written where one was reserved: a text seldom grows past what its escapes took. */
static inline void put_text(uint8_t **at, slice text) {
    if (!text.escaped) {
        put_number(at, text.length);
        memcpy(*at, text.at, text.length);
        *at += text.length;
        return;
    }
    uint8_t *copy = malloc(text.length + 1);
    if (!copy) abort();
    size_t length = unescape(text, copy);
    put_number(at, length);
    memcpy(*at, copy, length);
    *at += length;
    free(copy);
}

static int64_t encode_binary(roost_limit *limit, const scanned_message *message) {
    int32_t sender = 0, mentions[MAX_LIST], reacting[MAX_LIST][MAX_LIST];
    if (message->has_sender) {
        sender = limit_user_number(limit, &message->sender);
        if (!sender) return -1;
    }
    for (int i = 0; i < message->mention_count; i++) {
        mentions[i] = limit_user_number_of_id(limit, message->mentions[i]);
        if (!mentions[i]) return -1;
    }
    for (int i = 0; i < message->reaction_count; i++)
        for (int j = 0; j < message->reactions[i].user_count; j++) {
            reacting[i][j] = limit_user_number_of_id(limit, message->reactions[i].users[j]);
            if (!reacting[i][j]) return -1;
        }
    uint32_t flags = 0;
    bool is_file = slice_is(message->type, "FILE");
    if (message->data.length) flags |= HAS_DATA;
    if (message->custom_type.length) flags |= HAS_TYPE;
    if (message->updated_at) flags |= IS_EDITED;
    if (is_file) flags |= IS_FILE;
    if (slice_is(message->type, "ADMM")) flags |= IS_ADMIN;
    if (message->silent) flags |= IS_SILENT;
    if (message->by_operator || message->sender.is_operator) flags |= BY_OPERATOR;
    if (message->parent_id) flags |= HAS_PARENT;
    if (message->replies_to_channel) flags |= TO_CHANNEL;
    if (message->mentions_channel) flags |= MENTIONS_CHANNEL;
    if (message->mention_count) flags |= HAS_MENTIONS;
    if (message->reaction_count) flags |= HAS_REACTIONS;
    if (message->meta_count) flags |= HAS_META;
    if (message->request_id.length) flags |= HAS_REQUEST;
    /* No field but a number is longer than its JSON. */
    if (!limit_reserve(&limit->payload, &limit->payload_capacity, message->json.length + 512))
        return -1;
    uint8_t *at = limit->payload;
    put_number(&at, flags);
    put_number(&at, (uint64_t)sender);
    put_text(&at, message->text);
    if (flags & HAS_DATA) put_text(&at, message->data);
    if (flags & HAS_TYPE) put_text(&at, message->custom_type);
    if (flags & IS_EDITED) put_number(&at, (uint64_t)(message->updated_at - message->created_at));
    if (is_file) {
        put_text(&at, message->file_url);
        put_text(&at, message->file_name);
        put_text(&at, message->file_type);
        put_number(&at, (uint64_t)message->file_size);
    }
    if (flags & HAS_PARENT) put_number(&at, (uint64_t)(message->id - message->parent_id));
    if (flags & HAS_MENTIONS) {
        put_number(&at, (uint64_t)message->mention_count);
        for (int i = 0; i < message->mention_count; i++) put_number(&at, (uint64_t)mentions[i]);
    }
    if (flags & HAS_REACTIONS) {
        put_number(&at, (uint64_t)message->reaction_count);
        for (int i = 0; i < message->reaction_count; i++) {
            const scanned_reaction *reaction = &message->reactions[i];
            put_text(&at, reaction->key);
            put_number(&at, (uint64_t)(reaction->updated_at - message->created_at));
            put_number(&at, (uint64_t)reaction->user_count);
            for (int j = 0; j < reaction->user_count; j++)
                put_number(&at, (uint64_t)reacting[i][j]);
        }
    }
    if (flags & HAS_META) {
        put_number(&at, (uint64_t)message->meta_count);
        for (int i = 0; i < message->meta_count; i++) {
            put_text(&at, message->metas[i].key);
            put_number(&at, (uint64_t)message->metas[i].value_count);
            for (int j = 0; j < message->metas[i].value_count; j++)
                put_text(&at, message->metas[i].values[j]);
        }
    }
    if (flags & HAS_REQUEST) put_text(&at, message->request_id);
    return at - limit->payload;
}

#ifdef ROOST_LIMIT_ZLIB
/* The length first, then the packed bytes; kept as it is when packing gains nothing. */
static int64_t pack(roost_limit *limit, int64_t length) {
    uint8_t packed[16384];
    uLongf packed_length = sizeof packed - 4;
    uint8_t *at = packed;
    if (length > 8000) return -1;
    put_number(&at, (uint64_t)length);
    int code = compress2(at, &packed_length, limit->payload, (uLong)length,
                         limit->options.compression);
    if (code != Z_OK) return -1;
    size_t total = (size_t)(at - packed) + packed_length;
    if (!limit_reserve(&limit->payload, &limit->payload_capacity, total)) return -1;
    memcpy(limit->payload, packed, total);
    return (int64_t)total;
}
#endif

int64_t limit_encode(roost_limit *limit, const scanned_message *message) {
    int64_t length;
    if (limit->options.json_payload) {
        if (message->has_sender && !limit_user_number(limit, &message->sender)) return -1;
        length = message->json.length;
        if (!limit_reserve(&limit->payload, &limit->payload_capacity, (size_t)length)) return -1;
        memcpy(limit->payload, message->json.at, (size_t)length);
    } else {
        length = encode_binary(limit, message);
    }
#ifdef ROOST_LIMIT_ZLIB
    if (length > 0 && limit->options.compression) length = pack(limit, length);
#endif
    return length;
}

// MARK: - Reading

typedef struct {
    const uint8_t *at, *end;
    bool failed;
} reader;

static inline uint64_t get_number(reader *r) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (r->at >= r->end) break;
        uint8_t byte = *r->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    r->failed = true;
    return 0;
}

/* Copies a text behind the struct; each length it had makes room for its end. */
static inline char *get_text(reader *r, char **room) {
    uint64_t length = get_number(r);
    if (length > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        length = 0;
    }
    char *text = *room;
    memcpy(text, r->at, length);
    text[length] = 0;
    *room += length + 1;
    r->at += length;
    return text;
}

static void get_lists(roost_limit *limit, limit_message *message, uint32_t flags, reader *r,
                      char **room) {
    if (flags & HAS_MENTIONS) {
        int count = (int)get_number(r);
        if (count > MAX_LIST) { r->failed = true; return; }
        message->mentions = calloc((size_t)count, sizeof *message->mentions);
        for (int i = 0; i < count; i++)
            message->mentions[i] = limit_user_at(limit, (int32_t)get_number(r));
        message->mention_count = count;
    }
    if (flags & HAS_REACTIONS) {
        int count = (int)get_number(r);
        if (count > MAX_LIST) { r->failed = true; return; }
        message->reactions = calloc((size_t)count, sizeof *message->reactions);
        message->reaction_count = count;
        for (int i = 0; i < count; i++) {
            limit_reaction *reaction = &message->reactions[i];
            reaction->key = get_text(r, room);
            reaction->updated_at = message->created_at + (int64_t)get_number(r);
            int users = (int)get_number(r);
            if (users > MAX_LIST) { r->failed = true; return; }
            reaction->users = calloc((size_t)users, sizeof *reaction->users);
            reaction->user_count = users;
            for (int j = 0; j < users; j++)
                reaction->users[j] = limit_user_at(limit, (int32_t)get_number(r));
        }
    }
    if (flags & HAS_META) {
        int count = (int)get_number(r);
        if (count > MAX_LIST) { r->failed = true; return; }
        message->metas = calloc((size_t)count, sizeof *message->metas);
        message->meta_count = count;
        for (int i = 0; i < count; i++) {
            char *key = get_text(r, room);
            int values = (int)get_number(r);
            if (values > MAX_LIST) { r->failed = true; return; }
            message->metas[i] = calloc((size_t)values + 2, sizeof **message->metas);
            message->metas[i][0] = key;
            for (int j = 0; j < values; j++) message->metas[i][j + 1] = get_text(r, room);
        }
    }
}

static limit_message *decode_binary(
    roost_limit *limit, int64_t created_at, int64_t id, const uint8_t *payload, size_t length) {
    limit_message *message = malloc(sizeof *message + length + 8);
    if (!message) return NULL;
    memset(message, 0, sizeof *message);
    char *room = (char *)(message + 1);
    reader r = {payload, payload + length, false};
    uint32_t flags = (uint32_t)get_number(&r);
    message->id = id;
    message->created_at = created_at;
    message->sender = limit_user_at(limit, (int32_t)get_number(&r));
    message->text = get_text(&r, &room);
    if (flags & HAS_DATA) message->data = get_text(&r, &room);
    if (flags & HAS_TYPE) message->custom_type = get_text(&r, &room);
    if (flags & IS_EDITED) message->updated_at = created_at + (int64_t)get_number(&r);
    if (flags & IS_FILE) {
        message->is_file = true;
        message->file_url = get_text(&r, &room);
        message->file_name = get_text(&r, &room);
        message->file_type = get_text(&r, &room);
        message->file_size = (int64_t)get_number(&r);
    }
    if (flags & HAS_PARENT) message->parent_id = id - (int64_t)get_number(&r);
    message->is_admin = flags & IS_ADMIN;
    message->silent = flags & IS_SILENT;
    message->by_operator = flags & BY_OPERATOR;
    message->replies_to_channel = flags & TO_CHANNEL;
    message->mentions_channel = flags & MENTIONS_CHANNEL;
    if (flags & (HAS_MENTIONS | HAS_REACTIONS | HAS_META))
        get_lists(limit, message, flags, &r, &room);
    if (flags & HAS_REQUEST) message->request_id = get_text(&r, &room);
    if (r.failed) {
        limit_free_message(message);
        return NULL;
    }
    return message;
}

static char *copied(slice text, char **room) {
    char *copy = *room;
    size_t length = unescape(text, (uint8_t *)copy);
    copy[length] = 0;
    *room += length + 1;
    return copy;
}

/* For the layout's losing candidate: lists stay in the JSON, which flatters it a little. */
static limit_message *decode_json(roost_limit *limit, const uint8_t *payload, size_t length) {
    scan s = {payload, payload + length, false};
    scanned_message *from = &limit->message;
    scan_message(&s, from);
    limit_message *message = s.failed ? NULL : malloc(sizeof *message + length + 16);
    if (!message) return NULL;
    memset(message, 0, sizeof *message);
    char *room = (char *)(message + 1);
    message->id = from->id;
    message->created_at = from->created_at;
    message->updated_at = from->updated_at;
    message->parent_id = from->parent_id;
    if (from->has_sender)
        message->sender = limit_user_at(limit, limit_user_number(limit, &from->sender));
    message->text = copied(from->text, &room);
    message->data = copied(from->data, &room);
    message->custom_type = copied(from->custom_type, &room);
    message->request_id = copied(from->request_id, &room);
    message->file_url = copied(from->file_url, &room);
    message->file_name = copied(from->file_name, &room);
    message->file_type = copied(from->file_type, &room);
    return message;
}

limit_message *limit_decode(
    roost_limit *limit, int64_t created_at, int64_t id, const uint8_t *payload, size_t length) {
#ifdef ROOST_LIMIT_ZLIB
    uint8_t unpacked[8192];
    if (limit->options.compression) {
        reader r = {payload, payload + length, false};
        uLongf whole = (uLongf)get_number(&r);
        if (whole > sizeof unpacked
            || uncompress(unpacked, &whole, r.at, (uLong)(r.end - r.at)) != Z_OK)
            return NULL;
        payload = unpacked;
        length = whole;
    }
#endif
    return limit->options.json_payload
        ? decode_json(limit, payload, length)
        : decode_binary(limit, created_at, id, payload, length);
}

void limit_free_message(limit_message *message) {
    if (!message) return;
    for (int i = 0; i < message->reaction_count; i++) free(message->reactions[i].users);
    for (int i = 0; i < message->meta_count; i++) free(message->metas[i]);
    free(message->mentions);
    free(message->reactions);
    free(message->metas);
    free(message);
}

const uint8_t *limit_text_of(
    roost_limit *limit, const uint8_t *payload, size_t length, size_t *text_length) {
    (void)limit; /* The index goes with the binary form alone. */
    reader r = {payload, payload + length, false};
    get_number(&r);
    get_number(&r);
    *text_length = get_number(&r);
    return r.at;
}
