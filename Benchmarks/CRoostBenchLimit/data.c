// SPDX-License-Identifier: Apache-2.0
//
// The data: message number n is a function of the seed and n alone, so any page can be made at any
// time, and none has to be kept. IDs and times grow with n over all channels, as a server gives them.

#include "CRoostBenchLimit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8000, TABLE = 65536, CHARACTERS = 2500, SPEAKERS = 40, LISTED_MEMBERS = 8 };

static const int64_t FIRST_ID = 7000000000, ID_STEP = 3;
static const int64_t FIRST_TIME = 1700000000000, TIME_STEP = 20000;

struct roost_data {
    uint64_t seed;
    int64_t messages;
    uint8_t *channel_of;                            /* By message. */
    uint32_t *listed;                               /* Messages by channel, oldest first. */
    uint32_t first[ROOST_DATA_CHANNELS + 1];        /* Where a channel's begin in `listed`. */
    int64_t pages;
    uint32_t *page_at;                              /* Place in `listed` of each page's last + 1. */
    uint8_t *page_channel;
    uint32_t changed[ROOST_DATA_CHANNELS];          /* Messages that change logs have used up. */
    char urls[ROOST_DATA_CHANNELS][64];
    char words[WORDS][16];
    uint16_t word_table[TABLE], character_table[TABLE];
    uint8_t speaker_table[TABLE / 64];
    char characters[8];
    char *out;
    size_t length, capacity;
};

/* splitmix64: every state is a good one, so a state can be made of a number. */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t bound) {
    return (uint32_t)(((next(state) >> 32) * bound) >> 32);
}

static bool percent(uint64_t *state, uint32_t chance) { return below(state, 100) < chance; }

static uint64_t state_of(const roost_data *data, uint64_t what, uint64_t number) {
    uint64_t state = data->seed ^ (what << 56) ^ (number * 0xD1342543DE82EF95);
    next(&state);
    return state;
}

/* Ranks by Zipf's law, as a table to draw from. */
static void fill_zipf(uint16_t *table, int size, int ranks) {
    double sum = 0, reached = 0;
    for (int i = 0; i < ranks; i++) sum += 1.0 / (i + 1);
    int at = 0;
    for (int i = 0; i < ranks; i++) {
        reached += 1.0 / (i + 1) / sum;
        while (at < size && at < reached * size) table[at++] = (uint16_t)i;
    }
    while (at < size) table[at++] = (uint16_t)(ranks - 1);
}

// MARK: - Writing

static void put(roost_data *data, const char *bytes, size_t length) {
    if (data->length + length > data->capacity) {
        size_t wanted = (data->length + length) * 2;
        char *larger = realloc(data->out, wanted);
        if (!larger) abort();
        data->out = larger;
        data->capacity = wanted;
    }
    memcpy(data->out + data->length, bytes, length);
    data->length += length;
}

static void say(roost_data *data, const char *text) { put(data, text, strlen(text)); }

__attribute__((format(printf, 2, 3))) static void say_format(
    roost_data *data, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put(data, line, (size_t)length);
}

static void put_character(roost_data *data, uint32_t point) {
    char utf8[3] = {
        (char)(0xE0 | point >> 12), (char)(0x80 | (point >> 6 & 63)), (char)(0x80 | (point & 63))};
    put(data, utf8, 3);
}

static uint32_t chinese(const roost_data *data, uint64_t *state) {
    return 0x4E00 + data->character_table[below(state, TABLE)] * 7;
}

/* The text of a message: 20 to 200 bytes, short ones more often. */
static void say_text(roost_data *data, uint64_t *state) {
    uint32_t bytes = 20 + below(state, 90) + (percent(state, 30) ? below(state, 90) : 0);
    size_t end = data->length + bytes;
    uint32_t language = below(state, 100);
    if (language < 12) {
        bool japanese = language < 6;
        while (data->length < end) {
            if (japanese && percent(state, 60)) put_character(data, 0x3041 + below(state, 83));
            else put_character(data, chinese(data, state));
            if (percent(state, 8)) put_character(data, japanese ? 0x3001 : 0xFF0C);
        }
        return;
    }
    bool first = true;
    while (data->length < end) {
        if (!first) say(data, percent(state, 2) ? (percent(state, 50) ? ",\\n" : " \\\"") : " ");
        first = false;
        say(data, data->words[data->word_table[below(state, TABLE)]]);
    }
    if (percent(state, 12)) say(data, " \xF0\x9F\x98\x80");
}

