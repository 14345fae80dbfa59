#include "include/CRE2.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <new>

struct cre2_pattern {
  RE2 expression;

  cre2_pattern(const re2::StringPiece &text, const RE2::Options &options) : expression(text, options) {}
};

static cre2_error kind(RE2::ErrorCode code) {
  switch (code) {
    case RE2::NoError: return cre2_fine;
    case RE2::ErrorBadPerlOp: return cre2_unknown_group;
    case RE2::ErrorBadEscape: return cre2_unknown_escape;
    case RE2::ErrorPatternTooLarge:
    case RE2::ErrorRepeatSize: return cre2_too_large;
    default: return cre2_malformed;
  }
}

cre2_pattern *cre2_compile(const char *text, size_t length, int64_t memory, cre2_error *error, char *part,
                           size_t capacity) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  options.set_never_capture(true);
  auto pattern = new (std::nothrow) cre2_pattern(re2::StringPiece(text, length), options);
  if (pattern == nullptr) {
    *error = cre2_too_large;
    if (capacity > 0) part[0] = 0;
    return nullptr;
  }
  *error = kind(pattern->expression.error_code());
  if (pattern->expression.ok()) return pattern;
  if (capacity > 0) {
    const std::string &culprit = pattern->expression.error_arg();
    const size_t count = std::min(culprit.size(), capacity - 1);
    std::memcpy(part, culprit.data(), count);
    part[count] = 0;
  }
  delete pattern;
  return nullptr;
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }

bool cre2_matches(const cre2_pattern *pattern, const char *text, size_t length) {
  return pattern->expression.Match(re2::StringPiece(text, length), 0, length, RE2::ANCHOR_BOTH, nullptr, 0);
}
