// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_TLS_SHIM_H
#define ROOST_TLS_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Macros, which Swift does not import. */
static inline int roost_tls_require_1_2(SSL_CTX *context) {
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
/* Idle connections give their 30 kB of buffers back; renegotiation and compression stay off. */
static inline void roost_tls_harden(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}
static inline int roost_tls_set_server_name(SSL *connection, const char *name) {
    return (int)SSL_set_tlsext_host_name(connection, name);
}
static inline int roost_tls_expect_address(SSL *connection, const char *address) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), address);
}

#endif
