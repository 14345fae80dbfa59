/// Finds the end of a request's head, as its bytes come, and refuses early what no later byte could make right:
/// bare CR or LF, a first byte that begins no request, lines and sections that are too long. A resumed scan does
/// not look at a byte twice.
struct HeadScanner {
  enum Outcome: Equatable {
    case incomplete
    /// The head has this many bytes, its empty line included.
    case complete(Int)
  }

  /// Bytes looked at so far.
  private var position = 0
  /// The start of the line that is being scanned.
  private var lineStart = 0
  /// Lines that have ended.
  private var lines = 0
  private var lastWasCR = false

  /// Looks at what is new in `bytes`, which begin at the head's first byte in every call.
  mutating func scan(_ bytes: Span<UInt8>, _ limits: Configuration.Limits) throws(Refusal) -> Outcome {
    let count = min(bytes.count, limits.head)
    while position < count {
      let byte = bytes[position]
      position += 1
      if lastWasCR {
        lastWasCR = false
        // RFC 9112 section 2.2: a bare CR is invalid, wherever it stands.
        guard byte == 0x0a else { throw .malformed("A carriage return without a line feed.") }
        if position - lineStart == 2 { return .complete(position) }
        lines += 1
        lineStart = position
        guard lines <= limits.fields + 1 else {
          throw .headTooLarge("A request may have \(limits.fields) header fields; this one has more.")
        }
      } else if byte == 0x0d {
        lastWasCR = true
      } else if byte == 0x0a {
        // RFC 9112 section 2.2 allows a lone LF as a line's end; others on the way may see no end there.
        throw .malformed("A line feed without a carriage return.")
      } else if byte == 0 {
        throw .malformed("A NUL byte in the head.")
      } else if lines == 0, position > limits.target + RequestLine.longestMethod + 12 {
        throw .targetTooLong(limits.target)
      } else if position == 1, !ByteClass.isToken(byte) {
        throw .malformed("A request begins with a method, which is a token.")
      }
    }
    if position >= limits.head {
      throw .headTooLarge("A request's head may have \(limits.head) bytes; this one is longer.")
    }
    return .incomplete
  }
}