static void say_user_fields(roost_data *data, int user) {
    say_format(
        data,
        "\"user_id\":\"user-%04d\",\"nickname\":\"%s %s\","
        "\"profile_url\":\"https://static.example.com/profiles/square-96/%04d.jpg\",\"metadata\":{%s},"
        "\"is_active\":true",
        user, data->words[(user * 7) % 2000], data->words[2000 + user * 3], user,
        user % 10 == 0 ? "\"team\":\"blue\"" : "");
}

static int speaker(const roost_data *data, int channel, uint64_t *state) {
    int rank = data->speaker_table[below(state, TABLE / 64)];
    return (channel * 37 + rank * 11) % ROOST_DATA_USERS;
}

static int64_t id_of(int64_t number) { return FIRST_ID + number * ID_STEP; }
static int64_t time_of(const roost_data *data, int64_t number) {
    uint64_t state = state_of(data, 2, (uint64_t)number);
    return FIRST_TIME + number * TIME_STEP + below(&state, TIME_STEP);
}

static void say_file(roost_data *data, int64_t number, uint64_t *state) {
    static const char *const types[] = {"image/jpeg", "image/png", "video/mp4", "application/pdf"};
    static const char *const ends[] = {"jpg", "png", "mp4", "pdf"};
    uint32_t type = below(state, 4);
    uint64_t name = next(state);
    say_format(
        data,
        "\"file\":{\"url\":\"https://files.example.com/%016llx%08llx.%s\",\"name\":\"%s-%lld.%s\","
        "\"type\":\"%s\",\"size\":%u,\"data\":\"\"},\"thumbnails\":[],\"require_auth\":false,",
        (unsigned long long)name, (unsigned long long)number, ends[type],
        data->words[below(state, 500)], (long long)(number % 1000), ends[type], types[type],
        10000 + below(state, 4000000));
}

static void say_reactions(roost_data *data, int channel, int64_t time, uint64_t *state) {
    static const char *const keys[] = {"thumbsup", "heart", "laughing", "tada", "eyes"};
    uint32_t count = 1 + below(state, 2), key = below(state, 5);
    say(data, "\"reactions\":[");
    for (uint32_t i = 0; i < count; i++) {
        say_format(data, "%s{\"key\":\"%s\",\"user_ids\":[", i ? "," : "", keys[(key + i) % 5]);
        uint32_t users = 1 + below(state, 3);
        int first = speaker(data, channel, state);
        for (uint32_t j = 0; j < users; j++)
            say_format(
                data, "%s\"user-%04d\"", j ? "," : "", (first + (int)j * 11) % ROOST_DATA_USERS);
        say_format(
            data, "],\"updated_at\":%lld}", (long long)(time + 1000 + below(state, 3600000)));
    }
    say(data, "],");
}

static void say_meta(roost_data *data, uint64_t *state) {
    say_format(
        data, "\"sorted_metaarray\":[{\"key\":\"%s\",\"value\":[\"%s\",\"%s\"]}],",
        data->words[below(state, 50)], data->words[below(state, 500)],
        data->words[below(state, 500)]);
}

