/// Decodes the chunked transfer coding (RFC 9112 section 7.1) byte by byte, strictly: what another reader could
/// take for another length is refused. Chunk extensions and trailer fields are checked and left out.
struct ChunkedDecoder {
  private enum State {
    case sizeStart
    case size
    case extensionName(isEmpty: Bool)
    case afterExtensionName
    case extensionValueStart
    case extensionValue
    case extensionQuoted(isEscaped: Bool)
    case afterExtension
    case sizeLF
    case data
    case dataCR
    case dataLF
    case trailerStart
    case trailerName
    case trailerValue
    case trailerLF
    case endLF
    case done
  }

  private var state = State.sizeStart
  /// The size of the chunk that is being read, and then how much of it is missing.
  private var remaining = 0
  /// Hexadecimal digits in the size that is being read.
  private var digits = 0
  /// Bytes of extensions, of the whole body: they are a way to send without end.
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var trailerFields = 0

  private static let maximumExtensionBytes = 16_384

  /// True if the body is whole.
  var isDone: Bool { if case .done = state { true } else { false } }

  /// Decodes from `input` at `index`, which moves behind what was used, and appends to `body`.
  mutating func decode(
    _ input: Span<UInt8>,
    _ index: inout Int,
    into body: inout [UInt8],
    _ limits: Configuration.Limits
  ) throws(Refusal) {
    while index < input.count, !isDone {
      if case .data = state {
        let count = min(remaining, input.count - index)
        let chunk = input.extracting(index..<(index + count))
        chunk.withUnsafeBufferPointer { body.append(contentsOf: $0) }
        index += count
        remaining -= count
        if remaining == 0 { state = .dataCR }
      } else {
        try step(input[index], bodyCount: body.count, limits)
        index += 1
      }
    }
  }

  private mutating func step(_ byte: UInt8, bodyCount: Int, _ limits: Configuration.Limits) throws(Refusal) {
    switch state {
    case .sizeStart, .size:
      try readSize(byte, bodyCount: bodyCount, limits)
    case .extensionName, .afterExtensionName, .extensionValueStart, .extensionValue, .extensionQuoted,
      .afterExtension:
      try readExtension(byte)
    case .sizeLF:
      try expect(byte, 0x0a)
      state = remaining == 0 ? .trailerStart : .data
    case .dataCR:
      try expect(byte, 0x0d)
      state = .dataLF
    case .dataLF:
      try expect(byte, 0x0a)
      state = .sizeStart
      digits = 0
    case .trailerStart, .trailerName, .trailerValue, .trailerLF, .endLF:
      try readTrailer(byte, limits)
    case .data, .done:
      break
    }
  }

  private mutating func readSize(_ byte: UInt8, bodyCount: Int, _ limits: Configuration.Limits) throws(Refusal) {
    if let digit = ByteClass.hexadecimal(byte) {
      state = .size
      digits += 1
      // `remaining` can't overflow: it stays under the limit. Zeros in front have a bound of their own.
      remaining = remaining << 4 | Int(digit)
      guard remaining <= limits.body - bodyCount else { throw .bodyTooLarge(limits.body) }
      guard digits <= 32 else { throw .malformed("A chunk size has too many digits.") }
    } else if digits > 0, byte == 0x0d {
      state = .sizeLF
    } else if digits > 0, byte == UInt8(ascii: ";") {
      state = .extensionName(isEmpty: true)
    } else {
      throw .malformed("A chunk begins with its size in hexadecimal digits.")
    }
  }

  /// RFC 9112 section 7.1.1: `*( BWS ";" BWS name [ BWS "=" BWS value ] )`, behind the size no blank.
  private mutating func readExtension(_ byte: UInt8) throws(Refusal) {
    extensionBytes += 1
    guard extensionBytes <= ChunkedDecoder.maximumExtensionBytes else {
      throw .malformed("The chunk extensions are too long.")
    }
    let isBlank = byte == 0x20 || byte == 0x09
    switch state {
    case .extensionName(let isEmpty) where ByteClass.isToken(byte) || (isBlank && isEmpty):
      state = .extensionName(isEmpty: isBlank)
    case .extensionName(isEmpty: false) where isBlank:
      state = .afterExtensionName
    case .extensionName(isEmpty: false) where byte == UInt8(ascii: "="),
      .afterExtensionName where byte == UInt8(ascii: "="):
      state = .extensionValueStart
    case .afterExtensionName where isBlank, .extensionValueStart where isBlank, .afterExtension where isBlank:
      break
    case .extensionValueStart where byte == UInt8(ascii: "\""):
      state = .extensionQuoted(isEscaped: false)
    case .extensionValueStart where ByteClass.isToken(byte), .extensionValue where ByteClass.isToken(byte):
      state = .extensionValue
    case .extensionValue where isBlank:
      state = .afterExtension
    case .extensionQuoted(let isEscaped) where ByteClass.has(byte, ByteClass.fieldValue):
      if !isEscaped, byte == UInt8(ascii: "\"") {
        state = .afterExtension
      } else {
        state = .extensionQuoted(isEscaped: !isEscaped && byte == UInt8(ascii: "\\"))
      }
    case .extensionName(isEmpty: false), .extensionValue, .afterExtension, .afterExtensionName:
      try endExtension(byte)
    default:
      throw .malformed("A chunk extension is malformed.")
    }
  }

  private mutating func endExtension(_ byte: UInt8) throws(Refusal) {
    switch byte {
    case UInt8(ascii: ";"): state = .extensionName(isEmpty: true)
    case 0x0d: state = .sizeLF
    default: throw .malformed("A chunk extension is malformed.")
    }
  }

  /// RFC 9112 section 7.1.2. Trailer fields are never merged into the head (RFC 9110 section 6.5.1).
  private mutating func readTrailer(_ byte: UInt8, _ limits: Configuration.Limits) throws(Refusal) {
    trailerBytes += 1
    guard trailerBytes <= limits.head else { throw .headTooLarge("The trailer section is too long.") }
    switch state {
    case .trailerStart where byte == 0x0d:
      state = .endLF
    case .trailerStart where ByteClass.isToken(byte):
      trailerFields += 1
      guard trailerFields <= limits.fields else { throw .headTooLarge("The trailer section has too many fields.") }
      state = .trailerName
    case .trailerName where ByteClass.isToken(byte):
      break
    case .trailerName where byte == UInt8(ascii: ":"):
      state = .trailerValue
    case .trailerValue where ByteClass.has(byte, ByteClass.fieldValue):
      break
    case .trailerValue where byte == 0x0d:
      state = .trailerLF
    case .trailerLF where byte == 0x0a:
      state = .trailerStart
    case .endLF where byte == 0x0a:
      state = .done
    default:
      throw .malformed("A trailer field is malformed.")
    }
  }

  private func expect(_ byte: UInt8, _ expected: UInt8) throws(Refusal) {
    guard byte == expected else { throw .malformed("A chunk and its size must each end with CRLF.") }
  }
}
