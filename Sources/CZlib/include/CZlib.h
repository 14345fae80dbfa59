#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

// deflateInit2 is a macro, which Swift cannot import.
static inline int czlib_deflate_init(z_stream *stream, int level, int window_bits, int memory_level) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

static inline int czlib_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }

#endif
