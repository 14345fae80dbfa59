// The scan itself, compiled by each variant with what it does its own way: `block`, `mask`, `first`, `specials`,
// `skip_string`, `is_expected`, and `SCAN`, its name.
//
// No byte is read that is not before the end of the text, or less than `CJSONMEMBERS_PADDING` behind it.

/// Copies a block, all of it.
static inline void copy_block(uint8_t *target, const uint8_t *text) { memcpy(target, text, block); }

/// As for `skip_string`; what the string is without escapes is written to `target`, and moves that.
static inline __attribute__((always_inline)) const uint8_t *copy_string(const uint8_t *text, const uint8_t *end, uint8_t **target, bool *is_plain) {
  uint8_t *out = *target;
  *is_plain = true;
  while (text < end) {
    mask found = specials(text);
    copy_block(out, text);
    if (found == 0) {
      text += block;
      out += block;
      continue;
    }
    unsigned position = first(found);
    text += position;
    out += position;
    if (*text == '"') {
      *target = out;
      return text + 1;
    }
    *is_plain = false;
    text = copy_escape(text, &out);
    if (text == NULL) { return NULL; }
  }
  return NULL;
}

/// What becomes of a member's value; -1: it is not to be told from here.
static int32_t mode_of(const struct cjsonmembers_parser *parser, int32_t object, const uint8_t *name, size_t length) {
  if (object < mode_first_object) { return object; }
  if (memchr(name, '\\', length) != NULL) { return -1; }
  for (size_t index = 0; index < parser->member_count; index++) {
    const struct member *member = &parser->members[index];
    if (member->object == object && member->length == length && memcmp(member->name, name, length) == 0) {
      return member->mode;
    }
  }
  return mode_skip;
}

