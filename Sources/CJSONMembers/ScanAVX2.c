// 32 and 64 bytes at a time, where the processor can.
#ifdef __x86_64__

#include "Parser.h"

#include <immintrin.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)

enum { block = 32 };

/// A bit for each byte of a block.
typedef uint32_t mask;

static inline unsigned first(mask found) { return (unsigned)__builtin_ctz(found); }

static inline uint64_t word_at(const uint8_t *text) {
  uint64_t word;
  memcpy(&word, text, sizeof word);
  return word;
}

/// The quotation marks and backslashes of a block.
static inline mask specials(const uint8_t *text) {
  __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
  __m256i quotes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
  __m256i backslashes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
  return (mask)_mm256_movemask_epi8(_mm256_or_si256(quotes, backslashes));
}

static inline bool is_expected(const struct expected_name *name, const uint8_t *text) {
  __m256i one = _mm256_loadu_si256((const __m256i *)name->bytes);
  __m256i other = _mm256_loadu_si256((const __m256i *)text);
  mask same = (mask)_mm256_movemask_epi8(_mm256_cmpeq_epi8(one, other));
  // At most 32: shifted in more bits than it has.
  return (same | (mask)(~0ULL << name->length)) == ~0U;
}

#include "Scalars.h"

/// Where 64 bytes are such bytes.
static inline uint64_t equal(__m256i low, __m256i high, char byte) {
  __m256i bytes = _mm256_set1_epi8(byte);
  uint32_t one = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, bytes));
  uint32_t other = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, bytes));
  return (uint64_t)other << 32 | one;
}

/// Where 32 bytes can stand behind a backslash, alone.
static inline uint32_t letters(__m256i bytes) {
  // By the lower half of a byte one that is; two that have it in common with others are compared beside.
  const __m256i table = _mm256_setr_epi8(
      -1, 0, 'b', 0, 't', 0, 'f', 0, 0, 0, 0, 0, '\\', 0, 'n', '/', -1, 0, 'b', 0, 't', 0, 'f', 0, 0, 0, 0, 0, '\\', 0, 'n', '/');
  __m256i found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes), bytes);
  found = _mm256_or_si256(found, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')));
  return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(found, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('r'))));
}

/// What backslashes escape: what stands behind an odd number of them. As simdjson does it: sequences that begin at odd
/// places are carried over their ends by an addition.
static inline uint64_t escaped_by(uint64_t backslashes, uint64_t *carry) {
  const uint64_t even = 0x5555555555555555ULL;
  backslashes &= ~*carry;
  uint64_t follows = backslashes << 1 | *carry;
  uint64_t odd_starts = backslashes & ~even & ~follows;
  unsigned long long sequences;
  *carry = __builtin_uaddll_overflow(odd_starts, backslashes, &sequences);
  return (even ^ (sequences << 1)) & follows;
}

/// Whether what is escaped at these places is no escape of one letter, but of a code point; moves `behind` the last of it.
static bool are_code_points(const uint8_t *text, uint64_t places, const uint8_t **behind) {
  while (places != 0) {
    const uint8_t *backslash = text + __builtin_ctzll(places) - 1;
    places &= places - 1;
    // The second one of a pair.
    if (backslash < *behind) { continue; }
    *behind = skip_escape(backslash);
    if (*behind == NULL) { return false; }
  }
  return true;
}

/// Behind the closing quote of a string; null where an escape is none, or the string is not closed.
///
/// How many escapes there are in a block decides no branch: that would be mispredicted for nearly every string.
static inline __attribute__((always_inline)) const uint8_t *skip_string(const uint8_t *text, const uint8_t *end) {
  const uint8_t *behind_escapes = text;
  uint64_t carry = 0;
  for (; text < end; text += 64) {
    __m256i low = _mm256_loadu_si256((const __m256i *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(text + 32));
    uint64_t quotes = equal(low, high, '"');
    uint64_t backslashes = equal(low, high, '\\');
    // Those before the first quote tell whether that is the end.
    if (((backslashes & ((quotes & -quotes) - 1)) | carry) != 0) {
      uint64_t escaped = escaped_by(backslashes, &carry);
      quotes &= ~escaped;
      uint64_t others = escaped & ((quotes & -quotes) - 1) & ~((uint64_t)letters(high) << 32 | letters(low));
      if (others != 0 && !are_code_points(text, others, &behind_escapes)) { return NULL; }
    }
    if (quotes != 0) { return text + __builtin_ctzll(quotes) + 1; }
  }
  return NULL;
}

#define SCAN cjsonmembers_scan_avx2
#include "Scan.h"

#pragma clang attribute pop

#endif
