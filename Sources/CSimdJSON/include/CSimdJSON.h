// The C face of simdjson. Its two stages are called one by one: the first finds every structural character of
// a text (and proves that it is UTF-8 and that its strings are closed); the second writes a value to a tape.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csimdjson_parser csimdjson_parser;

/// How many readable bytes must follow a text.
size_t csimdjson_padding(void);

/// Asks for huge pages under a big buffer, before it is touched.
void csimdjson_advise(void *start, size_t length);

/// Null when there is no memory.
csimdjson_parser *csimdjson_create(size_t maximum_depth);
void csimdjson_destroy(csimdjson_parser *parser);

/// Stage 1. The text is borrowed until the parser is destroyed or gets another. 0, or an error code.
int csimdjson_index(csimdjson_parser *parser, const uint8_t *text, size_t length);

/// Offsets of the structural characters: `{ } [ ] : ,`, opening quotes, first characters of other scalars.
const uint32_t *csimdjson_structurals(const csimdjson_parser *parser);
size_t csimdjson_structural_count(const csimdjson_parser *parser);

/// Stage 2 for the whole text, onto the first tape.
int csimdjson_parse(csimdjson_parser *parser);

/// Stage 2 for one object or array of `length` bytes, which starts at the given structural character and whose
/// brackets are known to match, onto the second tape.
int csimdjson_parse_element(csimdjson_parser *parser, size_t structural, size_t length);

/// The structural character behind the element that was parsed last.
size_t csimdjson_next_structural(const csimdjson_parser *parser);

/// The format of a tape is documented in simdjson's doc/tape.md.
const uint64_t *csimdjson_tape(const csimdjson_parser *parser);
const uint8_t *csimdjson_strings(const csimdjson_parser *parser);
const uint64_t *csimdjson_element_tape(const csimdjson_parser *parser);
const uint8_t *csimdjson_element_strings(const csimdjson_parser *parser);

enum {
  csimdjson_success,
  csimdjson_memory,
  csimdjson_depth,
  csimdjson_string,
  csimdjson_literal,
  csimdjson_number,
  csimdjson_utf8,
  csimdjson_empty,
  csimdjson_control_character,
  csimdjson_unclosed_string,
  csimdjson_structure,
};

#ifdef __cplusplus
}
#endif

#endif
