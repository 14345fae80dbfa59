/// Reads a checked JSON text from its beginning to its end, each byte once: members and elements in the order in which
/// they come.
///
///     if reader.enterObject() {
///       while let name = reader.nextName() {
///         switch name {
///         case "id": id = reader.string()
///         default: continue
///         }
///       }
///     }
///
/// What is announced is read once, and passed where it isn't read: members that nobody knows, values of another kind than
/// was asked for. The text was checked (`JSONScanner`): no step looks twice.
struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  /// How far everything is read.
  private(set) var position = 0
  /// Where the value stands that was announced last.
  private var announced = -1

  init(checked bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// 0, which stands nowhere in checked text, at the end.
  private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

  // MARK: Objects and lists

  /// Goes into an object, to be read to its end by `nextName`. Any other value is passed.
  mutating func enterObject() -> Bool { enter(UInt8(ascii: "{")) }
  /// Goes into a list, to be read to its end by `nextElement`. Any other value is passed.
  mutating func enterList() -> Bool { enter(UInt8(ascii: "[")) }

  private mutating func enter(_ bracket: UInt8) -> Bool {
    guard byte == bracket else {
      skip()
      return false
    }
    position += 1
    return true
  }

  /// The next member's name; its value is announced. Nil behind the last one, where the object is read.
  mutating func nextName() -> JSONQuoted? {
    guard goOn() else { return nil }
    let name = quoted()
    skipSeparators()
    announced = position
    return name
  }

  /// Whether there is another element, which is announced. False behind the last one, where the list is read.
  mutating func nextElement() -> Bool {
    guard goOn() else { return false }
    announced = position
    return true
  }

  /// The elements of a list; nil for any other value.
  mutating func list<Element>(_ element: (inout JSONReader) throws -> Element) rethrows -> [Element]? {
    guard enterList() else { return nil }
    var elements: [Element] = []
    while nextElement() { elements.append(try element(&self)) }
    return elements
  }

  /// Passes what was announced and not read; then, where there is nothing more, the closing bracket.
  private mutating func goOn() -> Bool {
    if position == announced { skip() }
    skipSeparators()
    guard byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]"), byte != 0 else {
      position += 1
      return false
    }
    return true
  }

  private mutating func skipSeparators() {
    while byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") { position += 1 }
  }

  // MARK: Values

  var isNull: Bool { byte == UInt8(ascii: "n") }
  var isText: Bool { byte == UInt8(ascii: "\"") }

  /// The value of a text; nil for any other value.
  mutating func string() -> String? {
    guard isText else {
      skip()
      return nil
    }
    return quoted().text
  }

  /// Passes what stands between quotes here.
  private mutating func quoted() -> JSONQuoted {
    JSONQuoted(UnsafeBufferPointer(rebasing: bytes[skip()].dropFirst().dropLast()))
  }

  /// The value of a number without a fraction; nil for any other value.
  mutating func integer() -> Int? {
    var digits = bytes[skip()]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    var result = 0
    for byte in digits {
      guard byte.isDigit else { return nil }
      let (tens, isTooMuch) = result.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = tens.subtractingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      guard !isTooMuch, !isOver else { return nil }
      // Below zero, where there is one number more.
      result = sum
    }
    guard !digits.isEmpty, isNegative || result != .min else { return nil }
    return isNegative ? result : -result
  }

  mutating func boolean() -> Bool? {
    switch bytes[skip()].first {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  /// The value as it came, with bytes of its own.
  mutating func json() -> JSONText {
    let start = position
    skip()
    return json(from: start)
  }

  /// The value that began there and is read by now.
  func json(from start: Int) -> JSONText {
    JSONText(checked: ArraySlice(bytes[min(start, bytes.count)..<min(position, bytes.count)]))
  }

  /// Reads the value by `body`; where that throws midway, the value is passed all the same.
  mutating func attempt<Value>(_ body: (inout JSONReader) throws -> Value) -> Result<Value, any Error> {
    let start = position
    do { return .success(try body(&self)) } catch {
      position = start
      skip()
      return .failure(error)
    }
  }

  /// Passes one value. Returns where it stands.
  @discardableResult
  mutating func skip() -> Range<Int> {
    let start = position
    switch byte {
    case UInt8(ascii: "\""): skipText()
    case UInt8(ascii: "{"), UInt8(ascii: "["): skipContainer()
    default:
      while position < bytes.count {
        let byte = bytes[position]
        if byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          break
        }
        position += 1
      }
    }
    position = min(position, bytes.count)
    return start..<position
  }

  private mutating func skipText() {
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
  }

  private mutating func skipContainer() {
    var depth = 0
    repeat {
      switch byte {
      case UInt8(ascii: "\""):
        skipText()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      position += 1
    } while depth > 0 && position < bytes.count
  }
}