/* `edited_at` is not zero for a message of a change log. */
static void say_message(
    roost_data *data, int channel, int64_t number, int64_t parent, int64_t edited_at) {
    uint64_t state = state_of(data, 1, (uint64_t)number);
    int64_t time = time_of(data, number);
    uint32_t kind = below(&state, 100);
    bool is_file = kind < 5, is_admin = kind == 5;
    bool is_mine = percent(&state, 1);
    int sender = is_mine ? 0 : speaker(data, channel, &state);
    int64_t updated = percent(&state, 5) ? time + 30000 + below(&state, 600000) : 0;
    if (edited_at) updated = edited_at;
    say_format(
        data, "{\"type\":\"%s\",\"message_id\":%lld,\"message\":\"",
        is_file ? "FILE" : is_admin ? "ADMM" : "MESG", (long long)id_of(number));
    uint64_t words = state_of(data, edited_at ? 3 : 8, (uint64_t)number);
    if (!is_file || percent(&state, 20)) say_text(data, &words);
    if (percent(&state, 8))
        say_format(
            data, "\",\"data\":\"{\\\"ref\\\":%u,\\\"tag\\\":\\\"%s\\\"}", below(&state, 100000),
            data->words[below(&state, 300)]);
    else say(data, "\",\"data\":\"");
    say_format(
        data,
        "\",\"custom_type\":\"%s\",\"created_at\":%lld,\"updated_at\":%lld,\"channel_url\":\"%s\","
        "\"channel_type\":\"group\",",
        percent(&state, 10) ? data->words[100 + below(&state, 12)] : "", (long long)time,
        (long long)updated, data->urls[channel]);
    if (is_file) say_file(data, number, &state);
    else say(data, "\"file\":{},");
    bool mentions = !is_admin && percent(&state, 3);
    say_format(
        data, "\"mention_type\":\"%s\",\"mentioned_users\":[",
        mentions && percent(&state, 10) ? "channel" : "users");
    if (mentions) {
        say(data, "{");
        say_user_fields(data, speaker(data, channel, &state));
        say(data, "}");
    }
    say(data, "],");
    if (percent(&state, 6)) say_reactions(data, channel, time, &state);
    if (percent(&state, 2)) say_meta(data, &state);
    bool is_reply = percent(&state, 8);
    if (is_reply && parent >= 0)
        say_format(
            data, "\"parent_message_id\":%lld,\"is_reply_to_channel\":%s,",
            (long long)id_of(parent), percent(&state, 30) ? "true" : "false");
    if (is_mine) {
        uint64_t a = next(&state), b = next(&state);
        say_format(
            data, "\"req_id\":\"%08x-%04x-4%03x-a%03x-%012llx\",", (unsigned)(a >> 32),
            (unsigned)(a >> 16 & 0xFFFF), (unsigned)(a & 0xFFF), (unsigned)(b >> 52),
            (unsigned long long)(b & 0xFFFFFFFFFFFF));
    }
    if (percent(&state, 4))  /* From a server newer than either side. */
        say_format(
            data, "\"review\":{\"state\":\"%s\",\"score\":%u},", data->words[below(&state, 20)],
            below(&state, 100));
    say(data,
        "\"silent\":false,\"is_op_msg\":false,\"is_removed\":false,\"translations\":{},"
        "\"message_retention_hour\":-1,\"message_survival_seconds\":-1");
    if (!is_admin) {
        say(data, ",\"user\":{");
        say_user_fields(data, sender);
        say(data, sender % 25 == 1 ? ",\"role\":\"operator\"}" : ",\"role\":\"\"}");
    }
    say(data, "}");
}

/* A message of a channel by its place in it. */
static void say_listed(roost_data *data, int channel, uint32_t at, int64_t edited_at) {
    int64_t number = data->listed[at];
    uint32_t first = data->first[channel];
    uint32_t back = 1 + (uint32_t)(number % 40);
    say_message(
        data, channel, number, at >= first + back ? (int64_t)data->listed[at - back] : -1,
        edited_at);
}

// MARK: - Making

static void make_words(roost_data *data) {
    static const char *const begins[] = {"b",  "br", "c",  "ch", "d", "f", "g", "gr", "h", "j",
                                         "k",  "l",  "m",  "n",  "p", "r", "s", "st", "t", "v"};
    static const char *const cores[] = {"a", "e", "i", "o", "u", "ai", "ea", "ou"};
    static const char *const ends[] = {"", "n", "r", "s", "t", "l", "nd", "m"};
    for (int i = 0; i < WORDS; i++) {
        /* Frequent words are short; different ranks spell different words. */
        char *word = data->words[i];
        int rest = i, syllables = i < 160 ? 1 : i < 4000 ? 2 : 3;
        word[0] = 0;
        for (int s = 0; s < syllables; s++) {
            strcat(word, begins[rest % 20]);
            rest /= 20;
            strcat(word, cores[(rest + s * 3) % 8]);
            rest /= 8;
            if (s == syllables - 1) strcat(word, ends[(i / 3) % 8]);
        }
    }
}

static bool make_pages(roost_data *data) {
    data->pages = 0;
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) {
        uint32_t count = data->first[c + 1] - data->first[c];
        data->pages += (count + ROOST_DATA_PAGE - 1) / ROOST_DATA_PAGE;
    }
    data->page_at = calloc((size_t)data->pages + 1, sizeof *data->page_at);
    data->page_channel = calloc((size_t)data->pages + 1, 1);
    if (!data->page_at || !data->page_channel) return false;
    int64_t page = 0;
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) {
        uint32_t count = data->first[c + 1] - data->first[c];
        for (uint32_t at = 0; at < count; at += ROOST_DATA_PAGE)
            data->page_channel[page++] = (uint8_t)c;
    }
    uint64_t state = state_of(data, 4, 0);
    for (int64_t i = data->pages - 1; i > 0; i--) {
        int64_t other = (int64_t)(next(&state) % (uint64_t)(i + 1));
        uint8_t kept = data->page_channel[i];
        data->page_channel[i] = data->page_channel[other];
        data->page_channel[other] = kept;
    }
    uint32_t left[ROOST_DATA_CHANNELS];
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) left[c] = data->first[c + 1];
    for (int64_t i = 0; i < data->pages; i++) {
        int c = data->page_channel[i];
        data->page_at[i] = left[c];
        uint32_t count = left[c] - data->first[c];
        left[c] -= count < ROOST_DATA_PAGE ? count : ROOST_DATA_PAGE;
    }
    return true;
}

