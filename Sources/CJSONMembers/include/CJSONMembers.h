// Parses objects of which only some members are read: what is read is written to a tape in simdjson's format, all else is
// checked and passed over. Nothing is guessed: an object that is not JSON, or has something in it that is rare, is declined,
// and is to be parsed by simdjson, which says what is wrong.
#ifndef CJSONMEMBERS_H
#define CJSONMEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cjsonmembers_parser cjsonmembers_parser;

/// How many readable bytes must follow a text.
#define CJSONMEMBERS_PADDING 128

/// Null when there is no memory.
///
/// - Parameters:
///   - maximum_depth: of the objects and arrays in each other that are taken.
///   - portable: without the instructions that only some processors have; for tests.
cjsonmembers_parser *cjsonmembers_create(size_t maximum_depth, bool portable);
void cjsonmembers_destroy(cjsonmembers_parser *parser);

/// What is parsed; all of an object's members but those that were added are passed over.
#define CJSONMEMBERS_ROOT 2

/// Adds a member that is read: with all that is in it, or, where it is an object, with those that are added to it.
///
/// Gives the object's number, for members to be added to it; 0 when there is no memory.
int32_t cjsonmembers_add(cjsonmembers_parser *parser, int32_t object, const uint8_t *name, size_t length, bool whole);

/// Parses one object, which takes up all of the text. The text is UTF-8, and control characters stand in no string of it:
/// that alone is not checked. False: declined.
bool cjsonmembers_parse(cjsonmembers_parser *parser, const uint8_t *text, size_t length);

/// Of what was parsed last. Where `cjsonmembers_plain` is set in a string's word, nothing in it has to be escaped.
const uint64_t *cjsonmembers_tape(const cjsonmembers_parser *parser);
const uint8_t *cjsonmembers_strings(const cjsonmembers_parser *parser);

#define CJSONMEMBERS_PLAIN (1ULL << 55)

#ifdef __cplusplus
}
#endif

#endif
