// The part of ICU that orders texts: collators and their sort keys. ICU's own names end in its version, which macros
// hide from C and nothing hides from Swift.
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

#ifdef __cplusplus
}
#endif
