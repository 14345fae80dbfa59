#include "CICU.h"

#include <stdlib.h>
#include <unicode/ucol.h>
#include <unicode/uloc.h>
#include <unicode/ustring.h>

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
