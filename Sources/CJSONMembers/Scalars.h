// White space, escapes and numbers, as RFC 8259 has them. What is rare in numbers is declined.

static inline const uint8_t *skip_space(const uint8_t *text, const uint8_t *end) {
  if (__builtin_expect(*text > 0x20, 1)) { return text; }
  while (text < end && (*text == ' ' || *text == '\n' || *text == '\r' || *text == '\t')) { text++; }
  return text;
}

// MARK: Escapes

/// 0 to 15; more for what is no hexadecimal digit.
static inline unsigned hexadecimal(uint8_t byte) {
  if (byte >= '0' && byte <= '9') { return byte - '0'; }
  uint8_t letter = byte | 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10u : 0x100;
}

/// The number in four digits; 0x10000 and more where there is something else.
static inline uint32_t code_unit(const uint8_t *text) {
  uint32_t unit = 0;
  for (int digit = 0; digit < 4; digit++) {
    unsigned value = hexadecimal(text[digit]);
    if (value > 15) { return 0x10000; }
    unit = unit << 4 | value;
  }
  return unit;
}

/// What `\uXXXX` stands for, one or two of them; moves behind it. 0x110000: nothing, or half of a surrogate pair.
static inline uint32_t code_point(const uint8_t **text) {
  uint32_t unit = code_unit(*text + 2);
  if (unit > 0xFFFF || (unit >= 0xDC00 && unit <= 0xDFFF)) { return 0x110000; }
  *text += 6;
  if (unit < 0xD800 || unit > 0xDBFF) { return unit; }
  if ((*text)[0] != '\\' || (*text)[1] != 'u') { return 0x110000; }
  uint32_t low = code_unit(*text + 2);
  if (low < 0xDC00 || low > 0xDFFF) { return 0x110000; }
  *text += 6;
  return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

/// What stands behind a backslash for one byte; 0: nothing does.
static inline uint8_t unescaped(uint8_t letter) {
  switch (letter) {
  case '"':
  case '\\':
  case '/': return letter;
  case 'b': return '\b';
  case 'f': return '\f';
  case 'n': return '\n';
  case 'r': return '\r';
  case 't': return '\t';
  default: return 0;
  }
}

/// Behind an escape; null where it is none.
static inline const uint8_t *skip_escape(const uint8_t *text) {
  if (unescaped(text[1]) != 0) { return text + 2; }
  if (text[1] != 'u' || code_point(&text) > 0x10FFFF) { return 0; }
  return text;
}

/// The same; writes what it stands for, which is shorter, and moves behind that.
static inline const uint8_t *copy_escape(const uint8_t *text, uint8_t **target) {
  uint8_t *out = *target;
  uint8_t byte = unescaped(text[1]);
  if (byte != 0) {
    *out = byte;
    *target = out + 1;
    return text + 2;
  }
  if (text[1] != 'u') { return 0; }
  uint32_t point = code_point(&text);
  if (point > 0x10FFFF) { return 0; }
  if (point < 0x80) {
    *out++ = (uint8_t)point;
  } else if (point < 0x800) {
    *out++ = (uint8_t)(0xC0 | point >> 6);
    *out++ = (uint8_t)(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    *out++ = (uint8_t)(0xE0 | point >> 12);
    *out++ = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    *out++ = (uint8_t)(0x80 | (point & 0x3F));
  } else {
    *out++ = (uint8_t)(0xF0 | point >> 18);
    *out++ = (uint8_t)(0x80 | (point >> 12 & 0x3F));
    *out++ = (uint8_t)(0x80 | (point >> 6 & 0x3F));
    *out++ = (uint8_t)(0x80 | (point & 0x3F));
  }
  *target = out;
  return text;
}

// MARK: Numbers

/// How many digits stand here, at most 24: more are declined.
static inline unsigned digits(const uint8_t *text) {
  unsigned count = 0;
  while (count < 24) {
    // A digit becomes 0 to 9, and only what is more reaches the highest bit, the lowest of them exactly.
    uint64_t word = word_at(text + count) ^ 0x3030303030303030ULL;
    uint64_t others = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
    if (others != 0) { return count + ((unsigned)__builtin_ctzll(others) >> 3); }
    count += 8;
  }
  return count;
}

/// The digits before the point: no zero stands before others. 0: there are none, or so many that it may not be an integer
/// of 64 bits.
static inline unsigned whole_digits(const uint8_t *text) {
  unsigned count = digits(text);
  return count > 18 || (*text == '0' && count > 1) ? 0 : count;
}

/// Behind a number; null where it is none, or beyond what every double can be.
static inline const uint8_t *skip_number(const uint8_t *text) {
  if (*text == '-') { text++; }
  unsigned count = whole_digits(text);
  if (count == 0) { return 0; }
  text += count;
  if (*text == '.') {
    count = digits(text + 1);
    if (count == 0 || count > 18) { return 0; }
    text += 1 + count;
  }
  if ((*text | 0x20) == 'e') {
    text++;
    if (*text == '+' || *text == '-') { text++; }
    count = digits(text);
    if (count == 0 || count > 2) { return 0; }
    text += count;
  }
  return text;
}

/// The same; writes what it is in two words. Of numbers with a fraction those that are exact in one division.
static inline const uint8_t *copy_number(const uint8_t *text, uint64_t *word) {
  static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  bool is_negative = *text == '-';
  if (is_negative) { text++; }
  unsigned count = whole_digits(text);
  if (count == 0) { return 0; }
  uint64_t value = 0;
  const uint8_t *end = text + count;
  while (text < end) { value = value * 10 + (*text++ - '0'); }
  unsigned fraction = 0;
  if (*text == '.') {
    fraction = digits(++text);
    if (fraction == 0 || count + fraction > 15) { return 0; }
    end = text + fraction;
    while (text < end) { value = value * 10 + (*text++ - '0'); }
  }
  if ((*text | 0x20) == 'e' || (is_negative && value == 0)) { return 0; }
  if (fraction == 0) {
    word[0] = (uint64_t)'l' << 56;
    word[1] = is_negative ? -value : value;
  } else {
    double number = (double)value / powers[fraction];
    if (is_negative) { number = -number; }
    word[0] = (uint64_t)'d' << 56;
    memcpy(&word[1], &number, sizeof number);
  }
  return text;
}
