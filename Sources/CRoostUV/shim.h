// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_UV_SHIM_H
#define ROOST_UV_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

/* libuv's "subclasses" share a prefix; a C cast takes one word, Swift needs three. */
static inline uv_stream_t *roost_uv_stream(uv_handle_t *handle) { return (uv_stream_t *)handle; }
static inline uv_tcp_t *roost_uv_tcp(uv_handle_t *handle) { return (uv_tcp_t *)handle; }
static inline uv_timer_t *roost_uv_timer(uv_handle_t *handle) { return (uv_timer_t *)handle; }
static inline uv_poll_t *roost_uv_poll(uv_handle_t *handle) { return (uv_poll_t *)handle; }

/* Names the calling thread, so that "am I on the loop?" is one comparison. */
static inline uintptr_t roost_uv_thread_token(void) { return (uintptr_t)uv_thread_self(); }

/* A write to a dead peer raises SIGPIPE on the writing thread, and libuv writes with write(2).
   Blocking it on the loop's own thread leaves the rest of the process as the app wants it. */
static inline int roost_uv_block_sigpipe(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#ifdef __linux__
/* Declared by <sys/socket.h> only under _GNU_SOURCE, which a module cannot define. */
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
#endif

/* Accepts one connection, close-on-exec; returns -errno when there is none. libuv's own accept
   loop cannot be paused at the descriptor limit, so the listener polls and accepts by itself. */
static inline int roost_uv_accept(int fd) {
#ifdef __linux__
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    int accepted = accept(fd, NULL, NULL);
    if (accepted >= 0) fcntl(accepted, F_SETFD, FD_CLOEXEC);
#endif
    return accepted >= 0 ? accepted : -errno;
}

/* Makes a listening socket; returns its descriptor or -errno. */
static inline int roost_uv_listen(const struct sockaddr *address, socklen_t length, int backlog) {
    int yes = 1, fd = socket(address->sa_family, SOCK_STREAM, 0);
    if (fd < 0) return -errno;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0
        || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0
        || bind(fd, address, length) < 0 || listen(fd, backlog) < 0) {
        int failure = errno;
        close(fd);
        return -failure;
    }
    return fd;
}

/* Returns the number of descriptors that this process may open. */
static inline uint64_t roost_uv_descriptor_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 256;
}

/* Writes the name of the network of an IPv6 address: its first 64 bits, because one host can have
   every address behind them. An IPv4 address in the form of an IPv6 one (mapped, or by NAT64) is
   written as itself, and loopback as "::1". */
static inline void roost_uv_ipv6_network(const struct in6_addr *address, char *text, size_t size) {
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
    static const unsigned char nat64[12] = {0, 100, 255, 155, 0, 0, 0, 0, 0, 0, 0, 0};
    unsigned char bytes[16];
    memcpy(bytes, address, sizeof bytes);
    text[0] = 0;
    if (memcmp(bytes, mapped, 12) == 0 || memcmp(bytes, nat64, 12) == 0) {
        uv_inet_ntop(AF_INET, bytes + 12, text, size);
        return;
    }
    if (IN6_IS_ADDR_LOOPBACK(address)) {
        uv_inet_ntop(AF_INET6, bytes, text, size);
        return;
    }
    memset(bytes + 8, 0, 8);
    if (uv_inet_ntop(AF_INET6, bytes, text, size - 4) == 0) strcat(text, "/64");
}

/* Writes the name of the network of a numeric address; empty if the text is no such address. */
static inline void roost_uv_network_name(const char *address, char *text, size_t size) {
    struct in6_addr ipv6;
    struct in_addr ipv4;
    text[0] = 0;
    if (uv_inet_pton(AF_INET, address, &ipv4) == 0)
        uv_inet_ntop(AF_INET, &ipv4, text, size);
    else if (uv_inet_pton(AF_INET6, address, &ipv6) == 0)
        roost_uv_ipv6_network(&ipv6, text, size);
}

/* Writes the name of the peer's network; empty after a disconnect. */
static inline void roost_uv_peer_network(int fd, char *text, size_t size) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    text[0] = 0;
    if (getpeername(fd, (struct sockaddr *)&storage, &length) < 0) return;
    if (storage.ss_family == AF_INET6)
        roost_uv_ipv6_network(&((struct sockaddr_in6 *)&storage)->sin6_addr, text, size);
    else if (storage.ss_family == AF_INET)
        uv_ip4_name((struct sockaddr_in *)&storage, text, size);
}

/* The port a socket is bound to, in host order; -errno on failure. */
static inline int roost_uv_bound_port(int fd) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    memset(&storage, 0, sizeof storage);
    if (getsockname(fd, (struct sockaddr *)&storage, &length) < 0) return -errno;
    if (storage.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&storage)->sin6_port);
    return ntohs(((struct sockaddr_in *)&storage)->sin_port);
}

#endif