bool SCAN(struct cjsonmembers_parser *parser, const uint8_t *text, size_t length) {
  const uint8_t *const end = text + length;
  uint64_t *const tape = parser->tape;
  uint8_t *const strings = parser->strings;
  uint64_t *word = tape + 1;
  uint8_t *out = strings;
  const struct expected_name *expected = parser->expected;
  if (parser->expects_others) { parser->expected_count = 0; }
  parser->expects_others = false;
  size_t misses = 0;
  size_t depth = 0;
  // Of the object or array that is open.
  uint64_t *opening = tape;
  uint32_t count = 0;
  int32_t mode = mode_skip;
  bool is_object = false;
  // Of the value that comes next.
  int32_t next = mode_first_object;

  if (length == 0 || *text != '{') { return false; }

value:
  if (text >= end) { return false; }
  switch (*text) {
  case '"':
    text++;
    if (next == mode_skip) {
      text = skip_string(text, end);
      if (text == NULL) { return false; }
    } else {
      uint8_t *start = out;
      bool is_plain;
      out += sizeof(uint32_t);
      text = copy_string(text, end, &out, &is_plain);
      if (text == NULL) { return false; }
      uint32_t bytes = (uint32_t)(out - start - sizeof(uint32_t));
      memcpy(start, &bytes, sizeof bytes);
      *out++ = 0;
      *word++ = (uint64_t)'"' << 56 | (is_plain ? CJSONMEMBERS_PLAIN : 0) | (uint64_t)(start - strings);
    }
    goto behind_value;
  case '{':
  case '[':
    if (depth >= parser->maximum_depth) { return false; }
    parser->levels[depth++] = (struct level){opening, count, mode, is_object};
    is_object = *text == '{';
    // Of an array all is taken, by whichever way what is in it is read.
    mode = !is_object && next != mode_skip ? mode_whole : next;
    opening = word;
    count = 0;
    if (mode != mode_skip) { word++; }
    text = skip_space(text + 1, end);
    if (is_object) {
      if (*text != '}') { goto name; }
    } else if (*text != ']') {
      goto element;
    }
    text++;
    goto close;
  case 't':
    if (memcmp(text, "true", 4) != 0) { return false; }
    text += 4;
    if (next != mode_skip) { *word++ = (uint64_t)'t' << 56; }
    goto behind_value;
  case 'f':
    if (memcmp(text, "false", 5) != 0) { return false; }
    text += 5;
    if (next != mode_skip) { *word++ = (uint64_t)'f' << 56; }
    goto behind_value;
  case 'n':
    if (memcmp(text, "null", 4) != 0) { return false; }
    text += 4;
    if (next != mode_skip) { *word++ = (uint64_t)'n' << 56; }
    goto behind_value;
  default:
    if (next == mode_skip) {
      text = skip_number(text);
    } else {
      text = copy_number(text, word);
      word += 2;
    }
    if (text == NULL) { return false; }
    goto behind_value;
  }

element:
  next = mode;
  count++;
  goto value;

name: {
  if (text >= end) { return false; }
  const uint8_t *const quote = text;
  const struct expected_name *const behind_expected = parser->expected + parser->expected_count;
  size_t name_length;
  if (expected < behind_expected && expected->object_mode == mode && is_expected(expected, text)) {
  found:
    next = expected->mode;
    name_length = expected->length - 3;
    text += expected->length;
    expected++;
  } else {
    // Some may be missing here.
    for (int further = 1; further <= 3 && expected + further < behind_expected; further++) {
      if (expected[further].object_mode == mode && is_expected(&expected[further], text)) {
        expected += further;
        goto found;
      }
    }
    if (*text != '"') { return false; }
    text = skip_string(text + 1, end);
    if (text == NULL) { return false; }
    name_length = (size_t)(text - quote) - 2;
    next = mode_of(parser, mode, quote + 1, name_length);
    if (next < 0) { return false; }
    bool is_adjacent = *text == ':';
    text = skip_space(text, end);
    if (*text != ':') { return false; }
    text++;
    if (expected < behind_expected) {
      if (++misses > most_misses) { parser->expects_others = true; }
    } else if (is_adjacent && name_length + 3 <= longest_expected_name &&
               parser->expected_count < most_expected_names) {
      struct expected_name *added = &parser->expected[parser->expected_count++];
      memcpy(added->bytes, quote, name_length + 3);
      added->length = (uint32_t)(name_length + 3);
      added->object_mode = mode;
      added->mode = next;
      expected = added + 1;
    }
  }
  if (next != mode_skip) {
    count++;
    *word++ = (uint64_t)'"' << 56 | (uint64_t)(out - strings);
    uint8_t *start = out;
    bool is_plain;
    out += sizeof(uint32_t);
    if (copy_string(quote + 1, end, &out, &is_plain) == NULL) { return false; }
    uint32_t bytes = (uint32_t)(out - start - sizeof(uint32_t));
    memcpy(start, &bytes, sizeof bytes);
    *out++ = 0;
  }
  text = skip_space(text, end);
  goto value;
}

behind_value:
  text = skip_space(text, end);
  if (is_object) {
    if (*text == ',') {
      text = skip_space(text + 1, end);
      goto name;
    }
    if (*text != '}') { return false; }
  } else {
    if (*text == ',') {
      text = skip_space(text + 1, end);
      goto element;
    }
    if (*text != ']') { return false; }
  }
  text++;

close:
  if (mode != mode_skip) {
    *word = (uint64_t)(is_object ? '}' : ']') << 56 | (uint64_t)(opening - tape);
    word++;
    uint64_t members = count < 0xFFFFFF ? count : 0xFFFFFF;
    *opening = (uint64_t)(is_object ? '{' : '[') << 56 | members << 32 | (uint64_t)(word - tape);
  }
  depth--;
  opening = parser->levels[depth].opening;
  count = parser->levels[depth].count;
  mode = parser->levels[depth].mode;
  is_object = parser->levels[depth].is_object;
  if (depth > 0) { goto behind_value; }
  tape[0] = (uint64_t)'r' << 56 | (uint64_t)(word - tape);
  return text == end;
}