roost_data *roost_data_make(uint64_t seed, int64_t messages) {
    roost_data *data = calloc(1, sizeof *data);
    if (!data) return NULL;
    data->seed = seed;
    data->messages = messages;
    make_words(data);
    fill_zipf(data->word_table, TABLE, WORDS);
    fill_zipf(data->character_table, TABLE, CHARACTERS);
    uint16_t speakers[TABLE / 64];
    fill_zipf(speakers, TABLE / 64, SPEAKERS);
    for (int i = 0; i < TABLE / 64; i++) data->speaker_table[i] = (uint8_t)speakers[i];
    uint16_t channels[4096];
    fill_zipf(channels, 4096, ROOST_DATA_CHANNELS);
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) {
        uint64_t state = state_of(data, 5, (uint64_t)c);
        snprintf(
            data->urls[c], sizeof data->urls[c], "group_channel_%05d_%016llx", c,
            (unsigned long long)next(&state));
    }
    put_character(data, 0x4E00);
    put_character(data, 0x4E07);
    memcpy(data->characters, data->out, 6);
    data->length = 0;
    data->channel_of = malloc((size_t)messages + 1);
    data->listed = malloc(((size_t)messages + 1) * sizeof *data->listed);
    if (!data->channel_of || !data->listed) {
        roost_data_free(data);
        return NULL;
    }
    uint64_t state = state_of(data, 6, 0);
    for (int64_t i = 0; i < messages; i++) {
        data->channel_of[i] = (uint8_t)channels[below(&state, 4096)];
        data->first[data->channel_of[i] + 1]++;
    }
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) data->first[c + 1] += data->first[c];
    uint32_t at[ROOST_DATA_CHANNELS];
    memcpy(at, data->first, sizeof at);
    for (int64_t i = 0; i < messages; i++) data->listed[at[data->channel_of[i]]++] = (uint32_t)i;
    if (!make_pages(data)) {
        roost_data_free(data);
        return NULL;
    }
    return data;
}

void roost_data_free(roost_data *data) {
    if (!data) return;
    free(data->channel_of);
    free(data->listed);
    free(data->page_at);
    free(data->page_channel);
    free(data->out);
    free(data);
}

// MARK: - The server's answers

static roost_bytes written(const roost_data *data) {
    return (roost_bytes){(const uint8_t *)data->out, data->length};
}

int64_t roost_data_page_count(const roost_data *data) { return data->pages; }

roost_bytes roost_data_page(roost_data *data, int64_t page, int *channel) {
    int c = data->page_channel[page];
    uint32_t end = data->page_at[page], first = data->first[c];
    uint32_t at = end - first < ROOST_DATA_PAGE ? first : end - ROOST_DATA_PAGE;
    *channel = c;
    data->length = 0;
    say(data, "{\"messages\":[");
    for (uint32_t i = at; i < end; i++) {
        if (i > at) say(data, ",");
        say_listed(data, c, i, 0);
    }
    say(data, "],\"has_next\":true,\"is_continuous_messages\":true}");
    return written(data);
}

int64_t roost_data_page_end(const roost_data *data, int64_t page, int *channel) {
    *channel = data->page_channel[page];
    return time_of(data, data->listed[data->page_at[page] - 1]) + 1;
}

