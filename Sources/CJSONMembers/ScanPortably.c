// Eight bytes at a time.
#include "Parser.h"

#include <string.h>

enum { block = 8 };

/// A bit for each byte of a block, which is its highest.
typedef uint64_t mask;

static inline unsigned first(mask found) { return (unsigned)__builtin_ctzll(found) >> 3; }
static inline mask behind(unsigned position) { return ~0ULL << (position * 8); }

/// The zero bytes of a word.
static inline uint64_t zeros(uint64_t word) {
  const uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
  return ~(((word & low) + low) | word | low);
}

static inline uint64_t word_at(const uint8_t *text) {
  uint64_t word;
  memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// The quotation marks and backslashes of a block.
static inline mask specials(const uint8_t *text) {
  const uint64_t ones = 0x0101010101010101ULL;
  uint64_t word = word_at(text);
  return zeros(word ^ (ones * '"')) | zeros(word ^ (ones * '\\'));
}

static inline bool is_expected(const struct expected_name *name, const uint8_t *text) {
  return memcmp(name->bytes, text, name->length) == 0;
}

#include "Scalars.h"

/// Behind the closing quote of a string; null where an escape is none, or the string is not closed.
static inline const uint8_t *skip_string(const uint8_t *text, const uint8_t *end) {
  while (text < end) {
    mask found = specials(text);
    const uint8_t *next = text + block;
    while (found != 0) {
      unsigned position = first(found);
      if (text[position] == '"') { return text + position + 1; }
      const uint8_t *escaped = skip_escape(text + position);
      if (escaped == NULL) { return NULL; }
      if (escaped >= text + block) {
        next = escaped;
        break;
      }
      found &= behind((unsigned)(escaped - text));
    }
    text = next;
  }
  return NULL;
}

#define SCAN cjsonmembers_scan_portably
#include "Scan.h"
