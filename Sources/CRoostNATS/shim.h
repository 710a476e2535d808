// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_NATS_SHIM_H
#define ROOST_NATS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

/* The part of libnats 3.4 that Roost uses, in declarations of its own. The library is loaded at run time, so a
   server without a bus needs it neither to build nor to run. There is nothing to link here. */

typedef struct roost_nats_options roost_nats_options;
typedef struct roost_nats_connection roost_nats_connection;
typedef struct roost_nats_subscription roost_nats_subscription;
typedef struct roost_nats_message roost_nats_message;

/* natsStatus, an enumeration of the size of int. */
#define ROOST_NATS_OK 0
#define ROOST_NATS_IO_ERROR 3
#define ROOST_NATS_NO_SERVER 6
#define ROOST_NATS_SECURE_WANTED 8
#define ROOST_NATS_SECURE_REQUIRED 9
#define ROOST_NATS_AUTH_FAILED 11
#define ROOST_NATS_ADDRESS_MISSING 14
#define ROOST_NATS_INVALID_ARG 16
#define ROOST_NATS_SLOW_CONSUMER 20
#define ROOST_NATS_TIMEOUT 26
#define ROOST_NATS_SSL_ERROR 29
#define ROOST_NATS_NO_SERVER_SUPPORT 30
#define ROOST_NATS_NOT_YET_CONNECTED 31

typedef void (*roost_nats_on_message)(
    roost_nats_connection *, roost_nats_subscription *, roost_nats_message *, void *closure);
typedef void (*roost_nats_on_change)(roost_nats_connection *, void *closure);
typedef void (*roost_nats_on_error)(roost_nats_connection *, roost_nats_subscription *, int status, void *closure);
typedef void (*roost_nats_on_complete)(void *closure);
typedef int64_t (*roost_nats_on_delay)(roost_nats_connection *, int attempts, void *closure);

/* natsOptions_... */
typedef int (*roost_nats_create_options)(roost_nats_options **);
typedef void (*roost_nats_destroy_options)(roost_nats_options *);
typedef int (*roost_nats_set_servers)(roost_nats_options *, const char **, int count);
typedef int (*roost_nats_set_text)(roost_nats_options *, const char *);
typedef int (*roost_nats_set_long)(roost_nats_options *, int64_t);
typedef int (*roost_nats_set_int)(roost_nats_options *, int);
typedef int (*roost_nats_set_bool)(roost_nats_options *, bool);
typedef int (*roost_nats_set_on_change)(roost_nats_options *, roost_nats_on_change, void *closure);
typedef int (*roost_nats_set_on_error)(roost_nats_options *, roost_nats_on_error, void *closure);
typedef int (*roost_nats_set_on_delay)(roost_nats_options *, roost_nats_on_delay, void *closure);
typedef int (*roost_nats_set_retry)(roost_nats_options *, bool, roost_nats_on_change, void *closure);

/* natsConnection_... */
typedef int (*roost_nats_connect)(roost_nats_connection **, roost_nats_options *);
typedef void (*roost_nats_destroy_connection)(roost_nats_connection *);
typedef bool (*roost_nats_is_closed)(roost_nats_connection *);
typedef int64_t (*roost_nats_max_payload)(roost_nats_connection *);
typedef int (*roost_nats_publish)(roost_nats_connection *, const char *subject, const void *, int length);
typedef int (*roost_nats_flush)(roost_nats_connection *, int64_t milliseconds);
typedef int (*roost_nats_subscribe)(
    roost_nats_subscription **, roost_nats_connection *, const char *subject, roost_nats_on_message, void *closure);

/* natsSubscription_... */
typedef int (*roost_nats_set_pending)(roost_nats_subscription *, int messages, int bytes);
typedef int (*roost_nats_set_on_complete)(roost_nats_subscription *, roost_nats_on_complete, void *closure);
typedef void (*roost_nats_destroy_subscription)(roost_nats_subscription *);

/* natsMsg_... and nats_Sleep */
typedef const char *(*roost_nats_message_data)(const roost_nats_message *);
typedef int (*roost_nats_message_length)(const roost_nats_message *);
typedef void (*roost_nats_destroy_message)(roost_nats_message *);
typedef void (*roost_nats_sleep)(int64_t milliseconds);

#endif
