#include "CICU.h"

#include <stdlib.h>
#include <unicode/uchar.h>
#include <unicode/ucol.h>
#include <unicode/uloc.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

CICUCollator *cicu_open_collator(const char *tag, bool is_numeric) {
  UErrorCode status = U_ZERO_ERROR;
  char locale[ULOC_FULLNAME_CAPACITY];
  uloc_forLanguageTag(tag, locale, sizeof locale, NULL, &status);
  if (U_FAILURE(status) || status == U_STRING_NOT_TERMINATED_WARNING) return NULL;
  UCollator *collator = ucol_open(locale, &status);
  if (U_FAILURE(status)) return NULL;
  if (is_numeric) ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status);
  if (U_SUCCESS(status)) return collator;
  ucol_close(collator);
  return NULL;
}

void cicu_close_collator(CICUCollator *collator) { ucol_close(collator); }

ptrdiff_t cicu_sort_key(const CICUCollator *collator, const char *text, ptrdiff_t count, uint8_t *key,
                        ptrdiff_t capacity) {
  // No text has more UTF-16 units than bytes.
  UChar stack[256];
  UChar *units = stack;
  if (count > 256 && !(units = malloc((size_t)count * sizeof *units))) return 0;
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(units, count > 256 ? (int32_t)count : 256, &length, text ? text : "", (int32_t)count, 0xFFFD,
                       NULL, &status);
  ptrdiff_t needed = U_SUCCESS(status) ? ucol_getSortKey(collator, units, length, key, (int32_t)capacity) : 0;
  if (units != stack) free(units);
  return needed;
}

/// A text in memory of its own.
typedef struct {
  UChar *units;
  int32_t count;
} Text;

typedef int32_t (*Step)(const Text *from, UChar *to, int32_t capacity, UErrorCode *status);

static int32_t decompose(const Text *from, UChar *to, int32_t capacity, UErrorCode *status) {
  const UNormalizer2 *nfkd = unorm2_getNFKDInstance(status);
  if (U_FAILURE(*status)) return 0;
  return unorm2_normalize(nfkd, from->units, from->count, to, capacity, status);
}

static int32_t fold(const Text *from, UChar *to, int32_t capacity, UErrorCode *status) {
  return u_strFoldCase(to, capacity, from->units, from->count, U_FOLD_CASE_DEFAULT, status);
}

/// Replaces the text by what the step makes of it; false where that fails.
static bool replace(Text *text, Step step) {
  int32_t capacity = text->count + text->count / 2 + 64;
  for (int attempt = 0; attempt < 2; attempt++) {
    UChar *units = malloc((size_t)capacity * sizeof *units);
    if (!units) return false;
    UErrorCode status = U_ZERO_ERROR;
    int32_t count = step(text, units, capacity, &status);
    if (U_SUCCESS(status)) {
      free(text->units);
      text->units = units;
      text->count = count;
      return true;
    }
    free(units);
    if (status != U_BUFFER_OVERFLOW_ERROR) return false;
    capacity = count + 1;
  }
  return false;
}

/// Of scripts that are written without spaces between words.
static bool begins_anywhere(UChar32 letter) {
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(letter, &status)) {
    case USCRIPT_HAN: case USCRIPT_HIRAGANA: case USCRIPT_KATAKANA: case USCRIPT_THAI: case USCRIPT_LAO:
    case USCRIPT_KHMER: case USCRIPT_MYANMAR: return true;
    default: return false;
  }
}

ptrdiff_t cicu_fold_words(const char *text, ptrdiff_t count, uint8_t *words, ptrdiff_t capacity) {
  if (count > INT32_MAX / 32) return -1;
  // No text has more UTF-16 units than bytes.
  Text folded = {malloc((size_t)(count + 1) * sizeof(UChar)), 0};
  if (!folded.units) return -1;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(folded.units, (int32_t)count, &folded.count, text ? text : "", (int32_t)count, 0xFFFD, NULL,
                       &status);
  if (U_FAILURE(status) || !replace(&folded, decompose) || !replace(&folded, fold) || !replace(&folded, decompose)) {
    free(folded.units);
    return -1;
  }
  ptrdiff_t length = 0;
  bool is_in_word = false, has_letter = false;
  for (int32_t index = 0; index < folded.count;) {
    UChar32 letter;
    U16_NEXT(folded.units, index, folded.count, letter);
    uint32_t category = U_GET_GC_MASK(letter);
    if (!(category & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK))) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) has_letter = false;
    is_in_word = true;
    if (category & U_GC_M_MASK) continue;
    uint8_t bytes[6];
    int32_t size = 0;
    if (!has_letter) bytes[size++] = 0;
    has_letter = true;
    if (letter >= 0x0E00 && begins_anywhere(letter)) bytes[size++] = 1;
    U8_APPEND_UNSAFE(bytes, size, letter);
    for (int32_t place = 0; place < size; place++, length++) {
      if (length < capacity) words[length] = bytes[place];
    }
  }
  free(folded.units);
  return length;
}
