// SPDX-License-Identifier: Apache-2.0
#ifndef ROOST_ZLIB_SHIM_H
#define ROOST_ZLIB_SHIM_H

#include <zlib.h>

/* Macros, which Swift does not import. Streams without a header, with the largest window. */
static inline int roost_zlib_deflate(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
static inline int roost_zlib_inflate(z_stream *stream) { return inflateInit2(stream, -15); }

#endif
