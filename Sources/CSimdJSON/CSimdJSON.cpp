#include "CSimdJSON.h"

#include <algorithm>
#include <memory>
#include <new>
#include <simdjson.h>
#include <sys/mman.h>

using simdjson::dom::document;
using simdjson::internal::dom_parser_implementation;

struct csimdjson_parser {
  size_t maximum_depth;
  std::unique_ptr<dom_parser_implementation> implementation;
  size_t length = 0;
  document whole;
  document element;
};

// Buffers are as big as the worst text needs and mostly untouched. Page faults on what is touched cost more than
// parsing does, unless the pages are huge. Advice only: to be refused it changes nothing.
static void advise(void *start, size_t length) {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t page = 2 << 20;
  uintptr_t first = (uintptr_t(start) + page - 1) & ~(page - 1);
  uintptr_t last = (uintptr_t(start) + length) & ~(page - 1);
  if (first < last) { (void)madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE); }
#else
  (void)start;
  (void)length;
#endif
}

// There is room for as many indexes as a text has bytes, and few have a fifth of that. Of a part of a text, a huge page
// would be mostly memory that is taken for nothing, while the rows that are made of the text need theirs.
static void advise_indexes(uint32_t *start, size_t length) {
  if (length >= 4 << 20) { advise(start, length * sizeof(uint32_t)); }
}

static simdjson::error_code allocate(document &document, size_t length) {
  auto error = document.allocate(length);
  if (!error) {
    advise(document.tape.get(), length * sizeof(uint64_t));
    advise(document.string_buf.get(), length);
  }
  return error;
}

static int code(simdjson::error_code error) {
  switch (error) {
  case simdjson::SUCCESS: return csimdjson_success;
  case simdjson::CAPACITY:
  case simdjson::MEMALLOC: return csimdjson_memory;
  case simdjson::DEPTH_ERROR: return csimdjson_depth;
  case simdjson::STRING_ERROR: return csimdjson_string;
  case simdjson::T_ATOM_ERROR:
  case simdjson::F_ATOM_ERROR:
  case simdjson::N_ATOM_ERROR: return csimdjson_literal;
  case simdjson::NUMBER_ERROR: return csimdjson_number;
  case simdjson::UTF8_ERROR: return csimdjson_utf8;
  case simdjson::EMPTY: return csimdjson_empty;
  case simdjson::UNESCAPED_CHARS: return csimdjson_control_character;
  case simdjson::UNCLOSED_STRING: return csimdjson_unclosed_string;
  default: return csimdjson_structure;
  }
}

extern "C" {

void csimdjson_advise(void *start, size_t length) { advise(start, length); }

size_t csimdjson_padding(void) { return simdjson::SIMDJSON_PADDING; }

csimdjson_parser *csimdjson_create(size_t maximum_depth) {
  auto *parser = new (std::nothrow) csimdjson_parser;
  if (parser != nullptr) { parser->maximum_depth = maximum_depth; }
  return parser;
}

void csimdjson_destroy(csimdjson_parser *parser) { delete parser; }

int csimdjson_index(csimdjson_parser *parser, const uint8_t *text, size_t length) {
  parser->length = length;
  if (length == 0) { return csimdjson_empty; }
  // With some room more: texts that come one behind the other are about as long.
  size_t capacity = std::min(length + length / 8, size_t(simdjson::SIMDJSON_MAXSIZE_BYTES));
  if (!parser->implementation) {
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, parser->maximum_depth, parser->implementation);
    if (error) { return code(error); }
    advise_indexes(parser->implementation->structural_indexes.get(), capacity);
  } else if (parser->implementation->capacity() < length) {
    auto error = parser->implementation->set_capacity(capacity);
    if (error) { return code(error); }
    advise_indexes(parser->implementation->structural_indexes.get(), capacity);
  }
  return code(parser->implementation->stage1(text, length, simdjson::stage1_mode::regular));
}

const uint32_t *csimdjson_structurals(const csimdjson_parser *parser) {
  return parser->implementation ? parser->implementation->structural_indexes.get() : nullptr;
}

size_t csimdjson_structural_count(const csimdjson_parser *parser) {
  return parser->implementation ? parser->implementation->n_structural_indexes : 0;
}

int csimdjson_parse(csimdjson_parser *parser) {
  if (!parser->implementation) { return csimdjson_empty; }
  if (parser->whole.capacity() < parser->length) {
    auto error = allocate(parser->whole, parser->length);
    if (error) { return code(error); }
  }
  return code(parser->implementation->stage2(parser->whole));
}

int csimdjson_parse_element(csimdjson_parser *parser, size_t structural, size_t length) {
  if (!parser->implementation || structural >= parser->implementation->n_structural_indexes) {
    return csimdjson_empty;
  }
  if (parser->element.capacity() < length) {
    auto error = allocate(parser->element, length * 2);
    if (error) { return code(error); }
  }
  parser->implementation->next_structural_index = uint32_t(structural);
  return code(parser->implementation->stage2_next(parser->element));
}

size_t csimdjson_next_structural(const csimdjson_parser *parser) {
  return parser->implementation ? parser->implementation->next_structural_index : 0;
}

const uint64_t *csimdjson_tape(const csimdjson_parser *parser) { return parser->whole.tape.get(); }
const uint8_t *csimdjson_strings(const csimdjson_parser *parser) { return parser->whole.string_buf.get(); }
const uint64_t *csimdjson_element_tape(const csimdjson_parser *parser) { return parser->element.tape.get(); }
const uint8_t *csimdjson_element_strings(const csimdjson_parser *parser) { return parser->element.string_buf.get(); }

} // extern "C"
