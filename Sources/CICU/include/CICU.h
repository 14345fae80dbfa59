// The parts of ICU that order and fold texts: collators and their sort keys, words without case, marks and width. ICU's
// own names end in its version, which macros hide from C and nothing hides from Swift.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct UCollator CICUCollator;

#ifdef __cplusplus
extern "C" {
#endif

/// A collator for a BCP 47 tag; an empty one is the root's. NULL where ICU can't make any. To be closed.
CICUCollator *_Nullable cicu_open_collator(const char *_Nonnull tag, bool is_numeric);

void cicu_close_collator(CICUCollator *_Nonnull collator);

/// Writes the key of a UTF-8 text, at most `capacity` bytes of it; returns how many there are.
ptrdiff_t cicu_sort_key(const CICUCollator *_Nonnull collator, const char *_Nullable text, ptrdiff_t count,
                        uint8_t *_Nullable key, ptrdiff_t capacity);

/// Writes the words of a UTF-8 text, folded (NFKD, default case folding, NFKD, without marks), at most `capacity` bytes of
/// them; returns how many bytes there are, or -1 where ICU fails.
///
/// A word is a run of letters, digits and marks. Each begins with a byte 0, and each letter that a word may be searched
/// from wherever it stands in it (Han, kana, Thai, Lao, Khmer, Myanmar) with a byte 1; no other byte is below 0x20.
ptrdiff_t cicu_fold_words(const char *_Nullable text, ptrdiff_t count, uint8_t *_Nullable words, ptrdiff_t capacity);

#ifdef __cplusplus
}
#endif
