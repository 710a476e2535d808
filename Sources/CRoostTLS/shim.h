// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_TLS_SHIM_H
#define ROOST_TLS_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* Sets OpenSSL up without its exit handler. That handler frees what other threads use at this moment, and a process
   may end while its clients work. Only the first set-up of a process decides. So it happens at load time, before a
   library such as libcurl can set OpenSSL up; Swift emits the constructor in each object that calls it. */
__attribute__((constructor)) static inline void roost_tls_prepare(void) {
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, (void *)0);
}

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
/* HMAC-SHA256 with its key set; a table of parameters is awkward to build in Swift. */
static inline EVP_MAC_CTX *roost_tls_hmac_sha256(const unsigned char *key, size_t count) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (mac == NULL) return NULL;
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);  /* The context holds its own reference. */
    OSSL_PARAM parameters[2] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_MAC_init(context, key, count, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}
static inline int roost_tls_expect_address(SSL *connection, const char *address) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), address);
}

#endif
