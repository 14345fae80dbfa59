// What both variants of the scan work on.
#ifndef CJSONMEMBERS_PARSER_H
#define CJSONMEMBERS_PARSER_H

#include "CJSONMembers.h"

enum {
  /// What becomes of a value: it is passed over, taken with all that is in it, or (from 2 on) it is this object, of whose
  /// members some are taken.
  mode_skip = 0,
  mode_whole = 1,
  mode_first_object = CJSONMEMBERS_ROOT,

  maximum_depth_taken = 64,
  longest_expected_name = 32,
  most_expected_names = 256,
  /// So many names that stand elsewhere than in the object before: then they are noted anew.
  most_misses = 4,
};

/// A member that is read of an object.
struct member {
  int32_t object;
  int32_t mode;
  size_t length;
  uint8_t *name;
};

/// A name as it stood in the object before, at the same place among all names: mostly the next object has it there, too.
/// To compare so many bytes is faster than to look for the closing quote, and says at once what becomes of the value.
struct expected_name {
  /// With quotes and colon; what is behind them is not compared.
  uint8_t bytes[longest_expected_name];
  uint32_t length;
  /// Of the object that it is in, and of its value.
  int32_t object_mode;
  int32_t mode;
};

/// An object or array that is open.
struct level {
  uint64_t *opening;
  uint32_t count;
  int32_t mode;
  bool is_object;
};

struct cjsonmembers_parser {
  bool (*scan)(struct cjsonmembers_parser *, const uint8_t *, size_t);
  size_t maximum_depth;
  struct member *members;
  size_t member_count;
  int32_t next_object;
  /// Room for a text of so many bytes.
  size_t capacity;
  uint64_t *tape;
  uint8_t *strings;
  size_t expected_count;
  bool expects_others;
  struct level levels[maximum_depth_taken];
  struct expected_name expected[most_expected_names];
};

bool cjsonmembers_scan_portably(struct cjsonmembers_parser *parser, const uint8_t *text, size_t length);
#ifdef __x86_64__
bool cjsonmembers_scan_avx2(struct cjsonmembers_parser *parser, const uint8_t *text, size_t length);
#endif

#endif
