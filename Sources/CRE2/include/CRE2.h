// The C face of RE2 (https://github.com/google/re2): patterns that match in time linear in the text, whatever both are.
#ifndef CRE2_H
#define CRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cre2_pattern cre2_pattern;

/// Why a pattern can't be compiled.
typedef enum cre2_error {
  cre2_fine = 0,
  cre2_malformed,
  /// A group `(?` of a kind that RE2 does not have: look-around, conditions, atomic groups.
  cre2_unknown_group,
  /// An escape that RE2 does not have: back-references.
  cre2_unknown_escape,
  /// More memory than allowed, or more repetitions.
  cre2_too_large,
} cre2_error;

/// Compiles a pattern in UTF-8.
///
/// `memory` bounds the bytes that the compiled pattern and its caches take. Where it can't be compiled, the result is
/// NULL, `error` says why, and `part` gets the part to blame, as a string of at most `capacity` bytes with its end.
cre2_pattern *cre2_compile(const char *text, size_t length, int64_t memory, cre2_error *error, char *part,
                           size_t capacity);

void cre2_free(cre2_pattern *pattern);

/// Whether the whole text matches. May be called from several threads at once. O(length).
bool cre2_matches(const cre2_pattern *pattern, const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