roost_bytes roost_data_channels(roost_data *data) {
    data->length = 0;
    say(data, "{\"channels\":[");
    for (int c = 0; c < ROOST_DATA_CHANNELS; c++) {
        say_format(
            data,
            "%s{\"channel_url\":\"%s\",\"name\":\"%s %s\",\"cover_url\":"
            "\"https://static.example.com/covers/%05d.jpg\",\"data\":\"\",\"custom_type\":\"%s\","
            "\"created_at\":%lld,\"is_distinct\":false,\"is_super\":false,\"is_broadcast\":false,"
            "\"is_public\":false,\"freeze\":false,\"member_count\":%d,\"joined_member_count\":%d,"
            "\"unread_message_count\":%d,\"unread_mention_count\":0,\"member_state\":\"joined\","
            "\"my_role\":\"\",\"members\":[",
            c ? "," : "", data->urls[c], data->words[c * 5], data->words[c * 7 + 3], c,
            c % 4 ? "" : "team", (long long)(FIRST_TIME / 1000 - c * 60), LISTED_MEMBERS,
            LISTED_MEMBERS, c % 30);
        for (int m = 0; m < LISTED_MEMBERS; m++) {
            say(data, m ? ",{" : "{");
            say_user_fields(data, (c * 37 + m * 11) % ROOST_DATA_USERS);
            say(data, ",\"state\":\"joined\",\"role\":\"\",\"is_muted\":false}");
        }
        say(data, "],\"last_message\":");
        uint32_t end = data->first[c + 1];
        if (end > data->first[c]) say_listed(data, c, end - 1, 0);
        else say(data, "null");
        say(data, "}");
    }
    say(data, "],\"next\":\"\"}");
    return written(data);
}

roost_bytes roost_data_live(roost_data *data, int64_t number, int *channel, int64_t *predecessor) {
    /* Channels in turn, so that the one before it is the channel's last or the one 200 ago. */
    int c = (int)(number % ROOST_DATA_CHANNELS);
    uint32_t end = data->first[c + 1];
    *channel = c;
    *predecessor = 0;
    if (number >= ROOST_DATA_CHANNELS)
        *predecessor = id_of(data->messages + number - ROOST_DATA_CHANNELS);
    else if (end > data->first[c]) *predecessor = id_of(data->listed[end - 1]);
    data->length = 0;
    say_message(data, c, data->messages + number, -1, 0);
    return written(data);
}

roost_bytes roost_data_changes(
    roost_data *data, int64_t page, int *channel, int *edits, int *deletions) {
    enum { CHANGES = 100, DELETED_EACH = 6 };
    if (page == 0) memset(data->changed, 0, sizeof data->changed);
    /* A channel with enough messages left: every third of them changes, from the oldest on; in a
       small cache all of them. */
    const uint32_t spacing = data->messages >= 400000 ? 3 : data->messages >= 150000 ? 2 : 1;
    uint64_t state = state_of(data, 7, (uint64_t)page);
    int c = 0;
    for (int tries = 0; tries < 1000; tries++) {
        uint32_t at = below(&state, (uint32_t)data->messages);
        c = data->channel_of[at];
        if (data->first[c] + (data->changed[c] + CHANGES) * spacing < data->first[c + 1]) break;
    }
    *channel = c;
    *edits = *deletions = 0;
    uint32_t from = data->first[c] + data->changed[c] * spacing;
    data->length = 0;
    say(data, "{\"updated\":[");
    for (uint32_t i = 0; i < CHANGES && from + i * spacing < data->first[c + 1]; i++) {
        if (i % DELETED_EACH == 0) continue;
        if (*edits) say(data, ",");
        uint32_t at = from + i * spacing;
        say_listed(data, c, at, FIRST_TIME + data->messages * TIME_STEP + page * 1000 + i);
        ++*edits;
    }
    say(data, "],\"deleted\":[");
    for (uint32_t i = 0; i < CHANGES && from + i * spacing < data->first[c + 1]; i += DELETED_EACH) {
        int64_t id = id_of(data->listed[from + i * spacing]);
        say_format(
            data, "%s{\"message_id\":%lld,\"deleted_at\":%lld}", *deletions ? "," : "",
            (long long)id, (long long)(FIRST_TIME + data->messages * TIME_STEP + page * 1000));
        ++*deletions;
    }
    say_format(data, "],\"has_more\":true,\"next\":\"changes-%08lld\"}", (long long)page);
    data->changed[c] += CHANGES;
    return written(data);
}

// MARK: - Queries

const char *roost_data_url(const roost_data *data, int channel) {
    return channel >= 0 && channel < ROOST_DATA_CHANNELS ? data->urls[channel] : "";
}

int64_t roost_data_moment(const roost_data *data, int channel, uint64_t chance) {
    uint32_t count = data->first[channel + 1] - data->first[channel];
    if (count == 0) return FIRST_TIME;
    return time_of(data, data->listed[data->first[channel] + chance % count]);
}

const char *roost_data_word(const roost_data *data, int rank) {
    return rank >= 0 && rank < WORDS ? data->words[rank] : "";
}

const char *roost_data_characters(const roost_data *data) { return data->characters; }
