#include "Parser.h"

#include <stdlib.h>
#include <string.h>

cjsonmembers_parser *cjsonmembers_create(size_t maximum_depth, bool portable) {
  cjsonmembers_parser *parser = calloc(1, sizeof *parser);
  if (parser == NULL) { return NULL; }
  parser->maximum_depth = maximum_depth < maximum_depth_taken ? maximum_depth : maximum_depth_taken;
  parser->next_object = mode_first_object + 1;
  parser->scan = cjsonmembers_scan_portably;
#ifdef __x86_64__
  if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
    parser->scan = cjsonmembers_scan_avx2;
  }
#endif
  return parser;
}

void cjsonmembers_destroy(cjsonmembers_parser *parser) {
  if (parser == NULL) { return; }
  for (size_t index = 0; index < parser->member_count; index++) { free(parser->members[index].name); }
  free(parser->members);
  free(parser->tape);
  free(parser->strings);
  free(parser);
}

int32_t cjsonmembers_add(cjsonmembers_parser *parser, int32_t object, const uint8_t *name, size_t length, bool whole) {
  struct member *members = realloc(parser->members, (parser->member_count + 1) * sizeof *members);
  if (members == NULL) { return 0; }
  parser->members = members;
  uint8_t *copy = malloc(length > 0 ? length : 1);
  if (copy == NULL) { return 0; }
  if (length > 0) { memcpy(copy, name, length); }
  int32_t mode = whole ? mode_whole : parser->next_object++;
  members[parser->member_count++] = (struct member){object, mode, length, copy};
  return mode;
}

/// For the worst that a text can become: a number of one digit and its comma take two words, an empty string in quotes
/// five bytes, and the last string is copied with what lies behind it.
static bool reserve(cjsonmembers_parser *parser, size_t length) {
  if (length <= parser->capacity) { return true; }
  size_t capacity = length * 2;
  free(parser->tape);
  free(parser->strings);
  parser->tape = malloc((capacity + 8) * sizeof *parser->tape);
  parser->strings = malloc(capacity * 2 + 128);
  parser->capacity = parser->tape != NULL && parser->strings != NULL ? capacity : 0;
  return parser->capacity > 0;
}

bool cjsonmembers_parse(cjsonmembers_parser *parser, const uint8_t *text, size_t length) {
  if (length >= UINT32_MAX / 4 || !reserve(parser, length)) { return false; }
  return parser->scan(parser, text, length);
}

const uint64_t *cjsonmembers_tape(const cjsonmembers_parser *parser) { return parser->tape; }
const uint8_t *cjsonmembers_strings(const cjsonmembers_parser *parser) { return parser->strings; }
